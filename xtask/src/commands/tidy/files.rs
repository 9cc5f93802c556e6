//! The files that belong to the project.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Directories without sources: build outputs, fetched packages, and files written at run time.
const SKIPPED: [&str; 5] = ["target", ".git", "corpus", "artifacts", "node_modules"];

/// All files below a directory, in order. Skips the directories of [`SKIPPED`], and the `data` directory that a server
/// run from the root leaves there.
///
/// # Errors
/// When a directory cannot be read.
pub(crate) fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(current) = waiting.pop() {
        let entries =
            fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type()?;
            if kind.is_file() {
                found.push(entry.path());
            } else if kind.is_dir()
                && !SKIPPED.iter().any(|skipped| name == *skipped)
                && !(current == directory && name == "data")
            {
                waiting.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_outputs_and_runtime_data_are_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for path in [
            "src/lib.rs",
            "target/debug/x",
            "data/gatehouse.sqlite3",
            "fuzz/corpus/one/seed",
            "tests/data/body.json",
            "README.md",
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = below(root).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, ["README.md", "src/lib.rs", "tests/data/body.json"]);
    }
}
