"""spreadsheets.py READER SEPARATOR DECIMAL FILE...: reads CSV files as READER (polars, duckdb,
libreoffice) does by itself, and writes a line of JSON for each: its head, and its rows of cells.

A cell is null, a number, true or false, a text, or {"time": "2025-03-01T09:00:02.500"}. Nothing
here knows what a column holds: the types are those that the reader found.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TIME_WITH_COMMA = "%Y-%m-%d %H:%M:%S,"


def cell(value):
    if isinstance(value, datetime.datetime):
        return {"time": value.isoformat(timespec="milliseconds")}
    return value


def by_polars(path, separator, decimal):
    import polars

    table = polars.read_csv(
        path,
        separator=separator,
        decimal_comma=decimal == ",",
        try_parse_dates=True,
        infer_schema_length=None,
    )
    if decimal == ",":
        # What a time looks like has to be said.
        columns = polars.selectors.ends_with("_utc")
        table = table.with_columns(columns.str.to_datetime(TIME_WITH_COMMA + "%3f"))
    return table.columns, [[cell(value) for value in row] for row in table.rows()]


def by_duckdb(path, separator, decimal):
    import duckdb

    # The separator too is found; the decimal comma and what a time looks like have to be said.
    options = "" if decimal == "." else f", decimal_separator=',', timestampformat='{TIME_WITH_COMMA}%g'"
    found = duckdb.sql(f"SELECT * FROM read_csv('{path}', sample_size=-1{options})")
    return found.columns, [[cell(value) for value in row] for row in found.fetchall()]


OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def office_cell(element):
    kind = element.get(OFFICE + "value-type")
    if kind is None:
        return None
    if kind == "float":
        return float(element.get(OFFICE + "value"))
    if kind == "boolean":
        return element.get(OFFICE + "boolean-value") == "true"
    if kind == "date":
        at = datetime.datetime.fromisoformat(element.get(OFFICE + "date-value")[:26])
        return {"time": at.isoformat(timespec="milliseconds")}
    if kind != "string" or element.get(TABLE + "formula"):
        return {kind: element.get(TABLE + "formula")}
    return "\n".join(office_text(line) for line in element.iter(TEXT + "p"))


def office_text(element):
    # OpenDocument has elements for tabs and for all blanks but the first of several.
    if element.tag == TEXT + "s":
        begin = " " * int(element.get(TEXT + "c", 1))
    elif element.tag == TEXT + "tab":
        begin = "\t"
    else:
        begin = element.text or ""
    return begin + "".join(office_text(child) + (child.tail or "") for child in element)


def office_rows(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    rows = []
    for row in root.iter(TABLE + "table-row"):
        cells = []
        for element in row.iter(TABLE + "table-cell"):
            times = int(element.get(TABLE + "number-columns-repeated", 1))
            cells.extend([office_cell(element)] * times)
        rows.extend([cells] * int(row.get(TABLE + "number-rows-repeated", 1)))
    while rows and not any(value is not None for value in rows[-1]):
        rows.pop()
    width = max(i + 1 for i, value in enumerate(rows[0]) if value is not None)
    return [(row + [None] * width)[:width] for row in rows]


def by_libreoffice(paths, separator, decimal):
    # A language that has the decimal mark: 1033 is English (US), 1031 German.
    language = "1031" if decimal == "," else "1033"
    options = f"CSV:{ord(separator)},34,76,1,,{language},false,true"
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        for attempt in (1, 2):
            ran = subprocess.run(
                ["soffice", f"-env:UserInstallation=file://{profile}-{attempt}", "--headless"]
                + [f"--infilter={options}", "--convert-to", "fods", "--outdir", folder]
                + paths,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=300,
            )
            made = [
                os.path.join(folder, os.path.splitext(os.path.basename(path))[0] + ".fods")
                for path in paths
            ]
            if all(os.path.exists(path) for path in made):
                break
        else:
            sys.exit(f"soffice converted nothing: {ran.stdout!r} {ran.stderr!r}")
        for path in made:
            head, *rows = office_rows(path)
            yield head, rows


def main():
    reader, separator, decimal, *paths = sys.argv[1:]
    if reader == "libreoffice":
        tables = by_libreoffice(paths, separator, decimal)
    else:
        read = {"polars": by_polars, "duckdb": by_duckdb}[reader]
        tables = (read(path, separator, decimal) for path in paths)
    for head, rows in tables:
        print(json.dumps({"head": head, "rows": rows}))


main()
