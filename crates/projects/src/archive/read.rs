//! Reading an archive.

use std::io::{BufRead as _, BufReader, Read};

use tar::EntryType;

use super::builder::ArchiveBuilder;
use super::gzip::GzipReader;
use super::{Archive, ArchiveError, FILES, MAX_LINE_BYTES, Origin, PROJECT};

/// First bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads an archive.
/// The work is bounded by [`MAX_UNPACKED_BYTES`](super::MAX_UNPACKED_BYTES), however small the file is.
///
/// # Errors
/// See [`ArchiveError`]. Values, such as the length of a title, are not validated here.
pub fn read(packed: &[u8]) -> Result<Archive, ArchiveError> {
    if !packed.starts_with(&GZIP) {
        return Err(ArchiveError::NotGzip);
    }
    let mut tar = tar::Archive::new(GzipReader::of(packed));
    let builder = read_files(&mut tar);
    let gzip = tar.into_inner();
    if let Some(failure) = gzip.failure() {
        return Err(failure);
    }
    let builder = builder?;
    gzip.finish()?;
    builder.into_archive()
}

/// Reads the files with known names.
/// A name is only compared, so neither `..` nor an absolute path leads anywhere. Entries other than plain files, such
/// as links, are skipped.
fn read_files(tar: &mut tar::Archive<GzipReader<'_>>) -> Result<ArchiveBuilder, ArchiveError> {
    let mut builder = ArchiveBuilder::default();
    let mut seen = [false; FILES.len()];
    let mut is_first = true;
    for entry in tar.entries().map_err(|_| ArchiveError::NotTar)? {
        let entry = entry.map_err(|_| broken(is_first))?;
        is_first = false;
        if !matches!(
            entry.header().entry_type(),
            EntryType::Regular | EntryType::Continuous
        ) {
            continue;
        }
        let name = entry.path_bytes();
        let name = name.strip_prefix(b"./").unwrap_or(&name);
        let known = FILES.iter().zip(&mut seen);
        let Some((file, was_seen)) = known.into_iter().find(|(file, _)| file.as_bytes() == name)
        else {
            continue;
        };
        if std::mem::replace(was_seen, true) {
            return Err(ArchiveError::Twice(file));
        }
        if *file == PROJECT {
            read_project(entry, &mut builder)?;
        } else {
            read_lines(entry, file, &mut builder)?;
        }
    }
    if is_first {
        return Err(ArchiveError::NotTar);
    }
    Ok(builder)
}

fn broken(is_first: bool) -> ArchiveError {
    if is_first {
        ArchiveError::NotTar
    } else {
        ArchiveError::Damaged("the tar file is truncated")
    }
}

fn read_project(entry: impl Read, builder: &mut ArchiveBuilder) -> Result<(), ArchiveError> {
    let origin = Origin {
        file: PROJECT,
        line: 1,
    };
    let mut text = Vec::new();
    let read = entry.take(MAX_LINE_BYTES + 1).read_to_end(&mut text);
    read.map_err(|_| broken(false))?;
    check_length(origin, &text)?;
    builder.add_project(origin, &text)
}

/// Reads one object per line.
/// Blank lines are skipped.
fn read_lines(
    entry: impl Read,
    file: &'static str,
    builder: &mut ArchiveBuilder,
) -> Result<(), ArchiveError> {
    let mut lines = BufReader::new(entry);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let mut bounded = (&mut lines).take(MAX_LINE_BYTES + 1);
        let read = bounded.read_until(b'\n', &mut text);
        if read.map_err(|_| broken(false))? == 0 {
            break;
        }
        let origin = Origin { file, line };
        check_length(origin, text.strip_suffix(b"\n").unwrap_or(&text))?;
        if !text.iter().all(u8::is_ascii_whitespace) {
            builder.add_line(origin, &text)?;
        }
    }
    Ok(())
}

fn check_length(origin: Origin, text: &[u8]) -> Result<(), ArchiveError> {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if length > MAX_LINE_BYTES {
        return Err(ArchiveError::LongLine(origin));
    }
    Ok(())
}
