//! Statements of T-SQL that are not in the subset, so that the error can name them.

use super::Parser;

/// Statements by their first word.
const STATEMENTS: [&str; 8] = [
    "BULK",
    "MERGE",
    "READTEXT",
    "REVERT",
    "SETUSER",
    "SHUTDOWN",
    "UPDATETEXT",
    "WRITETEXT",
];

/// Statements that begin with words that are not reserved, so two are needed to know them.
const TWO_WORD_STATEMENTS: [[&str; 2]; 10] = [
    ["ADD", "SIGNATURE"],
    ["ADD", "SENSITIVITY"],
    ["DISABLE", "TRIGGER"],
    ["ENABLE", "TRIGGER"],
    ["END", "CONVERSATION"],
    ["GET", "CONVERSATION"],
    ["MOVE", "CONVERSATION"],
    ["RECEIVE", "TOP"],
    ["SEND", "ON"],
    ["COPY", "INTO"],
];

/// What else CREATE, ALTER and DROP take.
const DEFINITIONS: [&str; 53] = [
    "AGGREGATE",
    "APPLICATION",
    "ASSEMBLY",
    "ASYMMETRIC",
    "AUTHORIZATION",
    "AVAILABILITY",
    "BROKER",
    "CERTIFICATE",
    "COLUMN",
    "COLUMNSTORE",
    "CONTRACT",
    "CREDENTIAL",
    "CRYPTOGRAPHIC",
    "DEFAULT",
    "ENDPOINT",
    "EVENT",
    "EXTERNAL",
    "FULLTEXT",
    "FUNCTION",
    "JSON",
    "LOGIN",
    "MASTER",
    "MESSAGE",
    "PARTITION",
    "PRIMARY",
    "QUEUE",
    "REMOTE",
    "RESOURCE",
    "ROLE",
    "ROUTE",
    "RULE",
    "SEARCH",
    "SECURITY",
    "SELECTIVE",
    "SENSITIVITY",
    "SEQUENCE",
    "SERVER",
    "SERVICE",
    "SIGNATURE",
    "SPATIAL",
    "STATISTICS",
    "SYMMETRIC",
    "SYNONYM",
    "TRIGGER",
    "TYPE",
    "USER",
    "VECTOR",
    "VIEW",
    "WORKLOAD",
    "XML",
    "BACKUP",
    "FEDERATION",
    "DISTRIBUTED",
];

impl Parser<'_> {
    /// The name of a statement that is T-SQL and not in the subset.
    pub(super) fn other_statement(&self) -> Option<String> {
        let two = TWO_WORD_STATEMENTS
            .iter()
            .find(|words| self.at_words(&words[..]));
        if let Some(words) = two {
            return Some(words.join(" "));
        }
        self.at_any(&STATEMENTS)
            .then(|| self.word(0).to_uppercase())
    }

    /// The same for what follows CREATE, CREATE OR ALTER, ALTER or DROP.
    pub(super) fn other_definition(&self) -> Option<String> {
        let or_alter = self.at_words(&["CREATE", "OR", "ALTER"]);
        let mut ahead = if or_alter { 3 } else { 1 };
        let verb = self.word(0).to_uppercase();
        if self.at_any_ahead(ahead, &["UNIQUE", "CLUSTERED", "NONCLUSTERED"])
            && self.at_ahead(ahead + 1, "COLUMNSTORE")
        {
            ahead += 1;
        }
        let alone = verb == "ALTER" && self.at_any_ahead(ahead, &["SCHEMA"]);
        if self.supported_principal(&verb) {
            return None;
        }
        let database = self.at_ahead(ahead, "DATABASE")
            && self.at_any_ahead(ahead + 1, &["AUDIT", "ENCRYPTION", "SCOPED"]);
        if database {
            let second = self.word(ahead + 1).to_uppercase();
            return Some(format!("{verb} DATABASE {second}"));
        }
        (alone || self.at_any_ahead(ahead, &DEFINITIONS))
            .then(|| format!("{verb} {}", self.word(ahead).to_uppercase()))
    }

    /// Logins and users; of roles only the members change.
    fn supported_principal(&self, verb: &str) -> bool {
        match verb {
            "ALTER" => {
                self.at_any_ahead(1, &["LOGIN", "ROLE"])
                    || (self.at_ahead(1, "SERVER") && self.at_ahead(2, "ROLE"))
            }
            _ => self.at_any_ahead(1, &["LOGIN", "USER"]),
        }
    }
}
