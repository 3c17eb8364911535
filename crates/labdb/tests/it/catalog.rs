//! The catalog shows what was declared.

use super::harness::Lab;

#[test]
fn the_information_schema_shows_constraints_procedures_and_parameters() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE shown");
    s.exec("USE shown");
    s.exec(
        "CREATE TABLE t (a int NOT NULL, b varchar(20) NOT NULL, c decimal(9, 2) DEFAULT 0, \
         CONSTRAINT pk_t PRIMARY KEY (b, a), CONSTRAINT uq_t UNIQUE (c), \
         CONSTRAINT ck_t CHECK (a > 0))",
    );
    s.exec("CREATE PROCEDURE p @n nvarchar(30), @o decimal(9, 2) OUTPUT AS SET @o = 1");
    assert_eq!(
        s.column(
            "SELECT CONCAT(CONSTRAINT_SCHEMA, '.', CONSTRAINT_NAME, ' of ', TABLE_NAME, ': ', \
             CONSTRAINT_TYPE) FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS ORDER BY CONSTRAINT_NAME"
        ),
        "dbo.ck_t of t: CHECK,dbo.pk_t of t: PRIMARY KEY,dbo.uq_t of t: UNIQUE"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(k.CONSTRAINT_NAME, ORDINAL_POSITION, COLUMN_NAME) FROM \
             INFORMATION_SCHEMA.KEY_COLUMN_USAGE k JOIN INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE \
             u ON u.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND u.TABLE_NAME = k.TABLE_NAME \
             ORDER BY k.CONSTRAINT_NAME, ORDINAL_POSITION"
        ),
        "pk_t1b,pk_t2a,uq_t1c"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(ORDINAL_POSITION, PARAMETER_MODE, PARAMETER_NAME, ' ', DATA_TYPE, ' ', \
             CHARACTER_MAXIMUM_LENGTH, ' ', CHARACTER_OCTET_LENGTH, ' ', NUMERIC_PRECISION, ' ', \
             NUMERIC_SCALE, CHARACTER_SET_NAME) FROM INFORMATION_SCHEMA.PARAMETERS ORDER BY 1"
        ),
        "1IN@n nvarchar 30 60  UNICODE,2INOUT@o decimal   9 2"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(SPECIFIC_NAME, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY, \
             SQL_DATA_ACCESS, DATEDIFF(day, CREATED, LAST_ALTERED)) FROM \
             INFORMATION_SCHEMA.ROUTINES"
        ),
        "ppPROCEDURESQLMODIFIES0"
    );
    assert_eq!(
        s.int("SELECT COUNT(*) FROM INFORMATION_SCHEMA.VIEWS v, sys.foreign_keys, sys.triggers"),
        0
    );
    // Every view has as many values in a row as columns: the last ones are read from each.
    assert_eq!(
        s.column(
            "SELECT CONCAT(c.name, c.is_dropped_ledger_column, c.is_hidden, d.name) FROM \
             sys.all_columns c LEFT JOIN sys.default_constraints d ON d.object_id = \
             c.default_object_id WHERE c.object_id = OBJECT_ID('t') AND c.default_object_id = 0 \
             ORDER BY c.column_id"
        ),
        "a00,b00"
    );
    assert_eq!(
        s.column("SELECT CONCAT(name, skips_repl_constraints) FROM sys.procedures"),
        "p0"
    );
    assert_eq!(
        s.column("SELECT CONCAT(name, is_output, is_nullable) FROM sys.parameters"),
        "@n01,@o11"
    );
}

#[test]
fn definitions_and_index_options_are_shown_as_declared() {
    let mut lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE shown");
    s.exec("USE shown");
    s.exec(
        "CREATE TABLE t (a int NOT NULL DEFAULT 1, b varchar(9) DEFAULT ('x'), c datetime DEFAULT \
         GETDATE(), d int CHECK (d > 0), CONSTRAINT pk PRIMARY KEY (a) WITH (FILLFACTOR = 80))",
    );
    s.exec("CREATE INDEX i ON t (b) WITH (FILLFACTOR = 70, PAD_INDEX = ON)");
    s.exec("CREATE INDEX j ON t (c)");
    s.exec("ALTER INDEX j ON t REBUILD WITH (FILLFACTOR = 90)");
    assert_eq!(
        s.error("CREATE INDEX k ON t (d) WITH (FILLFACTOR = 101)"),
        129
    );
    drop(s);
    lab.restart();
    let mut s = lab.connect();
    s.exec("USE shown");
    assert_eq!(
        s.column(
            "SELECT definition FROM sys.default_constraints UNION ALL SELECT definition FROM \
             sys.check_constraints ORDER BY 1"
        ),
        "('x'),((1)),([d]>(0)),(getdate())"
    );
    assert_eq!(
        s.column("SELECT CONCAT(name, fill_factor, '/', is_padded) FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY name"),
        "i70/1,j90/0,pk80/0"
    );
    s.exec("INSERT t (d) VALUES (5)");
    assert_eq!(s.error("INSERT t (a, d) VALUES (2, 0)"), 547);
    assert_eq!(s.column("SELECT CONCAT(a, b, d) FROM t"), "1x5");
}
