//! Statements.

use super::security::{CreateLogin, LoginChange, Permission, RoleChange};
use super::{
    AlterDatabase, Backup, ColumnDefinition, CreateDatabase, CursorName, DeclareCursor, Expr,
    IndexColumn, IndexOption, ObjectName, ProcedureParameter, Query, Restore, TableConstraint,
    TableDefinition, TableSource, Top, TypeName,
};

/// A parsed batch.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Batch {
    /// Its statements, in order.
    pub statements: Vec<Statement>,
}

/// A statement and where it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The line in the batch, from 1.
    pub line: u32,
    /// What it does.
    pub kind: StatementKind,
}

/// Every kind of statement in the subset.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// A query as a statement.
    Select(Query),
    /// INSERT.
    Insert(Box<Insert>),
    /// INSERT BULK.
    InsertBulk(Box<super::InsertBulk>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// TRUNCATE TABLE.
    Truncate(ObjectName),
    /// DECLARE of scalars.
    Declare(Vec<VariableDeclaration>),
    /// DECLARE @t TABLE (…).
    DeclareTable {
        /// With the `@`.
        name: String,
        /// The columns.
        columns: Vec<ColumnDefinition>,
        /// Keys.
        constraints: Vec<TableConstraint>,
    },
    /// SET @v = e.
    SetVariable(Assignment),
    /// SET NOCOUNT ON and its like: names upper case, joined by blanks
    /// (`TRANSACTION ISOLATION LEVEL`, `NOCOUNT`, `IDENTITY_INSERT`); several names share a value.
    SetOption {
        /// The option's names.
        names: Vec<String>,
        /// `IDENTITY_INSERT`'s table.
        table: Option<ObjectName>,
        /// ON, OFF, a number, or words.
        value: OptionValue,
    },
    /// IF.
    If {
        /// The condition.
        condition: Expr,
        /// If it is true.
        then: Box<Statement>,
        /// If it is not.
        otherwise: Option<Box<Statement>>,
    },
    /// WHILE.
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// BREAK.
    Break,
    /// CONTINUE.
    Continue,
    /// BEGIN … END.
    Block(Vec<Statement>),
    /// BEGIN TRY … END TRY BEGIN CATCH … END CATCH.
    TryCatch {
        /// The tried statements.
        body: Vec<Statement>,
        /// The handler.
        handler: Vec<Statement>,
    },
    /// THROW n, text, state; or THROW alone.
    Throw(Option<(Expr, Expr, Expr)>),
    /// RAISERROR.
    Raiserror {
        /// Text or number.
        message: Expr,
        /// Severity.
        severity: Expr,
        /// State.
        state: Expr,
        /// What fills the `%` places.
        arguments: Vec<Expr>,
        /// WITH LOG, NOWAIT, SETERROR: upper case.
        options: Vec<String>,
    },
    /// PRINT.
    Print(Expr),
    /// WAITFOR DELAY or TIME.
    Waitfor(Waiting),
    /// RETURN.
    Return(Option<Expr>),
    /// GOTO.
    Goto(String),
    /// `label:`.
    Label(String),
    /// USE.
    Use(String),
    /// BEGIN TRANSACTION. WITH MARK is taken and not kept: no restore stops at a mark.
    BeginTransaction {
        /// Its name.
        name: Option<TransactionName>,
    },
    /// COMMIT.
    Commit {
        /// Its name.
        name: Option<TransactionName>,
        /// WITH (`DELAYED_DURABILITY` = ON|OFF), where written.
        delayed_durability: Option<bool>,
    },
    /// ROLLBACK.
    Rollback {
        /// A transaction's or savepoint's name.
        name: Option<TransactionName>,
    },
    /// SAVE TRANSACTION.
    SaveTransaction(TransactionName),
    /// DECLARE … CURSOR.
    DeclareCursor(Box<DeclareCursor>),
    /// OPEN.
    OpenCursor(CursorName),
    /// FETCH NEXT; its INTO has variables, with the `@`.
    FetchCursor(CursorName, Vec<String>),
    /// CLOSE.
    CloseCursor(CursorName),
    /// DEALLOCATE.
    DeallocateCursor(CursorName),
    /// EXEC.
    Execute(Box<Execute>),
    /// CHECKPOINT. The wished duration is taken and not kept.
    Checkpoint,
    /// BACKUP DATABASE or LOG.
    Backup(Box<Backup>),
    /// RESTORE.
    Restore(Box<Restore>),
    /// CREATE DATABASE.
    CreateDatabase(Box<CreateDatabase>),
    /// ALTER DATABASE.
    AlterDatabase(Box<AlterDatabase>),
    /// DROP DATABASE.
    DropDatabase {
        /// The databases.
        names: Vec<String>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// CREATE TABLE.
    CreateTable(Box<TableDefinition>),
    /// ALTER TABLE … ADD columns and constraints.
    AlterTableAdd {
        /// The table.
        table: ObjectName,
        /// New columns.
        columns: Vec<ColumnDefinition>,
        /// New constraints.
        constraints: Vec<TableConstraint>,
    },
    /// ALTER TABLE … DROP COLUMN / CONSTRAINT.
    AlterTableDrop {
        /// The table.
        table: ObjectName,
        /// Columns to drop.
        columns: Vec<String>,
        /// Constraints to drop.
        constraints: Vec<String>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// ALTER TABLE … ALTER COLUMN.
    AlterColumn {
        /// The table.
        table: ObjectName,
        /// The column as it shall be.
        column: ColumnDefinition,
    },
    /// DROP TABLE.
    DropTable {
        /// The tables.
        names: Vec<ObjectName>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// CREATE [UNIQUE] [CLUSTERED] INDEX.
    CreateIndex {
        /// Its name.
        name: String,
        /// UNIQUE.
        unique: bool,
        /// CLUSTERED.
        clustered: bool,
        /// The table.
        table: ObjectName,
        /// The key.
        columns: Vec<IndexColumn>,
        /// INCLUDE.
        include: Vec<String>,
        /// WHERE of a filtered index.
        filter: Option<Expr>,
        /// WITH (…).
        options: Vec<IndexOption>,
    },
    /// ALTER INDEX name|ALL ON t REBUILD|REORGANIZE|DISABLE|SET (…).
    AlterIndex {
        /// The index; none for ALL.
        name: Option<String>,
        /// The table.
        table: ObjectName,
        /// REBUILD, REORGANIZE, DISABLE, SET: upper case.
        action: String,
        /// WITH (…) or SET (…).
        options: Vec<IndexOption>,
    },
    /// DROP INDEX.
    DropIndex {
        /// Index and table.
        indexes: Vec<(String, ObjectName)>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// CREATE [OR ALTER] / ALTER PROCEDURE.
    CreateProcedure {
        /// Its name.
        name: ObjectName,
        /// Its parameters.
        parameters: Vec<ProcedureParameter>,
        /// Its statements; lines count from the batch's first.
        body: Vec<Statement>,
        /// The text as it came, for `sys.sql_modules`.
        text: String,
        /// Whether it may be new.
        create: bool,
        /// Whether it may exist.
        alter: bool,
    },
    /// DROP PROCEDURE.
    DropProcedure {
        /// The procedures.
        names: Vec<ObjectName>,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// CREATE SCHEMA name.
    CreateSchema(String),
    /// DROP SCHEMA.
    DropSchema {
        /// Its name.
        name: String,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// DBCC name (arguments) WITH options.
    Dbcc {
        /// The command, upper case.
        command: String,
        /// Its arguments; a bare word (`LOGSPACE`, a database) is a [`super::Literal::Varchar`].
        arguments: Vec<Expr>,
        /// WITH: upper case.
        options: Vec<String>,
    },
    /// KILL n.
    Kill(Expr),
    /// GRANT, REVOKE, DENY.
    Permission(Box<Permission>),
    /// CREATE LOGIN.
    CreateLogin(Box<CreateLogin>),
    /// ALTER LOGIN.
    AlterLogin {
        /// The login.
        name: String,
        /// What changes.
        change: LoginChange,
    },
    /// DROP LOGIN.
    DropLogin(String),
    /// CREATE USER.
    CreateUser {
        /// The user.
        name: String,
        /// FOR LOGIN; `None` where it is not written: the login of the same name.
        login: Option<String>,
    },
    /// DROP USER.
    DropUser {
        /// The user.
        name: String,
        /// IF EXISTS.
        if_exists: bool,
    },
    /// ALTER SERVER ROLE … ADD or DROP MEMBER.
    AlterServerRole(RoleChange),
    /// ALTER ROLE … ADD or DROP MEMBER.
    AlterRole(RoleChange),
    /// UPDATE STATISTICS and other maintenance that changes nothing that is measured.
    UpdateStatistics(ObjectName),
    /// RECONFIGURE.
    Reconfigure,
}

/// What a SET option is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// ON or OFF.
    Switch(bool),
    /// A value (`SET TEXTSIZE 4096`, `SET LOCK_TIMEOUT @t`).
    Expr(Expr),
    /// Words (`READ COMMITTED`, `us_english`): upper case, joined by blanks.
    Words(String),
}

/// `@v type = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDeclaration {
    /// With the `@`.
    pub name: String,
    /// Its type.
    pub type_name: TypeName,
    /// Its first value.
    pub value: Option<Expr>,
}

/// How an assignment combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AssignOp {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
}

/// `target op value`, for SET and UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// A variable (with the `@`) or a column.
    pub target: String,
    /// In UPDATE: `@v = column = value` also sets this column.
    pub column: Option<String>,
    /// How.
    pub op: AssignOp,
    /// The value.
    pub value: Expr,
}

/// WAITFOR's two forms.
#[derive(Clone, Debug, PartialEq)]
pub enum Waiting {
    /// DELAY 'hh:mm:ss.mmm'.
    Delay(Expr),
    /// TIME 'hh:mm:ss'.
    Time(Expr),
}

/// A transaction's or savepoint's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionName {
    /// As written.
    Name(String),
    /// In a variable (with the `@`).
    Variable(String),
}

/// OUTPUT in INSERT, UPDATE, DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputClause {
    /// Expressions over `inserted` and `deleted`.
    pub items: Vec<super::SelectItem>,
    /// INTO a table or table variable.
    pub into: Option<TableSource>,
    /// The columns after INTO's target; empty where not written.
    pub into_columns: Vec<String>,
}

