//! A directory of Node packages with the clients that the tests use, in the versions of a list.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::parts::{Places, Setting, program};
use crate::invoke;

/// What is wanted, and the exact versions and digests of all that it needs. A change of them fetches everything anew.
const LISTS: [(&str, &str); 2] = [
    ("node-package.json", "package.json"),
    ("node-package-lock.json", "package-lock.json"),
];
/// The copy of the lists that the packages were fetched by. It is written last, so a half-made directory has none.
const MADE_FROM: &str = "made-from.txt";

/// Whether the packages are there or can be fetched.
pub(crate) fn is_installed(places: &Places) -> bool {
    interpreter(places).is_some() && (is_fetched(places) || package_manager(places).is_some())
}

/// The interpreter, and the directory of the packages, which are fetched when they are not there.
///
/// # Errors
/// When there is no Node, or the packages cannot be fetched.
pub(crate) fn prepare(places: &Places) -> Result<[Setting; 2]> {
    let node = interpreter(places).context("no Node")?;
    if !is_fetched(places) {
        fetch(places)?;
    }
    Ok([
        ("GATEHOUSE_TEST_NODE", node),
        ("GATEHOUSE_TEST_NODE_CLIENTS", directory(places)),
    ])
}

fn directory(places: &Places) -> PathBuf {
    places.outside.join("node")
}

/// Both lists, one behind the other.
fn wanted(places: &Places) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for (list, _) in LISTS {
        text.extend(fs::read(places.lists.join(list))?);
    }
    Ok(text)
}

fn is_fetched(places: &Places) -> bool {
    let made_from = fs::read(directory(places).join(MADE_FROM)).ok();
    made_from.is_some() && made_from == wanted(places).ok()
}

fn fetch(places: &Places) -> Result<()> {
    let npm = package_manager(places).context("no npm")?;
    let directory = directory(places);
    fs::create_dir_all(&directory)?;
    remove(&directory.join(MADE_FROM))?;
    for (list, name) in LISTS {
        fs::copy(places.lists.join(list), directory.join(name))?;
    }
    let mut install = Command::new(npm);
    // Nothing but what the list pins, and no package runs anything while it is installed.
    install
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .arg("--prefix")
        .arg(&directory)
        .current_dir(&directory);
    invoke::capture(&mut install)?;
    fs::write(directory.join(MADE_FROM), wanted(places)?)?;
    Ok(())
}

/// Removes a file that may not be there.
fn remove(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn interpreter(places: &Places) -> Option<PathBuf> {
    program(places, &["node", "nodejs"])
}

fn package_manager(places: &Places) -> Option<PathBuf> {
    program(places, &["npm"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_another_list_do_not_count() {
        let root = tempfile::tempdir().unwrap();
        let places = Places {
            system: root.path().to_owned(),
            outside: root.path().join("outside"),
            lists: root.path().to_owned(),
            rust_clients: root.path().to_owned(),
        };
        fs::create_dir_all(directory(&places)).unwrap();
        assert!(!is_fetched(&places), "without lists");
        for (list, _) in LISTS {
            fs::write(root.path().join(list), "two\n").unwrap();
        }
        assert!(!is_fetched(&places), "before anything was fetched");
        let made_from = directory(&places).join(MADE_FROM);
        fs::write(&made_from, "one\ntwo\n").unwrap();
        assert!(!is_fetched(&places), "after a change");
        fs::write(&made_from, "two\ntwo\n").unwrap();
        assert!(is_fetched(&places));
    }
}
