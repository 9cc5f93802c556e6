//! Archives of projects.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// An archive of a project, with these files in addition, or as replacements.
pub(crate) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let project = ("tree/project.json", "{}");
    let has_project = files.iter().any(|(name, _)| *name == project.0);
    let own = (!has_project).then_some(project);
    for (name, text) in own.iter().chain(files) {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len().try_into().unwrap());
        header.set_mode(0o644);
        let appended = builder.append_data(&mut header, name, text.as_bytes());
        appended.unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}

/// An archive with these lines of issues.
pub(crate) fn archive_of_issues(lines: &str) -> Vec<u8> {
    archive(&[("tree/project/issues.ndjson", lines)])
}

/// Compresses data with gzip.
pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}
