//! Archives of projects: what is read of those of others, what is refused, and that what is written comes back.
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

/// A file of gzip.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A tar file with these files, whose names are written as they are.
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

/// An archive of a project with these other files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let project = ("tree/project.json", &b"{}"[..]);
    let others = files.iter().map(|(name, text)| (*name, text.as_bytes()));
    let all: Vec<_> = std::iter::once(project).chain(others).collect();
    gzip(&tar(&all))
}

/// What is read of the lines of issues.
fn read_issues(lines: &str) -> Result<Archive, ArchiveError> {
    read(&archive(&[("tree/project/issues.ndjson", lines)]))
}

/// The refusal of an archive, in words.
fn refusal(packed: &[u8]) -> String {
    read(packed).unwrap_err().to_string()
}
