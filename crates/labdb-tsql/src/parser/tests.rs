mod errors;
mod precedence;
mod security;
mod statements;
