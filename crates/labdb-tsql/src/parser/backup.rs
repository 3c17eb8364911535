//! BACKUP and RESTORE.

use super::Parser;
use crate::ast::{
    Backup, BackupKind, Device, Expr, Literal, Restore, RestoreKind, StatementKind, WithOption,
};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// BACKUP's options that are a word alone.
const BACKUP_WORDS: [&str; 22] = [
    "CHECKSUM",
    "COMPRESSION",
    "CONTINUE_AFTER_ERROR",
    "COPY_ONLY",
    "DIFFERENTIAL",
    "FORMAT",
    "INIT",
    "NOFORMAT",
    "NOINIT",
    "NORECOVERY",
    "NOREWIND",
    "NOSKIP",
    "NOUNLOAD",
    "NO_CHECKSUM",
    "NO_COMPRESSION",
    "NO_TRUNCATE",
    "RESTART",
    "REWIND",
    "SKIP",
    "STATS",
    "STOP_ON_ERROR",
    "UNLOAD",
];

/// BACKUP's options with a value.
const BACKUP_VALUES: [&str; 11] = [
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "DESCRIPTION",
    "EXPIREDATE",
    "MAXTRANSFERSIZE",
    "MEDIADESCRIPTION",
    "MEDIANAME",
    "NAME",
    "RETAINDAYS",
    "STANDBY",
    "STATS",
];

/// RESTORE's options that are a word alone.
const RESTORE_WORDS: [&str; 20] = [
    "CHECKSUM",
    "CONTINUE_AFTER_ERROR",
    "ENABLE_BROKER",
    "ERROR_BROKER_CONVERSATIONS",
    "KEEP_CDC",
    "KEEP_REPLICATION",
    "LOADHISTORY",
    "NEW_BROKER",
    "NORECOVERY",
    "NOREWIND",
    "NOUNLOAD",
    "NO_CHECKSUM",
    "PARTIAL",
    "RECOVERY",
    "REPLACE",
    "RESTART",
    "RESTRICTED_USER",
    "REWIND",
    "STATS",
    "UNLOAD",
];

/// RESTORE's options with a value.
const RESTORE_VALUES: [&str; 11] = [
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "FILE",
    "MAXTRANSFERSIZE",
    "MEDIANAME",
    "MEDIAPASSWORD",
    "PASSWORD",
    "STANDBY",
    "STATS",
    "STOPAT",
    "STOPATMARK",
];

/// Options of either that nothing here could do.
const OTHER_OPTIONS: [&str; 7] = [
    "CREDENTIAL",
    "ENCRYPTION",
    "FILE_SNAPSHOT",
    "FILESTREAM",
    "METADATA_ONLY",
    "SNAPSHOT",
    "STOPBEFOREMARK",
];

