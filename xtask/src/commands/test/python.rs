//! An environment of Python with the clients that the tests use, in the versions of a list.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::parts::Places;
use crate::{environment, invoke};

/// The list of packages, all of them pinned. A change of it makes the environment anew.
const LIST: &str = "python-requirements.txt";
/// The copy of the list that the environment was made from. It is written last, so a half-made one has none.
const MADE_FROM: &str = "made-from.txt";

/// The interpreter of an environment that was made from the list as it is now.
fn fetched(places: &Places) -> Option<PathBuf> {
    let environment = places.outside.join("python");
    let wanted = fs::read(places.lists.join(LIST)).ok()?;
    let made_from = fs::read(environment.join(MADE_FROM)).ok()?;
    let python = environment.join("bin/python");
    (made_from == wanted && python.exists()).then_some(python)
}

/// Whether the environment is there or can be made.
pub(crate) fn is_installed(places: &Places) -> bool {
    fetched(places).is_some() || interpreter(&places.system).is_some()
}

/// The interpreter of the environment, which is made when it is not there.
///
/// # Errors
/// When there is no Python that makes environments, or the packages cannot be fetched.
pub(crate) fn prepare(places: &Places) -> Result<PathBuf> {
    if let Some(python) = fetched(places) {
        return Ok(python);
    }
    let environment = places.outside.join("python");
    let list = places.lists.join(LIST);
    let python = interpreter(&places.system).context("no Python that makes environments")?;
    println!(
        "fetching the clients for Python into {}",
        environment.display()
    );
    fs::create_dir_all(&places.outside)?;
    let mut make = Command::new(python);
    make.args(["-m", "venv", "--clear"]).arg(&environment);
    invoke::capture(&mut make)?;
    let own = environment.join("bin/python");
    let mut install = Command::new(&own);
    // The list names every package, so that nothing is installed that it does not pin.
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]);
    invoke::capture(install.arg("--requirement").arg(&list))?;
    invoke::capture(Command::new(&own).args(["-m", "pip", "check"]))?;
    fs::copy(&list, environment.join(MADE_FROM))?;
    Ok(own)
}

/// The first Python that can make environments. Debian's own comes first, since its package was installed for this.
fn interpreter(system: &Path) -> Option<PathBuf> {
    let packaged = system.join("usr/bin/python3");
    let candidates = [Some(packaged), environment::program("python3")];
    let makes_environments = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import ensurepip, venv"]);
        invoke::quietly(&mut command).is_ok_and(|outcome| outcome.is_success)
    };
    candidates.into_iter().flatten().find(makes_environments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_of_another_list_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places {
            system: directory.path().to_owned(),
            outside: directory.path().join("outside"),
            lists: directory.path().to_owned(),
            rust_clients: directory.path().to_owned(),
        };
        let environment = places.outside.join("python");
        fs::create_dir_all(environment.join("bin")).unwrap();
        fs::write(environment.join("bin/python"), "").unwrap();
        fs::write(directory.path().join(LIST), "client==2\n").unwrap();
        assert_eq!(fetched(&places), None);
        fs::write(environment.join(MADE_FROM), "client==1\n").unwrap();
        assert_eq!(fetched(&places), None);
        fs::write(environment.join(MADE_FROM), "client==2\n").unwrap();
        assert_eq!(fetched(&places), Some(environment.join("bin/python")));
    }
}
