"""Values of every basic type: how T-SQL writes them and what Python says they are.

Nothing here was read from a server. A value is a type, a literal of T-SQL, and the Python value that
stands for it.
"""

import datetime as dt
import uuid
from decimal import Decimal

UTC_PLUS_14 = dt.timezone(dt.timedelta(hours=14))
UTC_MINUS_14 = dt.timezone(dt.timedelta(hours=-14))
TEXT = "Größe, naïve: 漢字, наука 😀𝄞"
LATIN = "Größe, naïve, 3 €"
ALL_BYTES = bytes(range(256))
GUID = uuid.UUID("01234567-89ab-cdef-fedc-ba9876543210")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def decimals(precision, scale):
    digits = "9" * (precision - scale) + ("." + "9" * scale if scale else "")
    for text in (digits, "-" + digits, "0"):
        yield f"decimal({precision},{scale})", text, Decimal(text)


def moment(text, digits):
    whole, _, fraction = text.partition(".")
    value = dt.datetime.fromisoformat(whole)
    return value.replace(microsecond=int((fraction[:digits] + "000000")[:6]))


VALUES = [
    ("bit", "1", True),
    ("bit", "0", False),
    ("tinyint", "0", 0),
    ("tinyint", "255", 255),
    ("smallint", "-32768", -(2**15)),
    ("smallint", "32767", 2**15 - 1),
    ("int", "-2147483648", -(2**31)),
    ("int", "2147483647", 2**31 - 1),
    ("bigint", "-9223372036854775808", -(2**63)),
    ("bigint", "9223372036854775807", 2**63 - 1),
    ("real", "-1.5E0", -1.5),
    ("real", "16777216E0", 2.0**24),
    ("float", "1.7976931348623157E308", 1.7976931348623157e308),
    ("float", "-2.2250738585072014E-308", -2.2250738585072014e-308),
    ("float", "0.1E0", 0.1),
    *decimals(1, 0),
    *decimals(9, 4),
    *decimals(19, 19),
    *decimals(28, 14),
    *decimals(38, 0),
    *decimals(38, 10),
    *decimals(38, 38),
    ("money", "922337203685477.5807", Decimal("922337203685477.5807")),
    ("money", "-922337203685477.5808", Decimal("-922337203685477.5808")),
    ("smallmoney", "214748.3647", Decimal("214748.3647")),
    ("smallmoney", "-214748.3648", Decimal("-214748.3648")),
    ("char(20)", quoted(LATIN), LATIN.ljust(20)),
    ("varchar(50)", quoted(LATIN), LATIN),
    ("varchar(50)", "''", ""),
    ("varchar(8000)", f"REPLICATE('x', 8000)", "x" * 8000),
    ("nchar(40)", "N" + quoted(TEXT), TEXT + " " * (40 - len(TEXT.encode("utf-16-le")) // 2)),
    ("nvarchar(50)", "N" + quoted(TEXT), TEXT),
    ("nvarchar(50)", "N''", ""),
    ("nvarchar(4000)", "REPLICATE(N'漢', 4000)", "漢" * 4000),
    ("nvarchar(max)", "N" + quoted(TEXT), TEXT),
    ("varchar(max)", quoted(LATIN), LATIN),
    ("binary(4)", "0x01FF", b"\x01\xff\0\0"),
    ("varbinary(256)", "0x" + ALL_BYTES.hex(), ALL_BYTES),
    ("varbinary(max)", "0x" + ALL_BYTES.hex(), ALL_BYTES),
    ("varbinary(10)", "0x", b""),
    ("date", "'0001-01-01'", dt.date(1, 1, 1)),
    ("date", "'9999-12-31'", dt.date(9999, 12, 31)),
    ("date", "'2024-02-29'", dt.date(2024, 2, 29)),
    ("time(0)", "'23:59:59'", dt.time(23, 59, 59)),
    ("time(6)", "'23:59:59.999999'", dt.time(23, 59, 59, 999999)),
    ("time(7)", "'00:00:00.0000000'", dt.time(0, 0, 0)),
    ("smalldatetime", "'1900-01-01 00:00'", dt.datetime(1900, 1, 1)),
    ("smalldatetime", "'2079-06-06 23:59'", dt.datetime(2079, 6, 6, 23, 59)),
    ("datetime", "'1753-01-01 00:00:00'", dt.datetime(1753, 1, 1)),
    ("datetime", "'9999-12-31 23:59:59.990'", dt.datetime(9999, 12, 31, 23, 59, 59, 990000)),
    *[
        (f"datetime2({digits})", quoted("9999-12-31 23:59:59.123412"), moment("9999-12-31 23:59:59.123412", digits))
        for digits in range(6)
    ],
    ("datetime2(6)", "'9999-12-31 23:59:59.999999'", dt.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    ("datetime2(7)", "'0001-01-01 00:00:00'", dt.datetime(1, 1, 1)),
    (
        "datetimeoffset(6)",
        "'2024-02-29 12:30:00.123456 +14:00'",
        dt.datetime(2024, 2, 29, 12, 30, 0, 123456, UTC_PLUS_14),
    ),
    (
        "datetimeoffset(0)",
        "'1900-01-01 00:00:00 -14:00'",
        dt.datetime(1900, 1, 1, 0, 0, 0, 0, UTC_MINUS_14),
    ),
    ("uniqueidentifier", quoted(str(GUID)), GUID),
]

TYPES = list(dict.fromkeys(type_name for type_name, _, _ in VALUES))
