// tedious against a server, each check a function of its own.
//
//     node tedious.js FOLDER plain|tls      (FOLDER has node_modules)
//
// The server is that of the environment. One line a check; exit code 1 where one failed.
"use strict";

const assert = require("node:assert");
const path = require("node:path");
const { createRequire } = require("node:module");

const [folder, mode, ...only] = process.argv.slice(2);
const { Connection, Request, TYPES, ISOLATION_LEVEL } = createRequire(path.join(folder, "x.js"))("tedious");
const [host, port] = process.env.SQLCMDSERVER.split(",");
const encrypted = mode === "tls";

function connect(options = {}, password = process.env.SQLCMDPASSWORD) {
  const connection = new Connection({
    server: host,
    authentication: { type: "default", options: { userName: process.env.SQLCMDUSER, password } },
    options: {
      port: Number(port),
      encrypt: encrypted,
      trustServerCertificate: true,
      serverName: "localhost",
      database: "master",
      rowCollectionOnRequestCompletion: false,
      useUTC: true,
      requestTimeout: 60000,
      ...options,
    },
  });
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

// Runs a request and gives its rows, their count, OUTPUT values and messages.
function run(connection, text, { parameters = [], outputs = [], method = "execSql", during } = {}) {
  return new Promise((resolve, reject) => {
    const result = { rows: [], outputs: {}, messages: [], sets: [] };
    const request = new Request(text, (error, count) => {
      connection.off("infoMessage", listen);
      result.count = count;
      if (error) reject(Object.assign(error, { result }));
      else resolve(result);
    });
    const listen = (message) => result.messages.push(message);
    connection.on("infoMessage", listen);
    for (const [name, type, value, options] of parameters) request.addParameter(name, type, value, options);
    for (const [name, type, options] of outputs) request.addOutputParameter(name, type, null, options);
    request.on("columnMetadata", (columns) => result.sets.push(columns.map((c) => c.colName)));
    request.on("row", (columns) => result.rows.push(columns.map((c) => c.value)));
    request.on("returnValue", (name, value) => (result.outputs[name] = value));
    request.on("doneProc", (count, more, status) => (result.status = status));
    connection[method](request);
    if (during) during(request);
  });
}

const close = (connection) =>
  new Promise((resolve) => {
    connection.on("end", resolve);
    connection.close();
  });

const fails = async (number, work) => {
  try {
    await work();
  } catch (error) {
    assert.strictEqual(error.number ?? error.code, number, error.message);
    return error;
  }
  throw new Error(`no error ${number}`);
};

const day = (text) => new Date(`${text}Z`);
// Type, parameter's options, value, and what comes back where it is another.
const VALUES = [
  ["Bit", {}, true],
  ["Bit", {}, false],
  ["TinyInt", {}, 255],
  ["SmallInt", {}, -32768],
  ["Int", {}, -2147483648],
  ["Int", {}, 2147483647],
  ["BigInt", {}, "9223372036854775807"],
  ["BigInt", {}, "-9223372036854775808"],
  ["Real", {}, -1.5],
  ["Float", {}, 1.7976931348623157e308],
  ["Float", {}, 0.1],
  ["Decimal", { precision: 15, scale: 4 }, -12345678901.2345],
  ["Numeric", { precision: 38, scale: 0 }, 9007199254740991],
  ["Money", {}, -922337203.5807],
  ["VarChar", { length: 50 }, "Größe 3 €"],
  ["VarChar", { length: Infinity }, "x".repeat(100000)],
  ["NVarChar", { length: 50 }, "漢字 наука 😀𝄞"],
  ["NVarChar", { length: 50 }, ""],
  ["NVarChar", { length: Infinity }, "é漢😀".repeat(400000)],
  ["Char", { length: 5 }, "ab", "ab   "],
  ["NChar", { length: 5 }, "ä漢", "ä漢   "],
  ["Binary", { length: 4 }, Buffer.from([1, 255, 0, 128])],
  ["VarBinary", { length: 256 }, Buffer.from(Array.from({ length: 256 }, (_, n) => n))],
  ["VarBinary", { length: Infinity }, Buffer.alloc(5 << 20, 7)],
  ["Date", {}, day("0001-01-01T00:00:00")],
  ["Date", {}, day("9999-12-31T00:00:00")],
  ["SmallDateTime", {}, day("2079-06-06T23:59:00")],
  ["DateTime", {}, day("9999-12-31T23:59:59.990")],
  ["DateTime2", { scale: 7 }, day("9999-12-31T23:59:59.999")],
  ["DateTime2", { scale: 0 }, day("0001-01-01T00:00:00")],
  ["DateTimeOffset", { scale: 3 }, day("2024-02-29T12:30:00.123")],
  ["Time", { scale: 7 }, day("1970-01-01T23:59:59.999")],
  ["UniqueIdentifier", {}, "01234567-89AB-CDEF-FEDC-BA9876543210"],
];

const same = (found, expected, what) => {
  const plain = (v) => (v instanceof Date ? v.getTime() : v);
  if (Buffer.isBuffer(expected)) assert.ok(expected.equals(found), what);
  else assert.ok(Object.is(plain(found), plain(expected)), `${what}: ${String(found).slice(0, 80)}`);
};

const CHECKS = {
  async the_connection_is_as_encrypted_as_asked() {
    const connection = await connect();
    const text = "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID";
    assert.deepStrictEqual((await run(connection, text)).rows, [[encrypted ? "TRUE" : "FALSE"]]);
    await close(connection);
    const refused = await fails("ELOGIN", () => connect({}, "wrong"));
    assert.match(refused.message, /Login failed for user/);
  },

  async every_type_goes_and_comes_back() {
    const connection = await connect();
    for (const [name, options, value, seen = value] of VALUES) {
      const { rows } = await run(connection, "SELECT @v, @n", {
        parameters: [["v", TYPES[name], value, options], ["n", TYPES[name], null, options]],
      });
      same(rows[0][0], seen, `${name} ${String(value).slice(0, 40)}`);
      assert.strictEqual(rows[0][1], null, name);
    }
    await close(connection);
  },

  async a_prepared_statement_runs_again_and_is_given_up() {
    const connection = await connect();
    const request = new Request("SELECT @a * 2, @t", () => {});
    request.addParameter("a", TYPES.Int);
    request.addParameter("t", TYPES.NVarChar);
    const step = (work, parameters) =>
      new Promise((resolve, reject) => {
        const rows = [];
        request.removeAllListeners("row");
        request.on("row", (columns) => rows.push(columns.map((c) => c.value)));
        request.callback = (error) => (error ? reject(error) : resolve(rows));
        connection[work](request, parameters);
      });
    await new Promise((resolve, reject) => {
      request.once("prepared", resolve);
      request.once("error", reject);
      connection.prepare(request);
    });
    assert.deepStrictEqual(await step("execute", { a: 21, t: "é" }), [[42, "é"]]);
    assert.deepStrictEqual(await step("execute", { a: -1, t: null }), [[-2, null]]);
    await step("unprepare");
    assert.deepStrictEqual((await run(connection, "SELECT 1")).rows, [[1]]);
    await close(connection);
  },

  async results_counts_and_messages_come_in_order() {
    const connection = await connect();
    const text =
      "PRINT 'one'; SELECT 1 AS a; RAISERROR('two', 10, 7); SELECT 2 AS b, 3 AS c; PRINT N'drei é'";
    const { rows, sets, messages } = await run(connection, text, { method: "execSqlBatch" });
    assert.deepStrictEqual(rows, [[1], [2, 3]]);
    assert.deepStrictEqual(sets, [["a"], ["b", "c"]]);
    assert.deepStrictEqual(messages.map((m) => m.message), ["one", "two", "drei é"]);
    assert.deepStrictEqual(messages.map((m) => [m.number, m.class, m.state]), [[0, 0, 1], [50000, 10, 7], [0, 0, 1]]);
    await run(connection, "CREATE TABLE #n (v int); ", { method: "execSqlBatch" });
    const inserted = await run(connection, "INSERT INTO #n VALUES (1), (2), (3)", { method: "execSqlBatch" });
    assert.strictEqual(inserted.count, 3);
    await close(connection);
  },

  async errors_have_number_severity_state_line_and_procedure() {
    const connection = await connect();
    const create = "CREATE OR ALTER PROCEDURE fails_at_three AS\nSELECT 1\nRAISERROR('here', 14, 6)";
    await run(connection, create, { method: "execSqlBatch" });
    const error = await fails(50000, () => run(connection, "fails_at_three", { method: "callProcedure" }));
    assert.deepStrictEqual(
      [error.class, error.state, error.lineNumber, error.procName],
      [14, 6, 3, "fails_at_three"],
    );
    const zero = await fails(8134, () => run(connection, "\n\nSELECT 1/0", { method: "execSqlBatch" }));
    assert.deepStrictEqual([zero.class, zero.state, zero.lineNumber], [16, 1, 3]);
    await fails(208, () => run(connection, "SELECT * FROM nowhere"));
    assert.deepStrictEqual((await run(connection, "SELECT 1")).rows, [[1]]);
    await close(connection);
  },

  async a_procedure_gives_outputs_and_a_status() {
    const connection = await connect();
    const create =
      "CREATE OR ALTER PROCEDURE doubles @in int, @out nvarchar(20) OUTPUT, @sum decimal(10,2) OUTPUT AS " +
      "SELECT @in * 2; SET @out = CONCAT(N'é', @in); SET @sum = 1.25; RETURN 7";
    await run(connection, create, { method: "execSqlBatch" });
    const { rows, outputs, status } = await run(connection, "doubles", {
      method: "callProcedure",
      parameters: [["in", TYPES.Int, 21]],
      outputs: [["out", TYPES.NVarChar, {}], ["sum", TYPES.Decimal, { precision: 10, scale: 2 }]],
    });
    assert.deepStrictEqual([rows, outputs, status], [[[42]], { out: "é21", sum: 1.25 }, 7]);
    await close(connection);
  },

  async transactions_go_by_protocol() {
    const connection = await connect();
    const step = (work, ...more) =>
      new Promise((resolve, reject) => connection[work]((error) => (error ? reject(error) : resolve()), ...more));
    await run(connection, "CREATE TABLE #t (v int)", { method: "execSqlBatch" });
    const rows = async () => (await run(connection, "SELECT v FROM #t ORDER BY v")).rows.flat();
    await step("beginTransaction", "first", ISOLATION_LEVEL.SERIALIZABLE);
    const level = "SELECT transaction_isolation_level, @@TRANCOUNT FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    assert.deepStrictEqual((await run(connection, level)).rows, [[4, 1]]);
    await run(connection, "INSERT INTO #t VALUES (1)");
    await step("saveTransaction", "here");
    await run(connection, "INSERT INTO #t VALUES (2)");
    await step("rollbackTransaction", "here");
    assert.deepStrictEqual(await rows(), [1]);
    await step("commitTransaction");
    await step("beginTransaction");
    await run(connection, "INSERT INTO #t VALUES (3)");
    await step("rollbackTransaction");
    assert.deepStrictEqual(await rows(), [1]);
    assert.deepStrictEqual((await run(connection, "SELECT @@TRANCOUNT")).rows, [[0]]);
    await close(connection);
  },

  async rows_load_in_bulk() {
    const connection = await connect();
    await run(
      connection,
      "CREATE TABLE #b (id int NOT NULL PRIMARY KEY, t nvarchar(50) NULL, d datetime2(3) NULL DEFAULT '2000-01-01', b varbinary(max) NULL)",
      { method: "execSqlBatch" },
    );
    const rows = [];
    for (let id = 0; id < 3000; id++)
      rows.push([id, id % 3 ? `Zeile ${id} é` : null, day("2024-02-29T12:30:00.123"), Buffer.alloc(id % 50, id)]);
    const load = (some, options = {}) =>
      new Promise((resolve, reject) => {
        const bulk = connection.newBulkLoad("#b", options, (error, count) => (error ? reject(error) : resolve(count)));
        bulk.addColumn("id", TYPES.Int, { nullable: false });
        bulk.addColumn("t", TYPES.NVarChar, { length: 50, nullable: true });
        bulk.addColumn("d", TYPES.DateTime2, { scale: 3, nullable: true });
        bulk.addColumn("b", TYPES.VarBinary, { length: Infinity, nullable: true });
        connection.execBulkLoad(bulk, some);
      });
    assert.strictEqual(await load(rows), 3000);
    const { rows: found } = await run(connection, "SELECT id, t, d, b FROM #b ORDER BY id");
    found.forEach((row, id) => row.forEach((value, place) => same(value, rows[id][place], `${id}.${place}`)));
    assert.strictEqual(found.length, 3000);
    // All rows or none.
    await fails(2627, () => load([[5000, "x", null, null], [1, "twice", null, null]]));
    assert.deepStrictEqual((await run(connection, "SELECT COUNT(*) FROM #b")).rows, [[3000]]);
    // A NULL takes the column's default, unless NULLs are to be kept.
    await load([[5001, null, null, null]]);
    await load([[5002, null, null, null]], { keepNulls: true });
    const text = "SELECT CONVERT(varchar(10), d, 120) FROM #b WHERE id > 5000 ORDER BY id";
    assert.deepStrictEqual((await run(connection, text)).rows, [["2000-01-01"], [null]]);
    await close(connection);
  },

  async a_statement_can_be_cancelled() {
    const connection = await connect();
    const long = "SELECT COUNT_BIG(*) FROM sys.all_columns a CROSS JOIN sys.all_columns b CROSS JOIN sys.all_columns c";
    for (const text of ["WAITFOR DELAY '00:00:50'", long, "SELECT a.name FROM sys.all_columns a CROSS JOIN sys.all_columns b"]) {
      const began = Date.now();
      const during = () => setTimeout(() => connection.cancel(), 300);
      await fails("ECANCEL", () => run(connection, text, { method: "execSqlBatch", during }));
      assert.ok(Date.now() - began < 30000, text);
      assert.deepStrictEqual((await run(connection, "SELECT 1")).rows, [[1]]);
    }
    await close(connection);
  },

  async a_reset_connection_is_as_new() {
    const connection = await connect();
    await run(connection, "CREATE TABLE #left (v int); SET LOCK_TIMEOUT 77; USE tempdb; BEGIN TRAN", { method: "execSqlBatch" });
    await new Promise((resolve, reject) => connection.reset((error) => (error ? reject(error) : resolve())));
    const text = "SELECT OBJECT_ID('tempdb..#left'), @@LOCK_TIMEOUT, DB_NAME(), @@TRANCOUNT";
    assert.deepStrictEqual((await run(connection, text)).rows, [[null, -1, "master", 0]]);
    await close(connection);
  },

  async packets_have_the_size_asked_for() {
    for (const packetSize of [512, 4096, 16384, 32767]) {
      const connection = await connect({ packetSize });
      const value = "é漢😀 ".repeat(20000);
      const text = "SELECT net_packet_size, @v FROM sys.dm_exec_connections WHERE session_id = @@SPID";
      const { rows } = await run(connection, text, { parameters: [["v", TYPES.NVarChar, value]] });
      // With TLS a packet has to fit into one record.
      assert.strictEqual(rows[0][0], encrypted ? Math.min(packetSize, 16383) : packetSize);
      same(rows[0][1], value, `${packetSize}`);
      await close(connection);
    }
  },
};

(async () => {
  let failed = 0;
  const names = Object.keys(CHECKS).filter((name) => !only.length || only.includes(name));
  for (const name of names) {
    const began = Date.now();
    try {
      await CHECKS[name]();
      console.log(`ok ${name} (${(Date.now() - began) / 1000} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
  console.log(`${names.length - failed} of ${names.length} checks passed`);
  process.exit(failed ? 1 : 0);
})();