impl Parser<'_> {
    pub(super) fn backup(&mut self) -> SqlResult<StatementKind> {
        self.expect("BACKUP")?;
        for other in [
            "CERTIFICATE",
            "MASTER",
            "SERVER",
            "SERVICE",
            "GROUP",
            "SYMMETRIC",
        ] {
            if self.at(other) {
                return Err(self.unsupported(&format!("BACKUP {other}")));
            }
        }
        let kind = match self.expect_any(&["DATABASE", "LOG", "TRAN", "TRANSACTION"])? {
            "DATABASE" => BackupKind::Database,
            _ => BackupKind::Log,
        };
        let database = self.database_name()?;
        self.refuse_parts("BACKUP")?;
        self.expect("TO")?;
        let devices = self.comma_separated(Self::device)?;
        if self.at_words(&["MIRROR", "TO"]) {
            return Err(self.unsupported("MIRROR TO"));
        }
        let options = self.with_options(&BACKUP_WORDS, &BACKUP_VALUES)?;
        Ok(StatementKind::Backup(Box::new(Backup {
            kind,
            database,
            devices,
            options,
        })))
    }

    pub(super) fn restore(&mut self) -> SqlResult<StatementKind> {
        self.expect("RESTORE")?;
        for other in ["MASTER", "SERVICE", "SYMMETRIC", "REWINDONLY"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("RESTORE {other}")));
            }
        }
        let kind = match self.expect_any(&[
            "DATABASE",
            "LOG",
            "TRAN",
            "TRANSACTION",
            "FILELISTONLY",
            "HEADERONLY",
            "LABELONLY",
            "VERIFYONLY",
        ])? {
            "DATABASE" => RestoreKind::Database,
            "FILELISTONLY" => RestoreKind::FileListOnly,
            "HEADERONLY" => RestoreKind::HeaderOnly,
            "LABELONLY" => RestoreKind::LabelOnly,
            "VERIFYONLY" => RestoreKind::VerifyOnly,
            _ => RestoreKind::Log,
        };
        let whole = matches!(kind, RestoreKind::Database | RestoreKind::Log);
        let database = if whole {
            let database = self.database_name()?;
            self.refuse_parts("RESTORE")?;
            Some(database)
        } else {
            None
        };
        let devices = if self.eat("FROM") {
            if self.at("DATABASE_SNAPSHOT") {
                return Err(self.unsupported("FROM DATABASE_SNAPSHOT"));
            }
            self.comma_separated(Self::device)?
        } else if whole {
            Vec::new()
        } else {
            return Err(self.syntax_error());
        };
        let options = self.with_options(&RESTORE_WORDS, &RESTORE_VALUES)?;
        Ok(StatementKind::Restore(Box::new(Restore {
            kind,
            database,
            devices,
            options,
        })))
    }

    fn database_name(&mut self) -> SqlResult<Expr> {
        if self.at_variable() {
            return self.variable().map(Expr::Variable);
        }
        Ok(Expr::Literal(Literal::Varchar(self.name()?)))
    }

    /// Single files, filegroups and pages are not in the subset.
    fn refuse_parts(&self, verb: &str) -> SqlResult<()> {
        for part in ["FILE", "FILEGROUP", "PAGE", "READ_WRITE_FILEGROUPS"] {
            if self.at(part) {
                return Err(self.unsupported(&format!("{verb} … {part}")));
            }
        }
        Ok(())
    }

    fn device(&mut self) -> SqlResult<Device> {
        if self.at_any(&["DISK", "TAPE", "URL", "VIRTUAL_DEVICE"])
            && self.at_symbol_ahead(1, Symbol::Equal)
        {
            let kind = self.word(0).to_uppercase();
            self.advance();
            self.advance();
            let name = if self.at_variable() {
                Expr::Variable(self.variable()?)
            } else if self.at_text() {
                Expr::Literal(self.literal()?)
            } else {
                return Err(self.syntax_error());
            };
            return Ok(Device { kind, name });
        }
        Ok(Device {
            kind: String::new(),
            name: self.database_name()?,
        })
    }

    /// `WITH option, …`, where it is written.
    fn with_options(&mut self, words: &[&str], values: &[&str]) -> SqlResult<Vec<WithOption>> {
        if !self.eat("WITH") {
            return Ok(Vec::new());
        }
        self.comma_separated(|parser| parser.with_option(words, values))
    }

    fn with_option(&mut self, words: &[&str], values: &[&str]) -> SqlResult<WithOption> {
        if self.at_any(&OTHER_OPTIONS) {
            return Err(self.unsupported(&format!("WITH {}", self.word(0).to_uppercase())));
        }
        if values.contains(&"FILE") && self.eat("MOVE") {
            let file = self.option_value_of(true)?;
            self.expect("TO")?;
            return Ok(WithOption {
                name: "MOVE".to_owned(),
                values: vec![file, self.option_value_of(true)?],
            });
        }
        let mut option = WithOption {
            name: self.word(0).to_uppercase(),
            values: Vec::new(),
        };
        let value_follows = self.at_symbol_ahead(1, Symbol::Equal);
        self.expect_any(if value_follows { values } else { words })?;
        if self.eat_symbol(Symbol::Equal) {
            option.values.push(self.option_value_of(false)?);
        } else if self.at_symbol(Symbol::LeftParenthesis) {
            return Err(self.unsupported(&format!("{} (…)", option.name)));
        }
        if self.at("AFTER") {
            return Err(self.unsupported("STOPATMARK … AFTER"));
        }
        Ok(option)
    }

    /// A variable, a text or (unless only texts will do) a number.
    fn option_value_of(&mut self, only_text: bool) -> SqlResult<Expr> {
        match self.kind() {
            TokenKind::Variable => self.variable().map(Expr::Variable),
            TokenKind::Text(_) | TokenKind::NationalText(_) => self.literal().map(Expr::Literal),
            TokenKind::Integer if !only_text => self.literal().map(Expr::Literal),
            _ => Err(self.syntax_error()),
        }
    }
}
