//! Tarball for any distribution.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::ReleaseContents;
use crate::file_tree::{EXECUTABLE, FileTree, READABLE};
use crate::release::{CONFIGURATION, UNIT, gzip};

/// Writes the tarball, whose files are in a directory with the name of the release.
///
/// # Errors
/// If the file cannot be written.
pub fn write(release: &ReleaseContents, to: &Path) -> Result<()> {
    let mut tree = FileTree::default();
    tree.file("bin/gatehouse", EXECUTABLE, &*release.binary);
    let text = |text: &'static str| text.as_bytes();
    tree.file(
        "README.txt",
        READABLE,
        text(include_str!("../files/README.txt")),
    );
    tree.file("etc/gatehouse.toml", READABLE, text(CONFIGURATION));
    tree.file("systemd/gatehouse.service", READABLE, text(UNIT));
    tree.file("CHANGELOG.md", READABLE, &*release.changelog);
    for (name, license) in &release.licenses {
        tree.file(name, READABLE, &**license);
    }
    for (name, page) in &release.manual {
        tree.file(&format!("share/man/man1/{name}"), READABLE, &**page);
    }
    for (path, script) in &release.completions {
        tree.file(&format!("share/{path}"), READABLE, &**script);
    }
    let file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    let prefix = format!("{}/", release.name());
    tree.write_tar(&prefix, release.time, gzip(file))?
        .finish()?;
    Ok(())
}
