"""The Python drivers, each behind the same few calls.

Server, password and certificate come from the environment, as the programs of this workspace take
them. Where a driver cannot do what the others can, its class says so and why.
"""

import datetime as dt
import os
import re
import threading
import time

HOST, PORT = os.environ["SQLCMDSERVER"].split(",")
USER = os.environ["SQLCMDUSER"]
PASSWORD = os.environ["SQLCMDPASSWORD"]
CERTIFICATE = os.environ["WRITELOG_CA_FILE"]


class Driver:
    """What the checks need to know of a driver."""

    mark = "%s"
    # Whether a connection can ask for a packet size.
    sizes = False
    # Whether it understands sql_variant.
    variants = True
    cancels = True

    def __init__(self, encrypted):
        self.encrypted = encrypted

    def packet_sizes(self):
        return (512, 4096, 16384, 32767)

    def mark_all(self, count):
        return ", ".join([self.mark] * count)

    def number(self, error):
        """The server's number of an error, or its text where the driver keeps the number."""
        raise NotImplementedError

    def lacks(self, type_name):
        """Whether it cannot read values of a type."""
        return False

    def cannot_send(self, type_name, value):
        """Whether it has no way to send a value for a type."""
        return False

    def sends_null(self, type_name):
        """Whether None goes as a NULL that a column of this type takes: most drivers send a varchar."""
        return True

    def seen(self, type_name, value):
        """What it makes of a value."""
        return value

    def sent(self, type_name, value):
        """How it wants a value as a parameter."""
        return value

    def call(self, connection):
        """Calls p, which doubles @in, fills @out and returns 7."""
        cursor = connection.cursor()
        cursor.execute(
            "DECLARE @out nvarchar(20), @status int; EXEC @status = p @in = 21, @out = @out OUTPUT; "
            "SELECT @out, @status"
        )
        doubled = [tuple(row) for row in cursor.fetchall()]
        cursor.nextset()
        assert doubled == [(42,)], doubled
        rest = [tuple(row) for row in cursor.fetchall()]
        assert rest == [("é21", 7)], rest

    def cancelled(self, connection, text):
        """Runs a text and cancels it half a second later; the driver reports an error."""
        cursor = connection.cursor()

        def cancel():
            time.sleep(0.5)
            cursor.cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        try:
            cursor.execute(text)
            cursor.fetchall()
        except self.module.Error:
            pass
        else:
            raise AssertionError(f"{text} was not cancelled")
        finally:
            thread.join()
        cursor.close()

    def own(self, equal, query, run):
        """What only this driver can do."""


class Pymssql(Driver):
    """pymssql: FreeTDS's DB-Library. It writes parameters into the text of a statement."""

    variants = False

    def cannot_send(self, type_name, value):
        """It writes times with three digits, and no bytes as an empty text."""
        digits = value.microsecond % 1000 if isinstance(value, dt.datetime | dt.time) else 0
        return value == b"" or digits != 0

    def connect(self, password=PASSWORD, database="master", autocommit=True, **options):
        import pymssql

        self.module = pymssql
        return pymssql.connect(
            server=HOST,
            port=PORT,
            user=USER,
            password=password,
            database=database,
            autocommit=autocommit,
            encryption="require" if self.encrypted else "off",
            login_timeout=20,
            **{key: value for key, value in options.items() if key == "timeout"},
        )

    def number(self, error):
        first = error.args[0]
        return first[0] if isinstance(first, tuple) else first

    def cancelled(self, connection, text):
        """It has no cancel of its own, but a time for statements, after which it cancels."""
        slow = self.connect(timeout=1)
        cursor = slow.cursor()
        try:
            cursor.execute(text)
            cursor.fetchall()
        except self.module.Error:
            pass
        else:
            raise AssertionError(f"{text} was not cancelled")

    def call(self, connection):
        """By protocol, with DB-Library's types."""
        import pymssql

        super().call(connection)
        cursor = connection.cursor()
        out = pymssql.output(str)
        returned = cursor.callproc("quiet", (21, out))
        assert returned[1] == "é21", returned
        assert cursor.returnvalue == 7, cursor.returnvalue

    def own(self, equal, query, run):
        connection = self.connect()
        run(connection, "CREATE TABLE #b (id int NOT NULL, t varchar(20) NULL, f float NULL)")
        rows = [(1, "eins", 0.5), (2, None, None), (3, "drei", -1e300)]
        connection.bulk_copy("#b", rows)
        equal(query(connection, "SELECT id, t, f FROM #b ORDER BY id"), rows)
        connection.close()


class PythonTds(Driver):
    """python-tds: TDS in Python."""

    sizes = True

    def sent(self, type_name, value):
        import pytds

        return pytds.Binary(value) if isinstance(value, bytes) else value

    def sends_null(self, type_name):
        return "binary" not in type_name

    def connect(self, password=PASSWORD, database="master", autocommit=True, packet=4096, **options):
        import pytds

        self.module = pytds
        security = {"cafile": CERTIFICATE, "validate_host": False} if self.encrypted else {}
        return pytds.connect(
            dsn=HOST,
            port=int(PORT),
            user=USER,
            password=password,
            database=database,
            autocommit=autocommit,
            blocksize=packet,
            # It tries again until this time is up.
            login_timeout=20 if database == "master" else 1,
            timeout=options.get("timeout"),
            **security,
        )

    def number(self, error):
        return getattr(error, "number", None) or getattr(error, "msg_no", None) or str(error)

    def call(self, connection):
        """By protocol."""
        import pytds

        super().call(connection)
        cursor = connection.cursor()
        out = pytds.output(param_type="nvarchar(20)")
        cursor.callproc("p", {"@out": out, "@in": 21})
        assert [tuple(row) for row in cursor.fetchall()] == [(42,)]
        returned = cursor.get_proc_outputs()
        assert returned[0] == "é21", returned
        assert cursor.get_proc_return_status() == 7

    def cancelled(self, connection, text):
        """Two threads must not share a connection of it: it cancels when its time is up."""
        slow = self.connect(timeout=1)
        cursor = slow.cursor()
        try:
            cursor.execute(text)
            cursor.fetchall()
        except TimeoutError:
            cursor.cancel()
        else:
            raise AssertionError(f"{text} was not cancelled")
        cursor = slow.cursor()
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]
        slow.close()

    def own(self, equal, query, run):
        import pytds

        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("PRINT 'one'; RAISERROR('two %d', 10, 1, 2); PRINT N'drei é'")
        said = [message[1].args[0] for message in cursor.messages]
        equal(said, ["one", "two 2", "drei é"])
        try:
            cursor.execute("SELECT 1 AS a\n\n\nRAISERROR('at line four', 13, 9)")
            cursor.fetchall()
            cursor.nextset()
        except pytds.Error as error:
            equal((error.number, error.severity, error.state, error.line), (50000, 13, 9, 4))
        else:
            raise AssertionError("no error")
        connection.close()


