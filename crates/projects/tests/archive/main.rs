//! Archives of projects: reading those of other servers, rejected files, and round trips.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod content;
mod hostile;
mod written;

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use projects::archive::{Archive, ArchiveError, read};

/// Compresses bytes with gzip.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A tar file with these files, whose names are written unchanged.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        let place = header.as_mut_bytes().get_mut(..name.len());
        place.unwrap().copy_from_slice(name.as_bytes());
        header.set_size(text.len().try_into().unwrap());
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *text).unwrap();
    }
    builder.into_inner().unwrap()
}

/// An archive of a project with these additional files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let project = ("tree/project.json", &b"{}"[..]);
    let others = files.iter().map(|(name, text)| (*name, text.as_bytes()));
    let all: Vec<_> = std::iter::once(project).chain(others).collect();
    gzip(&tar(&all))
}

/// Reads an archive with these lines of issues.
fn read_issues(lines: &str) -> Result<Archive, ArchiveError> {
    read(&archive(&[("tree/project/issues.ndjson", lines)]))
}

/// Error text for an archive.
fn refusal(packed: &[u8]) -> String {
    read(packed).unwrap_err().to_string()
}
