//! The files: looked up by type, never by number; grown, never shrunk.

use crate::args::Args;
use crate::size::Size;
use crate::workshop::Workshop;
use records::{Failure, FailureCode, FileKind, FileSettings};
use sqlserver::texts::files as texts;
use sqlserver::{Connection, readings};

/// What is declared of the files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub data_size: Option<Size>,
    pub log_size: Option<Size>,
    pub data_growth: Option<Size>,
    pub log_growth: Option<Size>,
}

impl Wanted {
    pub(crate) fn of(args: &Args) -> Self {
        Self {
            data_size: args.data_size,
            log_size: args.log_size,
            data_growth: args.data_growth,
            log_growth: args.log_growth,
        }
    }
}

/// The files as the catalogue has them.
pub(crate) async fn read(
    inside: &mut Connection,
    workshop: &Workshop,
) -> Result<Vec<FileSettings>, Failure> {
    readings::files(inside)
        .await
        .map_err(|error| error.failure(&format!("reading the files of `{}`", workshop.database)))
}

/// Makes the files what is declared.
pub(crate) async fn ensure(
    workshop: &mut Workshop,
    inside: &mut Connection,
    wanted: Wanted,
) -> Result<(), Failure> {
    let before = read(inside, workshop).await?;
    for (kind, growth) in [
        (FileKind::Rows, wanted.data_growth),
        (FileKind::Log, wanted.log_growth),
    ] {
        if let Some(growth) = growth {
            set_growth(workshop, &before, kind, growth).await?;
        }
    }
    for (kind, size) in [
        (FileKind::Rows, wanted.data_size),
        (FileKind::Log, wanted.log_size),
    ] {
        if let Some(size) = size {
            grow(workshop, inside, &before, kind, size).await?;
        }
    }
    Ok(())
}

/// The one file to grow so that all files of a kind together have at least `wanted` bytes, and the
/// size in bytes that it needs; none where they have it.
fn growth_needed(
    files: &[FileSettings],
    kind: FileKind,
    wanted: u64,
) -> Option<(&FileSettings, u64)> {
    let of_kind = || files.iter().filter(|file| file.kind == kind);
    let all: u64 = of_kind().map(|file| file.size_bytes).sum();
    let missing = wanted.checked_sub(all).filter(|missing| *missing > 0)?;
    let first = of_kind().min_by_key(|file| file.file_id)?;
    Some((first, first.size_bytes.saturating_add(missing)))
}

async fn grow(
    workshop: &mut Workshop,
    inside: &mut Connection,
    before: &[FileSettings],
    kind: FileKind,
    size: Size,
) -> Result<(), Failure> {
    let Some((file, bytes)) = growth_needed(before, kind, size.bytes()) else {
        return Ok(());
    };
    let doing = format!(
        "growing the {} file `{}` of `{}` to {size}",
        name_of(kind),
        file.logical_name,
        workshop.database
    );
    let text = texts::set_size(&workshop.database, &file.logical_name, bytes / 1024);
    workshop.run(&text, &doing).await?;
    let after = read(inside, workshop).await?;
    let now = after
        .iter()
        .find(|other| other.file_id == file.file_id)
        .map_or(0, |file| file.size_bytes);
    if growth_needed(&after, kind, size.bytes()).is_some() {
        return Err(Failure::new(
            FailureCode::Failed,
            format!("{doing} was accepted, but the file has {now} bytes"),
        )
        .remedy("See the server's error log."));
    }
    workshop.note(
        &format!("{}_file_size_bytes", name_of(kind)),
        Some(&file.size_bytes),
        Some(&now),
    );
    Ok(())
}

async fn set_growth(
    workshop: &mut Workshop,
    before: &[FileSettings],
    kind: FileKind,
    growth: Size,
) -> Result<(), Failure> {
    for file in before.iter().filter(|file| file.kind == kind) {
        if file.growth_bytes == Some(growth.bytes()) {
            continue;
        }
        let doing = format!(
            "setting the growth of the {} file `{}` of `{}`",
            name_of(kind),
            file.logical_name,
            workshop.database
        );
        let text = texts::set_growth(&workshop.database, &file.logical_name, growth.kb());
        workshop.run(&text, &doing).await?;
        let from = match (file.growth_bytes, file.growth_percent) {
            (Some(bytes), _) => bytes.to_string(),
            (None, percent) => format!("{} %", percent.unwrap_or_default()),
        };
        workshop.note(
            &format!("{}_file_growth_bytes", name_of(kind)),
            Some(&from),
            Some(&growth.bytes()),
        );
    }
    Ok(())
}

fn name_of(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Log => "log",
        FileKind::Rows | FileKind::Other => "data",
    }
}

#[cfg(test)]
mod tests {
    use super::growth_needed;
    use records::{FileKind, FileSettings};

    const MB: u64 = 1 << 20;

    fn file(file_id: i32, kind: FileKind, megabytes: u64) -> FileSettings {
        FileSettings {
            file_id,
            kind,
            logical_name: format!("f{file_id}"),
            physical_name: String::new(),
            size_bytes: megabytes * MB,
            growth_bytes: Some(0),
            growth_percent: None,
            max_size_bytes: None,
        }
    }

    #[test]
    fn a_file_that_is_large_enough_is_left_alone() {
        // Error 5039: a size must be strictly larger than the one before.
        let files = [file(1, FileKind::Rows, 256), file(2, FileKind::Log, 600)];
        for kind in [FileKind::Rows, FileKind::Log] {
            assert!(growth_needed(&files, kind, 256 * MB).is_none());
        }
    }

    #[test]
    fn the_log_is_found_by_its_type_wherever_it_stands() {
        let files = [
            file(1, FileKind::Rows, 8),
            file(2, FileKind::Rows, 8),
            file(3, FileKind::Log, 8),
        ];
        let (log, bytes) = growth_needed(&files, FileKind::Log, 512 * MB).unwrap();
        assert_eq!((log.file_id, bytes), (3, 512 * MB));
    }

    #[test]
    fn with_several_files_the_first_grows_by_what_all_lack_together() {
        let files = [
            file(1, FileKind::Rows, 8),
            file(3, FileKind::Log, 100),
            file(4, FileKind::Log, 50),
        ];
        let (log, bytes) = growth_needed(&files, FileKind::Log, 512 * MB).unwrap();
        assert_eq!((log.file_id, bytes), (3, (100 + 362) * MB));
    }
}