class Odbc(Driver):
    """What both clients of Microsoft's ODBC driver share."""

    mark = "?"

    def text(self, password, database, packet, more):
        security = "Encrypt=yes;TrustServerCertificate=yes" if self.encrypted else "Encrypt=no"
        size = f"PacketSize={packet};" if packet and self.sizes else ""
        return (
            f"Server={HOST},{PORT};UID={USER};PWD={password};Database={database};{size}"
            f"{security};{more}"
        )

    def number(self, error):
        found = re.findall(r"\((\d+)\) \(SQL", str(error))
        return int(found[0]) if found else str(error)

    def sends_null(self, type_name):
        return "binary" not in type_name

    def several_at_a_time(self, equal, query):
        """Is refused politely: the connection works, and has one result at a time."""
        connection = self.connect(more="MARS_Connection=yes;")
        equal(query(connection, "SELECT 1"), [(1,)])
        first = connection.cursor()
        first.execute("SELECT name FROM sys.all_columns")
        second = connection.cursor()
        try:
            second.execute("SELECT 2")
        except self.module.Error as error:
            assert "busy with results for another command" in str(error), error
        else:
            raise AssertionError("two results at a time")
        first.close()
        second.close()
        equal(query(connection, "SELECT 3"), [(3,)])
        connection.close()


class MssqlPython(Odbc):
    """mssql-python: Microsoft's driver, which brings ODBC Driver 18."""

    def connect(self, password=PASSWORD, database="master", autocommit=True, more="", **options):
        import mssql_python

        self.module = mssql_python
        text = self.text(password, database, None, more)
        return mssql_python.connect(text, autocommit=autocommit)

    def cannot_send(self, type_name, value):
        """It refuses dates that the old datetime does not have."""
        return isinstance(value, dt.date) and value.year < 1753

    def cancelled(self, connection, text):
        """It has no cancel of its own, but a time for statements, after which it cancels."""
        slow = self.connect()
        slow.timeout = 1
        cursor = slow.cursor()
        try:
            cursor.execute(text)
            cursor.fetchall()
        except self.module.Error:
            pass
        else:
            raise AssertionError(f"{text} was not cancelled")
        cursor = slow.cursor()
        cursor.execute("SELECT 1")
        assert cursor.fetchall()[0][0] == 1
        slow.close()

    def own(self, equal, query, run):
        connection = self.connect()
        cursor = connection.cursor()
        name = f"b_{'tls' if self.encrypted else 'plain'}"
        run(connection, f"IF OBJECT_ID('{name}') IS NOT NULL DROP TABLE {name}")
        run(connection, f"CREATE TABLE {name} (v bigint NULL, t nvarchar(30) NULL, d date NULL)")
        rows = [(2**40, "é", dt.date(2024, 2, 29)), (None, None, None), (-5, "漢字", None)]
        cursor.bulkcopy(name, rows)
        found = [tuple(row) for row in query(connection, f"SELECT v, t, d FROM {name}")]
        equal(found, rows)
        run(connection, f"DROP TABLE {name}")
        connection.close()


class Pyodbc(Odbc):
    """pyodbc on the library that mssql-python brings."""

    sizes = True
    variants = False

    def connect(self, password=PASSWORD, database="master", autocommit=True, packet=None, more="", **_):
        import glob

        import mssql_python_odbc
        import pyodbc

        self.module = pyodbc
        folder = os.path.dirname(mssql_python_odbc.__file__)
        pattern = f"{folder}/**/debian_ubuntu/*/**/libmsodbcsql*.so*"
        library = glob.glob(pattern, recursive=True)[0]
        text = self.text(password, database, packet, more)
        return pyodbc.connect(f"Driver={{{library}}};{text}", autocommit=autocommit, timeout=20)

    def packet_sizes(self):
        """The driver's own TLS takes somewhat less than a record."""
        return (512, 4096, 16000) if self.encrypted else super().packet_sizes()

    def lacks(self, type_name):
        """It has no Python type for ODBC's datetimeoffset."""
        return type_name.startswith("datetimeoffset")

    def seen(self, type_name, value):
        """An identifier comes as a text."""
        return str(value).upper() if type_name == "uniqueidentifier" else value

    def cannot_send(self, type_name, value):
        """A time goes without its fraction."""
        return isinstance(value, dt.time) and value.microsecond != 0

    def own(self, equal, query, run):
        self.several_at_a_time(equal, query)


DRIVERS = {
    "pymssql": Pymssql,
    "python-tds": PythonTds,
    "mssql-python": MssqlPython,
    "pyodbc": Pyodbc,
}
