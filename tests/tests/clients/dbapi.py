"""Other people's Python drivers against a server, each check a function of its own.

    python dbapi.py DRIVER plain|tls

The server is that of the environment. One line a check; exit code 1 where one failed.
"""

import datetime
import subprocess
import sys
import time
import traceback
from decimal import Decimal

import values
from drivers import DRIVERS
from values import TEXT, TYPES, VALUES

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def equal(found, expected, what=""):
    if found != expected or type(found) is not type(expected) and not compatible(found, expected):
        raise AssertionError(f"{what}: {shorten(found)} is not {shorten(expected)}")


def compatible(found, expected):
    """True is 1 for a driver without a boolean type; str and uuid are told apart by the caller."""
    return isinstance(found, int) and isinstance(expected, int) or isinstance(found, Decimal | float)


def shorten(value):
    text = repr(value)
    return text if len(text) < 200 else f"{text[:200]}… ({len(text)} characters)"


def fails(driver, number, text, work):
    """The work fails with the server's error of this number, or, where a driver hides it, this text."""
    try:
        work()
    except (driver.module.Error, TimeoutError) as error:
        # python-tds tries a log-in again until its time is up.
        error = error.__cause__ if isinstance(error, TimeoutError) else error
        found = driver.number(error)
        if isinstance(found, int):
            # Of the two errors of a database that cannot be opened some drivers give the second.
            equal(18456 if number == 4060 and found == 18456 else number, found, str(error))
        elif text not in str(error):
            raise AssertionError(f"{number} {text!r} expected, not {error}") from error
        return str(error)
    raise AssertionError(f"no error {number}")


def query(connection, text, *parameters):
    cursor = connection.cursor()
    cursor.execute(text, parameters) if parameters else cursor.execute(text)
    rows = [tuple(row) for row in cursor.fetchall()]
    cursor.close()
    return rows


def run(connection, text, *parameters):
    cursor = connection.cursor()
    cursor.execute(text, parameters) if parameters else cursor.execute(text)
    count = cursor.rowcount
    while cursor.nextset():
        pass
    cursor.close()
    return count


@check
def the_login_works_and_the_connection_is_as_encrypted_as_asked(driver):
    with_one = driver.connect()
    text = "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID"
    equal(query(with_one, text), [("TRUE" if driver.encrypted else "FALSE",)])
    with_one.close()


@check
def a_wrong_password_and_a_missing_database_are_refused(driver):
    driver.connect().close()
    login = "Login failed for user"
    fails(driver, 18456, login, lambda: driver.connect(password="wrong"))
    fails(driver, 4060, "Cannot open database", lambda: driver.connect(database="nothing_here"))
    driver.connect().close()


@check
def every_type_comes_back_as_it_was_written(driver):
    connection = driver.connect()
    for type_name, literal, expected in VALUES:
        if driver.lacks(type_name):
            continue
        rows = query(connection, f"SELECT CAST({literal} AS {type_name}) AS v, CAST(NULL AS {type_name})")
        equal(rows[0][0], driver.seen(type_name, expected), f"{type_name} {literal[:50]}")
        equal(rows[0][1], None, type_name)
    connection.close()


@check
def every_type_goes_as_a_parameter_and_comes_back(driver):
    connection = driver.connect()
    for type_name, literal, expected in VALUES:
        if driver.lacks(type_name) or driver.cannot_send(type_name, expected):
            continue
        rows = query(connection, f"SELECT CAST({driver.mark} AS {type_name})", driver.sent(type_name, expected))
        equal(rows[0][0], driver.seen(type_name, expected), f"{type_name} {literal[:50]}")
    connection.close()


@check
def every_type_is_stored_through_parameters(driver):
    connection = driver.connect()
    for position, type_name in enumerate(TYPES):
        if driver.lacks(type_name):
            continue
        run(connection, f"CREATE TABLE #t{position} (id int, v {type_name} NULL)")
        sent = [value for name, _, value in VALUES if name == type_name]
        sent = [value for value in sent if not driver.cannot_send(type_name, value)]
        for number, value in enumerate(sent):
            value = driver.sent(type_name, value)
            equal(run(connection, f"INSERT INTO #t{position} VALUES ({driver.mark_all(2)})", number, value), 1)
        null = driver.mark if driver.sends_null(type_name) else "NULL"
        parameters = (len(sent), None)[: 1 + (null == driver.mark)]
        run(connection, f"INSERT INTO #t{position} VALUES ({driver.mark}, {null})", *parameters)
        rows = query(connection, f"SELECT v FROM #t{position} ORDER BY id")
        seen = [driver.seen(type_name, value) for value in sent]
        equal(rows, [(value,) for value in seen] + [(None,)], type_name)
    connection.close()


