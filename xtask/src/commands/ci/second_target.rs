//! Second build directory, so that cargo can check two sets of features at a time. Cargo locks a directory while it
//! compiles, and the compiler's front end uses one core.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::workspace::Workspace;

/// Subdirectories with what is compiled once and used again.
const PARTS: [&str; 3] = [".fingerprint", "build", "deps"];

/// Creates the directory anew, with links to the third-party packages that the first one has.
///
/// # Errors
/// When a directory or a link cannot be created.
pub(super) fn create(workspace: &Workspace) -> Result<PathBuf> {
    let first = workspace.target_directory()?;
    let second = first.join("second");
    match fs::remove_dir_all(&second) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", second.display()));
        }
        _ => {}
    }
    let metadata = workspace.metadata(&["--no-deps"])?;
    let members = metadata.members().into_iter();
    let own: Vec<String> = members.map(|member| normalized(&member.name)).collect();
    for part in PARTS {
        let (from, to) = (
            first.join("debug").join(part),
            second.join("debug").join(part),
        );
        link_third_party(&from, &to, &own)
            .with_context(|| format!("cannot link {} to {}", from.display(), to.display()))?;
    }
    Ok(second)
}

/// Links the entries of a directory, except those of packages of the workspace, which the two directories compile with
/// different features at the same time.
fn link_third_party(from: &Path, to: &Path, own: &[String]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_of(own, &name.to_string_lossy()) {
            link(&entry.path(), &to.join(name))?;
        }
    }
    Ok(())
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::hard_link(from, to);
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        link(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// True if a file or directory of cargo, `libname-hash.rmeta` or `name-hash`, belongs to one of the packages.
fn is_of(packages: &[String], file: &str) -> bool {
    let Some((name, _)) = file.rsplit_once('-') else {
        return false;
    };
    let name = normalized(name);
    let bare = name.strip_prefix("lib").unwrap_or(&name);
    packages
        .iter()
        .any(|package| *package == name || package == bare)
}

fn normalized(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_package_before_their_hash() {
        let own = ["storage_diesel", "events", "storage"].map(str::to_owned);
        for (file, expected) in [
            ("libstorage_diesel-0123456789abcdef.rmeta", true),
            ("storage-diesel-0123456789abcdef", true),
            ("storage_diesel-0123456789abcdef.d", true),
            ("libevents-0123456789abcdef.rmeta", true),
            ("libdiesel-0123456789abcdef.rmeta", false),
            ("events_more-0123456789abcdef.d", false),
            ("events", false),
        ] {
            assert_eq!(is_of(&own, file), expected, "{file}");
        }
    }

    #[test]
    fn third_party_packages_are_linked_and_own_ones_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        for name in ["serde-01", "events-02"] {
            fs::create_dir_all(from.join(name)).unwrap();
            fs::write(from.join(name).join("output"), name).unwrap();
        }
        link_third_party(&from, &to, &["events".to_owned()]).unwrap();
        assert_eq!(
            fs::read_to_string(to.join("serde-01/output")).unwrap(),
            "serde-01"
        );
        assert!(!to.join("events-02").exists());
    }
}
