//! Reading a stream of records and passing it on.

mod blocks;
mod compressed;
mod lines;
mod pass;
mod select;

pub use lines::{Line, LineError, Lines, MAX_LINE_BYTES};
pub use pass::{InputArgs, NamedInput, Upstream, open_files, pass_on, read_records};
pub use select::{Fold, Found, Selection, read_selected};
