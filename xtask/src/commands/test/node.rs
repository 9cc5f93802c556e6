//! A directory of Node packages with the clients that the tests use, in pinned versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::dependencies::{SearchPaths, TestVariable, program};
use crate::invoke;

/// The wanted packages, and the lock file with the exact versions and digests of all dependencies. A change to them
/// fetches everything again.
const LISTS: [(&str, &str); 2] = [
    ("node-package.json", "package.json"),
    ("node-package-lock.json", "package-lock.json"),
];
/// A copy of the lists from which the packages were fetched. It is written last, so an incomplete directory has none.
const BUILT_FROM: &str = "made-from.txt";

/// True if the packages are there or can be fetched.
pub(crate) fn is_installed(paths: &SearchPaths) -> bool {
    interpreter(paths).is_some() && (is_fetched(paths) || package_manager(paths).is_some())
}

/// The interpreter, and the directory of the packages, which are fetched if they are missing.
///
/// # Errors
/// When there is no Node, or the packages cannot be fetched.
pub(crate) fn prepare(paths: &SearchPaths) -> Result<[TestVariable; 2]> {
    let node = interpreter(paths).context("Node.js was not found")?;
    if !is_fetched(paths) {
        fetch(paths)?;
    }
    Ok([
        ("GATEHOUSE_TEST_NODE", node),
        ("GATEHOUSE_TEST_NODE_CLIENTS", directory(paths)),
    ])
}

fn directory(paths: &SearchPaths) -> PathBuf {
    paths.outside.join("node")
}

/// Both lists, concatenated.
fn package_lists(paths: &SearchPaths) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for (list, _) in LISTS {
        text.extend(fs::read(paths.lists.join(list))?);
    }
    Ok(text)
}

fn is_fetched(paths: &SearchPaths) -> bool {
    let built_from = fs::read(directory(paths).join(BUILT_FROM)).ok();
    built_from.is_some() && built_from == package_lists(paths).ok()
}

fn fetch(paths: &SearchPaths) -> Result<()> {
    let npm = package_manager(paths).context("npm was not found")?;
    let directory = directory(paths);
    println!("fetching the clients for Node into {}", directory.display());
    fs::create_dir_all(&directory)?;
    remove(&directory.join(BUILT_FROM))?;
    for (list, name) in LISTS {
        fs::copy(paths.lists.join(list), directory.join(name))?;
    }
    let mut install = Command::new(npm);
    // Installs only what the list pins, and runs no install scripts of packages.
    install
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .arg("--prefix")
        .arg(&directory)
        .current_dir(&directory);
    invoke::capture(&mut install)?;
    fs::write(directory.join(BUILT_FROM), package_lists(paths)?)?;
    Ok(())
}

/// Removes a file if it exists.
fn remove(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn interpreter(paths: &SearchPaths) -> Option<PathBuf> {
    program(paths, &["node", "nodejs"])
}

fn package_manager(paths: &SearchPaths) -> Option<PathBuf> {
    program(paths, &["npm"])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::workspace::Workspace;

    /// The Node version of Debian 12, the oldest that the command installs.
    const OLDEST: u32 = 18;
    /// Features of later versions, or features that Debian's build of that version lacks.
    const TOO_NEW: [&str; 14] = [
        "getSetCookie",
        "fromAsync",
        "withResolvers",
        "groupBy",
        "toSorted",
        "toReversed",
        "toSpliced",
        "isSubsetOf",
        "Promise.try",
        "import.meta.dirname",
        "import.meta.filename",
        "with { type",
        "new WebSocket",
        "process.loadEnvFile",
    ];

    #[test]
    fn the_scripts_use_nothing_that_the_oldest_node_lacks() {
        let root = Workspace::here().unwrap().root().to_owned();
        for (directory, least) in [("clients", 4), ("notifications", 1), ("trackers", 2)] {
            let scripts = root.join("apps/gatehouse/tests/peers").join(directory);
            let mut count = 0;
            for entry in fs::read_dir(scripts).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "mjs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let found = TOO_NEW.iter().find(|name| text.contains(*name));
                    assert_eq!(found, None, "{}", path.display());
                    count += 1;
                }
            }
            assert!(count >= least, "{count} scripts in {directory}");
        }
    }

    #[test]
    fn every_pinned_package_supports_the_oldest_node() {
        let root = Workspace::here().unwrap().root().to_owned();
        let lock = fs::read(root.join("xtask/outside/node-package-lock.json")).unwrap();
        let lock: Value = serde_json::from_slice(&lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 3, "{}", packages.len());
        for (name, package) in packages {
            if let Some(versions) = package["engines"]["node"].as_str() {
                assert!(allow(versions, OLDEST), "{name}: {versions}");
            }
        }
        assert!(allow("^16.1 || ^18.2.0 || >=20", 18) && allow(">= 12", 18));
        assert!(!allow(">=20.19", 18) && !allow("^16 || ^20", 18));
    }

    /// True if the package's declared versions include this major version.
    fn allow(versions: &str, number: u32) -> bool {
        versions.split("||").any(|each| {
            let each = each.trim();
            let digits = each.trim_start_matches(|first: char| !first.is_ascii_digit());
            let major = digits
                .split(['.', ' '])
                .next()
                .and_then(|text| text.parse().ok());
            let least: u32 = major.unwrap_or(0);
            least == number || (each.starts_with(">=") && least < number)
        })
    }

    #[test]
    fn packages_of_another_list_do_not_count() {
        let root = tempfile::tempdir().unwrap();
        let paths = SearchPaths {
            system: root.path().to_owned(),
            outside: root.path().join("outside"),
            lists: root.path().to_owned(),
            rust_clients: root.path().to_owned(),
        };
        fs::create_dir_all(directory(&paths)).unwrap();
        assert!(!is_fetched(&paths), "without lists");
        for (list, _) in LISTS {
            fs::write(root.path().join(list), "two\n").unwrap();
        }
        assert!(!is_fetched(&paths), "before anything was fetched");
        let built_from = directory(&paths).join(BUILT_FROM);
        fs::write(&built_from, "one\ntwo\n").unwrap();
        assert!(!is_fetched(&paths), "after a change");
        fs::write(&built_from, "two\ntwo\n").unwrap();
        assert!(is_fetched(&paths));
    }
}
