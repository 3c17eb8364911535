//! A transaction of the user's own: a file of T-SQL, sent as one parameterised request.
//!
//! The file begins with comments; those of the form `-- loadgen: @amount int = random(1, 1000)`
//! declare variables ([`declaration`]). `@worker`, `@iteration` and `@workers` are there without
//! being declared. Only variables that the text uses are sent.

pub(crate) mod args;
mod declaration;
mod generator;

use declaration::Declaration;
use generator::Generator;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use records::{Failure, FailureCode};
use sqlserver::parameterized::{ParameterizedText, Value};
use sqlserver::{SqlError, source};
use std::path::Path;

/// What begins a declaration, behind the `--`.
const DECLARES: &str = "loadgen:";

/// The variables that are there without being declared, and their types.
const GIVEN: [(&str, &str); 3] = [
    ("@worker", "int"),
    ("@iteration", "bigint"),
    ("@workers", "int"),
];

/// The most variables of a request.
const MOST_VARIABLES: usize = 2_000;

/// A script.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    source: String,
    /// Lines of the file before the text that is sent.
    lines_before: u32,
    request: ParameterizedText,
    parameters: Vec<(String, Source)>,
    unused: Vec<String>,
    seed: u32,
}

impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.source, self.seed) == (&other.name, &other.source, other.seed)
    }
}

impl Eq for Script {}

/// Where a parameter's value comes from.
#[derive(Clone, Debug)]
enum Source {
    Worker,
    Iteration,
    Workers,
    Drawn(Generator),
}

impl Script {
    /// Reads a script; what it draws is determined by the seed.
    ///
    /// # Errors
    /// Usage: the file cannot be read, has no statement, holds GO, or declares what cannot be.
    pub fn read(path: &Path, seed: u32) -> Result<Self, Failure> {
        Self::parse(&path.display().to_string(), &source::read(path)?, seed)
    }

    fn parse(name: &str, source: &str, seed: u32) -> Result<Self, Failure> {
        let wrong = |line: u32, what: &str| {
            Failure::new(FailureCode::Usage, format!("{name}:{line}: {what}"))
        };
        let declared = declarations(source).map_err(|(line, what)| {
            wrong(line, &what).remedy(
                "A variable is declared in the comments at the top of the file, one a line: \
                 -- loadgen: @amount int = random(1, 1000). See loadgen --help.",
            )
        })?;
        let header = source.lines().take_while(|line| is_header(line)).count();
        let lines_before = u32::try_from(header).unwrap_or(u32::MAX);
        let text: String = source.split_inclusive('\n').skip(header).collect();
        one_batch(name, &text, lines_before)?;

        let used = source::variables(&text);
        let is_used = |name: &str| used.iter().any(|used| used == name);
        let mut parameters = Vec::new();
        let mut types = Vec::new();
        for ((given, sql_type), source) in
            GIVEN
                .iter()
                .zip([Source::Worker, Source::Iteration, Source::Workers])
        {
            if is_used(given) {
                parameters.push(((*given).to_owned(), source));
                types.push(format!("{given} {sql_type}"));
            }
        }
        let mut unused = Vec::new();
        for variable in declared {
            if is_used(&variable.name) {
                types.push(format!("{} {}", variable.name, variable.sql_type));
                parameters.push((variable.name, Source::Drawn(variable.generator)));
            } else {
                unused.push(variable.name);
            }
        }
        Ok(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            lines_before,
            request: ParameterizedText {
                text,
                declarations: types.join(", "),
            },
            parameters,
            unused,
            seed,
        })
    }

    /// The file's name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What its random values are drawn from.
    #[must_use]
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Declared variables that the text does not use: they are not sent.
    #[must_use]
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// The text that is sent, and what it declares.
    pub(crate) fn request(&self) -> &ParameterizedText {
        &self.request
    }

    /// Where an error lies: the file and its line, or the procedure that the text called.
    pub(crate) fn place(&self, error: &SqlError) -> String {
        match error {
            SqlError::Server(error) => match &error.procedure {
                Some(procedure) => {
                    format!("{}, in {procedure}, line {}", self.name, error.line)
                }
                None => format!(
                    "{}:{}",
                    self.name,
                    self.lines_before.saturating_add(error.line)
                ),
            },
            _ => self.name.clone(),
        }
    }

    /// The values of one worker, transaction after transaction.
    pub(crate) fn values(&self, worker: u32, workers: u32) -> Values<'_> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed.into());
        random.set_stream(worker.into());
        Values {
            script: self,
            worker,
            workers,
            iteration: 0,
            random,
        }
    }
}

