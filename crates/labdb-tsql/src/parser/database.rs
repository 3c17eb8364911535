//! CREATE DATABASE and ALTER DATABASE.

use super::Parser;
use crate::ast::{
    AlterDatabase, CreateDatabase, DatabaseOption, FileOptions, FileSize, SizeUnit, StatementKind,
    Termination,
};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// How an option of ALTER DATABASE … SET is written.
enum Form {
    /// The name alone.
    Bare,
    /// The name and one of these words.
    Words(&'static [&'static str]),
    /// The name, `=` and one of these words.
    EqualWords(&'static [&'static str]),
    /// The name, `=` and a number.
    EqualNumber,
    /// The name, `=`, a number and one of these units.
    EqualNumberUnit(&'static [&'static str]),
    /// T-SQL that is not in the subset.
    Other,
}

const ON_OFF: &[&str] = &["ON", "OFF"];

/// The options of ALTER DATABASE … SET by the way they are written.
#[rustfmt::skip]
const OPTIONS: &[(Form, &[&str])] = &[
    (Form::Bare, &[
        "SINGLE_USER", "RESTRICTED_USER", "MULTI_USER", "ONLINE", "OFFLINE", "EMERGENCY",
        "READ_ONLY", "READ_WRITE", "ENABLE_BROKER", "DISABLE_BROKER", "NEW_BROKER",
        "ERROR_BROKER_CONVERSATIONS",
    ]),
    (Form::Words(&["FULL", "SIMPLE", "BULK_LOGGED"]), &["RECOVERY"]),
    (Form::Words(&["CHECKSUM", "TORN_PAGE_DETECTION", "NONE"]), &["PAGE_VERIFY"]),
    (Form::Words(&["LOCAL", "GLOBAL"]), &["CURSOR_DEFAULT"]),
    (Form::Words(&["SIMPLE", "FORCED"]), &["PARAMETERIZATION"]),
    (Form::Words(ON_OFF), &[
        "ALLOW_SNAPSHOT_ISOLATION", "ANSI_NULLS", "ANSI_NULL_DEFAULT", "ANSI_PADDING",
        "ANSI_WARNINGS", "ARITHABORT", "AUTO_CLOSE", "AUTO_CREATE_STATISTICS", "AUTO_SHRINK",
        "AUTO_UPDATE_STATISTICS", "AUTO_UPDATE_STATISTICS_ASYNC", "CONCAT_NULL_YIELDS_NULL",
        "CURSOR_CLOSE_ON_COMMIT", "DATE_CORRELATION_OPTIMIZATION", "DB_CHAINING", "ENCRYPTION",
        "HONOR_BROKER_PRIORITY", "MIXED_PAGE_ALLOCATION", "NUMERIC_ROUNDABORT",
        "QUOTED_IDENTIFIER", "READ_COMMITTED_SNAPSHOT", "RECURSIVE_TRIGGERS",
        "TEMPORAL_HISTORY_RETENTION", "TORN_PAGE_DETECTION", "TRUSTWORTHY",
    ]),
    (Form::EqualWords(ON_OFF), &[
        "ACCELERATED_DATABASE_RECOVERY", "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT",
        "NESTED_TRIGGERS", "QUERY_STORE", "TRANSFORM_NOISE_WORDS",
    ]),
    (Form::EqualWords(&["DISABLED", "ALLOWED", "FORCED"]), &["DELAYED_DURABILITY"]),
    (Form::EqualWords(&["NONE", "PARTIAL"]), &["CONTAINMENT"]),
    (Form::EqualNumber, &["COMPATIBILITY_LEVEL", "TWO_DIGIT_YEAR_CUTOFF"]),
    (Form::EqualNumberUnit(&["SECONDS", "MINUTES"]), &["TARGET_RECOVERY_TIME"]),
    (Form::Other, &[
        "AUTOMATIC_TUNING", "CHANGE_TRACKING", "DEFAULT_FULLTEXT_LANGUAGE", "DEFAULT_LANGUAGE",
        "FILESTREAM", "HADR", "PARTNER", "PERSISTENT_LOG_BUFFER",
        "REMOTE_DATA_ARCHIVE", "SUPPLEMENTAL_LOGGING", "SUSPEND_FOR_SNAPSHOT_BACKUP", "WITNESS",
    ]),
];