@check
def values_of_a_megabyte_and_of_five_go_there_and_back(driver):
    connection = driver.connect()
    for size in (1 << 20, 5 << 20):
        text = (TEXT * (size // len(TEXT) + 1))[:size]
        binary = bytes(range(256)) * (size // 256)
        rows = query(
            connection,
            f"SELECT CAST({driver.mark} AS nvarchar(max)), CAST({driver.mark} AS varbinary(max))",
            driver.sent("nvarchar(max)", text),
            driver.sent("varbinary(max)", binary),
        )
        equal(rows, [(text, binary)], f"{size}")
    connection.close()


@check
def a_variant_has_the_type_of_what_is_in_it(driver):
    if not driver.variants:
        return
    connection = driver.connect()
    text = (
        "SELECT CAST(CAST(-7 AS int) AS sql_variant), CAST(CAST(1.25 AS decimal(5,2)) AS sql_variant), "
        "CAST(N'漢' AS sql_variant), CAST('2024-02-29T12:00:00' AS datetime), CAST(NULL AS sql_variant)"
    )
    expected = (-7, Decimal("1.25"), "漢", datetime.datetime(2024, 2, 29, 12), None)
    equal(query(connection, text), [expected])
    connection.close()


@check
def several_results_and_row_counts_come_in_order(driver):
    connection = driver.connect()
    cursor = connection.cursor()
    cursor.execute("SELECT 1 AS a UNION ALL SELECT 2; SELECT 'x' AS b, 'y' AS c WHERE 1 = 0; SELECT 3 AS d")
    equal([tuple(row) for row in cursor.fetchall()], [(1,), (2,)])
    equal([column[0] for column in cursor.description], ["a"])
    equal(bool(cursor.nextset()), True)
    equal(list(cursor.fetchall()), [])
    equal([column[0] for column in cursor.description], ["b", "c"])
    equal(bool(cursor.nextset()), True)
    equal([tuple(row) for row in cursor.fetchall()], [(3,)])
    equal(bool(cursor.nextset()), False)
    cursor.close()
    run(connection, "CREATE TABLE #n (v int)")
    equal(run(connection, "INSERT INTO #n SELECT TOP (100) 1 FROM sys.all_columns"), 100)
    equal(run(connection, "UPDATE TOP (7) #n SET v = 2"), 7)
    equal(run(connection, "DELETE FROM #n WHERE v = 2"), 7)
    equal(run(connection, "SET NOCOUNT ON"), -1)
    equal(run(connection, "DELETE TOP (3) FROM #n"), -1)
    equal(query(connection, "SELECT COUNT(*) FROM #n"), [(90,)])
    connection.close()


@check
def errors_have_their_number_and_leave_the_connection_usable(driver):
    connection = driver.connect()
    for text, number, said in [
        ("SELECT * FROM nowhere", 208, "Invalid object name 'nowhere'."),
        ("SELECT 1/0", 8134, "Divide by zero error encountered."),
        ("SELEKT 1", 2812, "Could not find stored procedure 'SELEKT'."),
        ("SELECT FROM", 156, "Incorrect syntax near the keyword 'FROM'."),
        ("RAISERROR('over %d', 16, 3, 42)", 50000, "over 42"),
        ("THROW 51000, 'thrown', 5", 51000, "thrown"),
        ("SELECT CAST('x' AS int)", 245, "Conversion failed when converting the varchar value 'x' to data type int."),
    ]:
        message = fails(driver, number, said, lambda text=text: query(connection, text))
        if said not in message:
            raise AssertionError(f"{message} has not {said}")
        equal(query(connection, "SELECT 1"), [(1,)], text)
    run(connection, "CREATE TABLE #k (id int PRIMARY KEY)")
    run(connection, "INSERT INTO #k VALUES (1)")
    fails(driver, 2627, "Violation of PRIMARY KEY", lambda: run(connection, "INSERT INTO #k VALUES (1)"))
    fails(driver, 515, "Cannot insert the value NULL", lambda: run(connection, "INSERT INTO #k VALUES (NULL)"))
    connection.close()


@check
def transactions_are_the_drivers_own(driver):
    connection = driver.connect(autocommit=False)
    other = driver.connect()
    name = f"tempdb.dbo.t_{type(driver).__name__}_{'tls' if driver.encrypted else 'plain'}"
    run(other, f"IF OBJECT_ID('{name}') IS NOT NULL DROP TABLE {name}")
    run(other, f"CREATE TABLE {name} (v int)")
    run(connection, f"INSERT INTO {name} VALUES (1)")
    equal(query(connection, "SELECT @@TRANCOUNT"), [(1,)])
    connection.rollback()
    run(connection, f"INSERT INTO {name} VALUES (2)")
    connection.commit()
    equal(query(other, f"SELECT v FROM {name}"), [(2,)])
    # Committed and at once in the next one: what is written now goes with the connection.
    run(connection, f"INSERT INTO {name} VALUES (3)")
    connection.close()
    equal(query(other, f"SELECT v FROM {name}"), [(2,)])
    run(other, f"DROP TABLE {name}")
    other.close()


@check
def a_statement_runs_many_times_with_other_parameters(driver):
    connection = driver.connect()
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE #m (id int, v nvarchar(20))")
    rows = [(n, f"Zeile {n} é") for n in range(50)]
    cursor.executemany(f"INSERT INTO #m VALUES ({driver.mark_all(2)})", rows)
    cursor.close()
    equal(query(connection, "SELECT id, v FROM #m ORDER BY id"), rows)
    for n in (3, 30):
        equal(query(connection, f"SELECT v FROM #m WHERE id = {driver.mark}", n), [(rows[n][1],)])
    connection.close()


@check
def a_procedure_gives_rows_output_parameters_and_a_status(driver):
    connection = driver.connect()
    run(connection, "CREATE OR ALTER PROCEDURE quiet @in int, @out nvarchar(20) OUTPUT AS SET @out = CONCAT(N'é', @in); RETURN 7")
    run(connection, "CREATE OR ALTER PROCEDURE p @in int, @out nvarchar(20) OUTPUT AS SELECT @in * 2 AS doubled; DECLARE @s int; EXEC @s = quiet @in, @out OUTPUT; RETURN @s")
    driver.call(connection)
    connection.close()


@check
def packets_of_other_sizes_carry_the_same(driver):
    if not driver.sizes:
        return
    for size in driver.packet_sizes():
        connection = driver.connect(packet=size)
        text = "Größe 漢字 " * 5000
        equal(query(connection, f"SELECT CAST({driver.mark} AS nvarchar(max))", text), [(text,)], f"{size}")
        told = query(connection, "SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID")
        # With TLS a packet has to fit into one record.
        equal(told, [(min(size, 16383) if driver.encrypted else size,)])
        connection.close()


@check
def a_waiting_and_a_working_statement_can_be_cancelled(driver):
    if not driver.cancels:
        return
    connection = driver.connect()
    long = (
        "SELECT COUNT_BIG(*) FROM sys.all_columns a CROSS JOIN sys.all_columns b CROSS JOIN sys.all_columns c"
    )
    for text in ("WAITFOR DELAY '00:01:00'", long):
        began = time.monotonic()
        driver.cancelled(connection, text)
        if time.monotonic() - began > 30:
            raise AssertionError(f"{text} ran on")
        equal(query(connection, "SELECT 1"), [(1,)], text)
    connection.close()


@check
def a_client_that_leaves_in_the_middle_ends_its_work(driver):
    """The socket closes under a running batch; the server rolls back and lets the locks go."""
    connection = driver.connect()
    name = f"tempdb.dbo.g_{type(driver).__name__}_{'tls' if driver.encrypted else 'plain'}"
    run(connection, f"IF OBJECT_ID('{name}') IS NOT NULL DROP TABLE {name}")
    run(connection, f"CREATE TABLE {name} (v int)")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from drivers import DRIVERS; "
        "d = DRIVERS[sys.argv[2]](sys.argv[3] == 'tls'); c = d.connect(); k = c.cursor(); "
        f"k.execute(\"BEGIN TRAN; INSERT INTO {name} VALUES (1)\"); print('in', flush=True); "
        "k.execute(\"WAITFOR DELAY '00:01:00'\")"
    )
    mode = "tls" if driver.encrypted else "plain"
    child = subprocess.Popen(
        [sys.executable, "-c", code, sys.path[0], driver.name, mode], stdout=subprocess.PIPE
    )
    equal(child.stdout.readline(), b"in\n")
    time.sleep(0.2)
    child.kill()
    child.wait()
    run(connection, "SET LOCK_TIMEOUT 30000")
    equal(query(connection, f"SELECT COUNT(*) FROM {name}"), [(0,)])
    run(connection, f"DROP TABLE {name}")
    connection.close()


@check
def many_connections_one_after_the_other(driver):
    for number in range(20):
        connection = driver.connect()
        equal(query(connection, f"SELECT {number}"), [(number,)])
        connection.close()


@check
def what_only_this_driver_does(driver):
    driver.own(equal, query, run)


def main():
    name, mode = sys.argv[1:3]
    driver = DRIVERS[name](mode == "tls")
    driver.name = name
    only = sys.argv[3:]
    failed = 0
    for function in CHECKS:
        if only and function.__name__ not in only:
            continue
        began = time.monotonic()
        try:
            function(driver)
            print(f"ok {function.__name__} ({time.monotonic() - began:.2f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED {function.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
