//! The files: looked up by type, never by number; grown, never shrunk.

use crate::args::Args;
use crate::size::Size;
use crate::workshop::Workshop;
use records::{Failure, FailureCode, FileKind, FileSettings};
use sqlserver::texts::files as texts;
use sqlserver::{Connection, readings};

/// The least step of a growth in several, in KB: SQL Server grows files by extents of 64 KB.
const STEP_KB: u64 = 64;

/// What is declared of the files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub data_size: Option<Size>,
    pub log_size: Option<Size>,
    pub data_growth: Option<Size>,
    pub log_growth: Option<Size>,
    pub log_steps: u32,
}

impl Wanted {
    pub(crate) fn of(args: &Args) -> Self {
        Self {
            data_size: args.data_size,
            log_size: args.log_size,
            data_growth: args.data_growth,
            log_growth: args.log_growth,
            log_steps: args.log_steps.unwrap_or(1),
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
    for (kind, size, steps) in [
        (FileKind::Rows, wanted.data_size, 1),
        (FileKind::Log, wanted.log_size, wanted.log_steps),
    ] {
        if let Some(size) = size {
            grow(workshop, inside, &before, kind, (size, steps)).await?;
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

/// The sizes in KB by which a file gets from one size in bytes to another in equal steps, each a
/// multiple of [`STEP_KB`] but the last; none where a step would be smaller than that.
fn sizes_kb(from: u64, to: u64, steps: u32) -> Option<Vec<u64>> {
    let (from, to, steps) = (from / 1024, to / 1024, u64::from(steps));
    let by = to.checked_sub(from)?;
    if steps > 1 && by / steps < STEP_KB {
        return None;
    }
    let sizes = (1..=steps).map(|step| {
        let exact = from + by * step / steps;
        if step == steps {
            to
        } else {
            exact / STEP_KB * STEP_KB
        }
    });
    Some(sizes.collect())
}

async fn grow(
    workshop: &mut Workshop,
    inside: &mut Connection,
    before: &[FileSettings],
    kind: FileKind,
    (size, steps): (Size, u32),
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
    for kb in sizes_kb(file.size_bytes, bytes, steps).ok_or_else(|| {
        Failure::new(
            FailureCode::Usage,
            format!("{doing} in {steps} steps: each would be less than {STEP_KB} KB"),
        )
        .remedy("Ask for fewer with --log-steps, or for a larger log.")
    })? {
        let text = texts::set_size(&workshop.database, &file.logical_name, kb);
        workshop.run(&text, &doing).await?;
    }
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
    use super::{growth_needed, sizes_kb};
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
    fn steps_are_equal_and_the_last_ends_where_it_should() {
        assert_eq!(sizes_kb(MB, 2 * MB, 1).unwrap(), [2048]);
        assert_eq!(
            sizes_kb(MB, 2 * MB, 4).unwrap(),
            [1024 + 256, 1024 + 512, 1024 + 768, 2048]
        );
        let many = sizes_kb(16 * MB, 32 * MB + 8192, 250).unwrap();
        assert_eq!((many.len(), many[249]), (250, 32 * 1024 + 8));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]), "each grows");
        assert!(sizes_kb(MB, 2 * MB, 17).is_none(), "of less than 64 KB");
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