/// INSERT.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    /// The table or table variable.
    pub target: TableSource,
    /// The columns, where written.
    pub columns: Vec<String>,
    /// OUTPUT.
    pub output: Option<OutputClause>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// TOP.
    pub top: Option<Top>,
    /// WITH before the INSERT.
    pub with: Vec<super::CommonTable>,
}

/// Where inserted rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// VALUES.
    Values(Vec<Vec<Expr>>),
    /// DEFAULT VALUES.
    DefaultValues,
    /// A query.
    Query(Box<Query>),
    /// EXEC.
    Execute(Box<Execute>),
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// TOP.
    pub top: Option<Top>,
    /// The table, or an alias of one in FROM.
    pub target: TableSource,
    /// SET.
    pub assignments: Vec<Assignment>,
    /// OUTPUT.
    pub output: Option<OutputClause>,
    /// FROM.
    pub from: Vec<TableSource>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// WITH before it.
    pub with: Vec<super::CommonTable>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// TOP.
    pub top: Option<Top>,
    /// The table, or an alias of one in FROM.
    pub target: TableSource,
    /// OUTPUT.
    pub output: Option<OutputClause>,
    /// The second FROM.
    pub from: Vec<TableSource>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// WITH before it.
    pub with: Vec<super::CommonTable>,
}

/// EXEC.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// `@r = ` before the procedure.
    pub return_variable: Option<String>,
    /// What is run.
    pub target: ExecuteTarget,
    /// Its arguments.
    pub arguments: Vec<ExecuteArgument>,
}

/// What EXEC runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ExecuteTarget {
    /// A procedure by name.
    Procedure(ObjectName),
    /// A procedure whose name is in a variable.
    Variable(String),
    /// `EXEC (text + text)`.
    Text(Expr),
}

/// One argument of EXEC.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecuteArgument {
    /// `@name =`, with the `@`.
    pub name: Option<String>,
    /// The value; bare words are [`super::Literal::Varchar`]; DEFAULT is [`Expr::Default`].
    pub value: Expr,
    /// OUTPUT.
    pub output: bool,
}