/// A worker's values.
pub(crate) struct Values<'a> {
    script: &'a Script,
    worker: u32,
    workers: u32,
    iteration: i64,
    random: ChaCha8Rng,
}

impl<'a> Values<'a> {
    /// The parameters of the next transaction.
    pub(crate) fn next(&mut self) -> Vec<(&'a str, Value)> {
        self.iteration = self.iteration.saturating_add(1);
        let int = |value: u32| Value::Int(i32::try_from(value).unwrap_or(i32::MAX));
        self.script
            .parameters
            .iter()
            .map(|(name, source)| {
                let value = match source {
                    Source::Worker => int(self.worker),
                    Source::Workers => int(self.workers),
                    Source::Iteration => Value::BigInt(self.iteration),
                    Source::Drawn(generator) => generator.draw(&mut self.random),
                };
                (name.as_str(), value)
            })
            .collect()
    }
}

/// Whether a line can stand at the top of the file: blank, or a comment of one line.
fn is_header(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with("--")
}

/// What a line declares, where it is a declaration.
fn declares(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix("--")?.trim_start();
    let word = comment.get(..DECLARES.len())?;
    word.eq_ignore_ascii_case(DECLARES)
        .then(|| comment.get(DECLARES.len()..))?
}

fn declarations(source: &str) -> Result<Vec<Declaration>, (u32, String)> {
    let mut declared: Vec<Declaration> = Vec::new();
    let mut at_the_top = true;
    for (line, number) in source.lines().zip(1..) {
        at_the_top &= is_header(line);
        let Some(text) = declares(line) else { continue };
        if !at_the_top {
            return Err((
                number,
                "a declaration stands below the first statement".to_owned(),
            ));
        }
        let variable = Declaration::parse(text).map_err(|what| (number, what))?;
        let name = &variable.name;
        if GIVEN.iter().any(|(given, _)| given == name) {
            return Err((number, format!("{name} is there without being declared")));
        }
        if declared.iter().any(|other| other.name == *name) {
            return Err((number, format!("{name} is declared twice")));
        }
        if declared.len() == MOST_VARIABLES {
            return Err((number, format!("more than {MOST_VARIABLES} variables")));
        }
        declared.push(variable);
    }
    Ok(declared)
}

