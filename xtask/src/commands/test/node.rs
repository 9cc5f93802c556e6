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
    println!("fetching the clients for Node into {}", directory.display());
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
    use serde_json::Value;

    use super::*;
    use crate::workspace::Workspace;

    /// The Node that Debian 12 has, the oldest that the command installs.
    const OLDEST: u32 = 18;
    /// What later versions brought, or what Debian's build of that version lacks.
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
        for (directory, least) in [("clients", 4), ("trackers", 2)] {
            let scripts = root.join("apps/gatehouse/tests/peers").join(directory);
            let mut looked_at = 0;
            for entry in fs::read_dir(scripts).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "mjs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let found = TOO_NEW.iter().find(|name| text.contains(*name));
                    assert_eq!(found, None, "{}", path.display());
                    looked_at += 1;
                }
            }
            assert!(looked_at >= least, "{looked_at} scripts in {directory}");
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

    /// Whether a version of that number is among those that a package says it supports.
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
