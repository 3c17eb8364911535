"""The Python drivers, each behind the same few calls.

Server, password and certificate come from the environment, as the programs of this workspace take
them. Where a driver cannot do what the others can, its class says so and why.
"""

import datetime as dt
import os
import re
import threading
import time
import uuid
from decimal import Decimal

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

    def mark_all(self, count):
        return ", ".join([self.mark] * count)

    def number(self, error):
        """The server's number of an error, or its text where the driver keeps the number."""
        raise NotImplementedError

    def lacks(self, type_name):
        """Whether it cannot read values of a type."""
        return False

    def cannot_send(self, type_name, value):
        return False

    def seen(self, type_name, value):
        """What it makes of a value."""
        return value

    def sent(self, type_name, value):
        """How it wants a value as a parameter."""
        return value

    def call(self, connection):
        """Calls #p, which doubles @in, fills @out and returns 7."""
        cursor = connection.cursor()
        cursor.execute(
            "DECLARE @out nvarchar(20), @status int; EXEC @status = #p @in = 21, @out = @out OUTPUT; "
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
        returned = cursor.callproc("#p", (21, out))
        assert [tuple(row) for row in cursor.fetchall()] == [(42,)]
        cursor.nextset()
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
            login_timeout=20,
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
        returned = cursor.callproc("#p", (21, out))
        assert [tuple(row) for row in cursor.fetchall()] == [(42,)]
        assert returned[1] == "é21", returned
        assert cursor.get_proc_return_status() == 7

    def own(self, equal, query, run):
        import pytds

        connection = self.connect()
        cursor = connection.cursor()
        cursor.execute("PRINT 'one'; RAISERROR('two %d', 10, 1, 2); PRINT N'drei é'")
        said = [message[1].message for message in cursor.messages]
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

    def own(self, equal, query, run):
        """Several results at a time are refused politely: the session has none of them."""
        connection = self.connect(more="MARS_Connection=yes;")
        equal(query(connection, "SELECT 1"), [(1,)])
        first = connection.cursor()
        first.execute("SELECT name FROM sys.all_columns")
        second = connection.cursor()
        try:
            second.execute("SELECT 2")
            second.fetchall()
        except self.module.Error:
            pass
        first.close()
        second.close()
        equal(query(connection, "SELECT 3"), [(3,)])
        connection.close()


class MssqlPython(Odbc):
    """mssql-python: Microsoft's driver, which brings ODBC Driver 18."""

    def connect(self, password=PASSWORD, database="master", autocommit=True, more="", **options):
        import mssql_python

        self.module = mssql_python
        more = {key: value for key, value in options.items() if key == "timeout"}, more
        text = self.text(password, database, None, more[1])
        return mssql_python.connect(text, autocommit=autocommit, **more[0])

    def cancelled(self, connection, text):
        """It cancels by time."""
        slow = self.connect(timeout=1)
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
        super().own(equal, query, run)
        connection = self.connect()
        cursor = connection.cursor()
        for type_name, size in [("int", 4), ("bigint", 8)]:
            cursor.execute(f"CREATE TABLE #b{size} (v {type_name} NULL, t nvarchar(30) NULL)")
            cursor.bulkcopy(f"#b{size}", [(1, "é"), (None, None), (-5, "漢字")])
            found = [tuple(row) for row in query(connection, f"SELECT v, t FROM #b{size}")]
            equal(found, [(1, "é"), (None, None), (-5, "漢字")])
        connection.close()


class Pyodbc(Odbc):
    """pyodbc on the library that mssql-python brings."""

    sizes = True

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

    def lacks(self, type_name):
        """It has no Python type for ODBC's datetimeoffset."""
        return type_name.startswith("datetimeoffset")


DRIVERS = {
    "pymssql": Pymssql,
    "python-tds": PythonTds,
    "mssql-python": MssqlPython,
    "pyodbc": Pyodbc,
}