/// Refuses a text without a statement, and one of several batches: each would be a round trip of
/// its own, and a request with parameters cannot leave a transaction open for the next.
fn one_batch(name: &str, text: &str, lines_before: u32) -> Result<(), Failure> {
    let code = source::code_only(text);
    if code.trim().is_empty() {
        return Err(
            Failure::new(FailureCode::Usage, format!("{name} holds no statement"))
                .remedy("Write the transaction into it: INSERT INTO dbo.orders DEFAULT VALUES;"),
        );
    }
    let go = code.lines().zip(1_u32..).find(|(line, _)| {
        line.split_whitespace()
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("GO"))
    });
    match go {
        None => Ok(()),
        Some((_, line)) => Err(Failure::new(
            FailureCode::Usage,
            format!(
                "{name}:{}: GO: the file is one transaction, sent as one batch",
                lines_before.saturating_add(line)
            ),
        )
        .remedy(
            "Take GO out. What is to be done once, before the load, goes into a file of its own: \
             setup-db --apply FILE.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::Script;
    use sqlserver::parameterized::Value;
    use sqlserver::{ServerError, SqlError};

    const ORDERS: &str = "\
-- An order.
-- loadgen: @amount decimal(9, 2) = random(0.01, 500)
--LOADGEN: @Never int = random(1, 2)

INSERT INTO dbo.orders (worker, note, amount)
VALUES (@Worker, '@never', @AMOUNT);
";

    fn parse(text: &str) -> Result<Script, records::Failure> {
        Script::parse("my.sql", text, 11)
    }

    #[test]
    fn only_what_the_text_uses_is_declared_to_the_server() {
        let script = parse(ORDERS).unwrap();
        assert_eq!(
            script.request().declarations,
            "@worker int, @amount decimal(9, 2)"
        );
        assert_eq!(script.unused(), ["@never"]);
        assert!(
            script.request().text.starts_with("INSERT"),
            "the comments at the top stay here"
        );
        assert_eq!(script.source(), ORDERS);
        assert_eq!(parse("SELECT 1;").unwrap().request().declarations, "");
    }

    #[test]
    fn an_error_lies_in_a_line_of_the_file_or_in_a_procedure() {
        let script = parse(ORDERS).unwrap();
        let error = |procedure: Option<&str>| {
            SqlError::Server(ServerError {
                number: 8114,
                class: 16,
                state: 5,
                line: 2,
                procedure: procedure.map(str::to_owned),
                message: "no".to_owned(),
            })
        };
        assert_eq!(script.place(&error(None)), "my.sql:6");
        assert_eq!(
            script.place(&error(Some("dbo.add"))),
            "my.sql, in dbo.add, line 2"
        );
    }

    #[test]
    fn a_worker_gets_its_number_and_counts_its_transactions_from_1() {
        let script = parse("SELECT @workers, @iteration, @worker;").unwrap();
        let mut values = script.values(3, 16);
        for iteration in 1..=3 {
            assert_eq!(
                values.next(),
                [
                    ("@worker", Value::Int(3)),
                    ("@iteration", Value::BigInt(iteration)),
                    ("@workers", Value::Int(16)),
                ]
            );
        }
    }

    #[test]
    fn a_seed_draws_the_same_again_and_each_worker_something_else() {
        let text = "-- loadgen: @a bigint = random(1, 1000000000000)\nSELECT @a;";
        let drawn = |seed, worker| {
            let script = Script::parse("a.sql", text, seed).unwrap();
            let mut values = script.values(worker, 2);
            (0..20)
                .map(|_| format!("{:?}", values.next()))
                .collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 1), drawn(1, 1));
        assert_ne!(drawn(1, 1), drawn(2, 1));
        assert_ne!(drawn(1, 1), drawn(1, 2));
    }

    #[test]
    fn what_is_wrong_names_the_file_and_the_line() {
        for (text, said) in [
            ("SELECT 1;\nGO\n", "my.sql:2: GO"),
            ("-- x\n\nSELECT 1;\n  go 5\nSELECT 2;", "my.sql:4: GO"),
            (
                "-- loadgen: @a int = dice(6)\nSELECT @a;",
                "my.sql:1: there is no function `dice`",
            ),
            (
                "SELECT @a;\n-- loadgen: @a int = 5\n",
                "my.sql:2: a declaration stands below",
            ),
            (
                "-- loadgen: @worker int = 5\nSELECT 1;",
                "@worker is there without",
            ),
            (
                "-- loadgen: @a int = 5\n-- loadgen: @A int = 6\nSELECT 1;",
                "my.sql:2: @a is declared twice",
            ),
            ("-- nothing\n", "my.sql holds no statement"),
        ] {
            let failure = parse(text).unwrap_err();
            assert!(failure.message.contains(said), "{}", failure.message);
        }
        assert!(
            parse("SELECT 'a\nGO\nb'; /*\nGO\n*/").is_ok(),
            "no GO where it is no code"
        );
    }
}
