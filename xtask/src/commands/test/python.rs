//! Python environments with packages in pinned versions: the clients that the tests use, and the tools of a release.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::dependencies::SearchPaths;
use crate::{environment, invoke};

/// The list of packages, all of them pinned. A change to it rebuilds the environment.
const LIST: &str = "python-requirements.txt";
/// A copy of the list from which the environment was built. It is written last, so an incomplete environment has none.
const BUILT_FROM: &str = "made-from.txt";

/// The interpreter of an environment that was built from the current list.
fn installed_python(list: &Path, environment: &Path) -> Option<PathBuf> {
    let expected = fs::read(list).ok()?;
    let built_from = fs::read(environment.join(BUILT_FROM)).ok()?;
    let python = environment.join("bin/python");
    (built_from == expected && python.exists()).then_some(python)
}

/// True if the environment is there or can be created.
pub(crate) fn is_installed(paths: &SearchPaths) -> bool {
    installed_python(&paths.lists.join(LIST), &paths.outside.join("python")).is_some()
        || interpreter(&paths.system).is_some()
}

/// The interpreter of the environment, which is created if it is missing.
///
/// # Errors
/// When no installed Python can create environments, or the packages cannot be fetched.
pub(crate) fn prepare(paths: &SearchPaths) -> Result<PathBuf> {
    let list = paths.lists.join(LIST);
    environment_of(&list, &paths.outside.join("python"), &paths.system)
}

/// The interpreter of an environment with the packages of a list, which is created if it is missing.
///
/// # Errors
/// When no installed Python can create environments, or the packages cannot be fetched.
pub(crate) fn environment_of(list: &Path, environment: &Path, system: &Path) -> Result<PathBuf> {
    if let Some(python) = installed_python(list, environment) {
        return Ok(python);
    }
    let python = interpreter(system).context("no Python with the module venv was found")?;
    println!(
        "fetching packages for Python into {}",
        environment.display()
    );
    fs::create_dir_all(environment)?;
    let mut create = Command::new(python);
    create.args(["-m", "venv", "--clear"]).arg(environment);
    invoke::capture(&mut create)?;
    let own = environment.join("bin/python");
    let mut install = Command::new(&own);
    // The list names every package, so nothing is installed without a pinned version.
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]);
    invoke::capture(install.arg("--requirement").arg(list))?;
    invoke::capture(Command::new(&own).args(["-m", "pip", "check"]))?;
    fs::copy(list, environment.join(BUILT_FROM))?;
    Ok(own)
}

/// The first Python that can create environments. Debian's own comes first, since its package was installed for this.
fn interpreter(system: &Path) -> Option<PathBuf> {
    let packaged = system.join("usr/bin/python3");
    let candidates = [Some(packaged), environment::program("python3")];
    let makes_environments = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import ensurepip, venv"]);
        invoke::run_quiet(&mut command).is_ok_and(|outcome| outcome.is_success)
    };
    candidates.into_iter().flatten().find(makes_environments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_of_another_list_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let list = directory.path().join(LIST);
        let environment = directory.path().join("python");
        fs::create_dir_all(environment.join("bin")).unwrap();
        fs::write(environment.join("bin/python"), "").unwrap();
        fs::write(&list, "client==2\n").unwrap();
        assert_eq!(installed_python(&list, &environment), None);
        fs::write(environment.join(BUILT_FROM), "client==1\n").unwrap();
        assert_eq!(installed_python(&list, &environment), None);
        fs::write(environment.join(BUILT_FROM), "client==2\n").unwrap();
        assert_eq!(
            installed_python(&list, &environment),
            Some(environment.join("bin/python"))
        );
    }
}