impl Parser<'_> {
    /// With the cursor behind CREATE DATABASE.
    pub(super) fn create_database(&mut self) -> SqlResult<StatementKind> {
        let name = self.name()?;
        let mut database = CreateDatabase {
            name,
            data_files: Vec::new(),
            log_files: Vec::new(),
            collation: None,
            options: Vec::new(),
        };
        if self.at("CONTAINMENT") {
            database.options.push(self.database_option()?);
        }
        if self.eat("ON") {
            self.eat("PRIMARY");
            database.data_files = self.file_list()?;
        }
        if self.eat_words(&["LOG", "ON"]) {
            database.log_files = self.file_list()?;
        }
        if self.eat("COLLATE") {
            database.collation = Some(self.name()?);
        }
        if self.at("FOR") || self.at_words(&["AS", "SNAPSHOT"]) || self.at_words(&["AS", "COPY"]) {
            let construct = format!(
                "CREATE DATABASE … {} {}",
                self.word(0).to_uppercase(),
                self.word(1).to_uppercase()
            );
            return Err(self.unsupported(&construct));
        }
        if self.eat("WITH") {
            let options = self.comma_separated(|parser| {
                for other in ["FILESTREAM", "CATALOG_COLLATION", "LEDGER"] {
                    if parser.at(other) {
                        let construct = format!("CREATE DATABASE … WITH {other}");
                        return Err(parser.unsupported(&construct));
                    }
                }
                parser.database_option()
            })?;
            database.options.extend(options);
        }
        Ok(StatementKind::CreateDatabase(Box::new(database)))
    }

    fn file_list(&mut self) -> SqlResult<Vec<FileOptions>> {
        self.comma_separated(|parser| {
            if parser.at("FILEGROUP") {
                return Err(parser.unsupported("FILEGROUP"));
            }
            parser.file()
        })
    }

    /// `( NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = … )`.
    fn file(&mut self) -> SqlResult<FileOptions> {
        const NAMES: [&str; 6] = [
            "NAME",
            "NEWNAME",
            "FILENAME",
            "SIZE",
            "MAXSIZE",
            "FILEGROWTH",
        ];
        let mut file = FileOptions::default();
        self.parenthesized(|parser| {
            if parser.at("OFFLINE") {
                return Err(parser.unsupported("OFFLINE"));
            }
            let name = parser.expect_any(&NAMES)?;
            parser.expect_symbol(Symbol::Equal)?;
            match name {
                "NAME" => file.name = Some(parser.name_or_text()?),
                "NEWNAME" => file.new_name = Some(parser.name_or_text()?),
                "FILENAME" => file.file_name = Some(parser.text()?),
                "SIZE" => file.size = Some(parser.size()?),
                "MAXSIZE" => {
                    let unlimited = parser.eat("UNLIMITED");
                    file.max_size = Some(if unlimited {
                        FileSize::Unlimited
                    } else {
                        parser.size()?
                    });
                }
                _ => file.growth = Some(parser.growth()?),
            }
            Ok(())
        })?;
        Ok(file)
    }

    fn size(&mut self) -> SqlResult<FileSize> {
        let number = self.integer()?;
        let unit = match self.eat_any(&["KB", "MB", "GB", "TB"]) {
            Some("KB") => SizeUnit::Kb,
            Some("GB") => SizeUnit::Gb,
            Some("TB") => SizeUnit::Tb,
            _ => SizeUnit::Mb,
        };
        Ok(FileSize::Size(number, unit))
    }

    fn growth(&mut self) -> SqlResult<FileSize> {
        if *self.kind() == TokenKind::Integer && self.at_symbol_ahead(1, Symbol::Percent) {
            let percent = self.integer()?;
            self.advance();
            return Ok(FileSize::Percent(percent));
        }
        self.size()
    }

    /// With the cursor behind ALTER DATABASE.
    pub(super) fn alter_database(&mut self) -> SqlResult<StatementKind> {
        let database = if self.eat("CURRENT") {
            None
        } else {
            Some(self.name()?)
        };
        let change = if self.eat("SET") {
            let options = self.comma_separated(Self::database_option)?;
            let termination = self.termination()?;
            AlterDatabase::Set {
                database,
                options,
                termination,
            }
        } else if self.eat("COLLATE") {
            AlterDatabase::Collate {
                database,
                collation: self.name()?,
            }
        } else {
            self.alter_database_files(database)?
        };
        Ok(StatementKind::AlterDatabase(Box::new(change)))
    }

    fn alter_database_files(&mut self, database: Option<String>) -> SqlResult<AlterDatabase> {
        let verb = self.expect_any(&["MODIFY", "ADD", "REMOVE"])?;
        if self.at("FILEGROUP") {
            return Err(self.unsupported(&format!("ALTER DATABASE … {verb} FILEGROUP")));
        }
        match verb {
            "ADD" => {
                let log = self.eat("LOG");
                self.expect("FILE")?;
                let files = self.comma_separated(Self::file)?;
                if self.at_words(&["TO", "FILEGROUP"]) {
                    return Err(self.unsupported("TO FILEGROUP"));
                }
                Ok(AlterDatabase::AddFile {
                    database,
                    log,
                    files,
                })
            }
            "REMOVE" => {
                self.expect("FILE")?;
                Ok(AlterDatabase::RemoveFile {
                    database,
                    name: self.name_or_text()?,
                })
            }
            _ if self.eat("NAME") => {
                self.expect_symbol(Symbol::Equal)?;
                Ok(AlterDatabase::ModifyName {
                    database,
                    name: self.name()?,
                })
            }
            _ => {
                self.expect("FILE")?;
                Ok(AlterDatabase::ModifyFile {
                    database,
                    file: self.file()?,
                })
            }
        }
    }

    fn database_option(&mut self) -> SqlResult<DatabaseOption> {
        let found = OPTIONS
            .iter()
            .find_map(|(form, names)| Some((form, *names.iter().find(|name| self.at(name))?)));
        let Some((form, name)) = found else {
            return Err(self.syntax_error());
        };
        if matches!(form, Form::Other) {
            return Err(self.unsupported(name));
        }
        self.advance();
        let words = match form {
            Form::Bare | Form::Other => Vec::new(),
            Form::Words(words) => vec![self.expect_any(words)?.to_owned()],
            Form::EqualWords(words) => {
                if name == "QUERY_STORE" && !self.at_symbol(Symbol::Equal) {
                    return Err(self.unsupported("QUERY_STORE (…)"));
                }
                self.expect_symbol(Symbol::Equal)?;
                vec![self.expect_any(words)?.to_owned()]
            }
            Form::EqualNumber => {
                self.expect_symbol(Symbol::Equal)?;
                vec![self.number_as_written()?]
            }
            Form::EqualNumberUnit(units) => {
                self.expect_symbol(Symbol::Equal)?;
                vec![
                    self.number_as_written()?,
                    self.expect_any(units)?.to_owned(),
                ]
            }
        };
        if self.at_symbol(Symbol::LeftParenthesis) {
            return Err(self.unsupported(&format!("{name} (…)")));
        }
        Ok(DatabaseOption {
            name: name.to_owned(),
            words,
        })
    }

    fn number_as_written(&mut self) -> SqlResult<String> {
        let number: u64 = self.integer()?;
        Ok(number.to_string())
    }

    /// `WITH ROLLBACK IMMEDIATE`, `WITH ROLLBACK AFTER n [SECONDS]`, `WITH NO_WAIT`.
    fn termination(&mut self) -> SqlResult<Option<Termination>> {
        if !self.eat("WITH") {
            return Ok(None);
        }
        if self.eat("NO_WAIT") {
            return Ok(Some(Termination::NoWait));
        }
        self.expect("ROLLBACK")?;
        if self.eat("IMMEDIATE") {
            return Ok(Some(Termination::RollbackImmediate));
        }
        self.expect("AFTER")?;
        let seconds = self.integer()?;
        self.eat("SECONDS");
        Ok(Some(Termination::RollbackAfter(seconds)))
    }
}
