//! Contents of all packages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use chrono::{DateTime, Utc};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// Unit of systemd.
pub const UNIT: &str = include_str!("../files/gatehouse.service");
/// Configuration of an installed server.
pub const CONFIGURATION: &str = include_str!("../files/gatehouse.toml");

/// Shells, and the names of their completion scripts in the directories of Debian.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/gatehouse"),
    ("zsh", "zsh/vendor-completions/_gatehouse"),
    ("fish", "fish/vendor_completions.d/gatehouse.fish"),
];

/// A built version of the server, and the files that belong to it.
#[derive(Debug, Clone)]
pub struct ReleaseContents {
    /// Version, as `gatehouse --version` prints it.
    pub version: String,
    /// Time of its commit, in seconds since 1970: the time of every file in a package.
    pub time: u64,
    /// The program.
    pub binary: Vec<u8>,
    /// Path of a program that runs on this machine. Its shared libraries go into the image.
    pub program: PathBuf,
    /// Manual pages by file name.
    pub manual: BTreeMap<String, Vec<u8>>,
    /// Completion scripts by path below `share`.
    pub completions: BTreeMap<&'static str, Vec<u8>>,
    /// License texts by file name.
    pub licenses: BTreeMap<&'static str, Vec<u8>>,
    /// Changelog.
    pub changelog: Vec<u8>,
}

impl ReleaseContents {
    /// Collects the contents: a program describes itself, and the rest is in the sources.
    ///
    /// # Errors
    /// If the program cannot be run, or a file cannot be read.
    pub fn collect(program: &Path, sources: &Path, version: String, time: u64) -> Result<Self> {
        let completions = SHELLS.map(|(shell, path)| {
            let script = run(Command::new(program).args(["completions", shell]));
            script.map(|script| (path, script))
        });
        let licenses = ["LICENSE-APACHE", "LICENSE-MIT"]
            .map(|name| read(&sources.join(name)).map(|text| (name, text)));
        Ok(Self {
            version,
            time,
            binary: read(program)?,
            program: program.to_owned(),
            manual: manual(program)?,
            completions: completions.into_iter().collect::<Result<_>>()?,
            licenses: licenses.into_iter().collect::<Result<_>>()?,
            changelog: read(&sources.join("CHANGELOG.md"))?,
        })
    }

    /// Name of the release in file names.
    pub fn name(&self) -> String {
        format!("gatehouse-{}", self.version)
    }

    /// Time of the release as a date.
    pub(crate) fn date(&self) -> Result<DateTime<Utc>> {
        let date = DateTime::from_timestamp(self.time.try_into()?, 0);
        date.context("the time of the release is out of range")
    }
}

/// Starts a gzip stream without a name or a time.
pub(crate) fn gzip<W: std::io::Write>(to: W) -> GzEncoder<W> {
    // 255: an unknown operating system.
    GzBuilder::new()
        .operating_system(255)
        .write(to, Compression::best())
}

/// Compresses bytes.
pub(crate) fn gzipped(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = gzip(Vec::new());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn manual(program: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let directory = tempfile::tempdir()?;
    run(Command::new(program)
        .args(["man", "--to"])
        .arg(directory.path()))?;
    let pages = fs::read_dir(directory.path())?.map(|page| {
        let page = page?;
        let name = page.file_name().to_string_lossy().into_owned();
        Ok((name, read(&page.path())?))
    });
    pages.collect()
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Runs a program that must succeed, and returns its standard output.
pub(crate) fn run(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    ensure!(
        output.status.success(),
        "{name} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(output.stdout)
}
