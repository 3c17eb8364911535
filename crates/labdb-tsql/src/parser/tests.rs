mod errors;
mod precedence;
mod statements;
