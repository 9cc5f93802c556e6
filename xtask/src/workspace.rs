//! The workspace as cargo sees it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::{environment, invoke};

/// Root of the workspace, and queries of cargo about it.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace in which this program was started. Cargo tells its path at run time; the path at build time does
    /// not count, because cargo does not rebuild when the checkout is moved.
    ///
    /// # Errors
    /// When cargo did not start this program, or there is no workspace at its path.
    pub(crate) fn here() -> Result<Self> {
        let own = environment::own_package();
        let own = own.context("run `cargo xtask`, which passes the path of the workspace")?;
        let root = own
            .parent()
            .context("the package belongs to no workspace")?;
        anyhow::ensure!(
            root.join("Cargo.toml").is_file(),
            "{} contains no workspace",
            root.display()
        );
        Ok(Self {
            root: root.to_owned(),
        })
    }

    /// The directory of the root manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A cargo command that runs in the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(environment::cargo());
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// The packages and the resolved graph for a set of features, chosen by cargo's own options.
    ///
    /// # Errors
    /// When cargo fails, for instance because the lock file is not up to date.
    pub(crate) fn metadata(&self, features: &[&str]) -> Result<CargoMetadata> {
        let mut command = self.cargo(&["metadata", "--format-version", "1", "--locked"]);
        let output = invoke::capture(command.args(features))?;
        serde_json::from_slice(&output).context("cargo metadata printed something unexpected")
    }

    /// Directory of the external programs that the chores fetch.
    ///
    /// # Errors
    /// When cargo fails.
    pub(crate) fn outside(&self) -> Result<PathBuf> {
        Ok(self.target_directory()?.join("outside"))
    }

    /// Directory of cargo's build output.
    ///
    /// # Errors
    /// When cargo fails.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        let mut command = self.cargo(&["metadata", "--format-version", "1", "--no-deps"]);
        let output = invoke::capture(&mut command)?;
        let metadata: CargoMetadata = serde_json::from_slice(&output)?;
        Ok(metadata.target_directory)
    }
}

/// The parts of `cargo metadata` that are used here.
#[derive(Debug, Deserialize)]
pub(crate) struct CargoMetadata {
    pub(crate) packages: Vec<Package>,
    workspace_members: Vec<String>,
    pub(crate) resolve: Option<Resolve>,
    target_directory: PathBuf,
}

impl CargoMetadata {
    /// The packages of this workspace, by name.
    pub(crate) fn members(&self) -> Vec<&Package> {
        let is_member = |package: &&Package| self.workspace_members.contains(&package.id);
        let mut members: Vec<_> = self.packages.iter().filter(is_member).collect();
        members.sort_by(|one, other| one.name.cmp(&other.name));
        members
    }
}

/// A package, ours or third-party.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    /// Address of its sources.
    pub(crate) repository: Option<String>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    pub(crate) targets: Vec<CargoTarget>,
    /// The registries that the package may be published to. An empty list means none.
    #[serde(default)]
    publish: Option<Vec<String>>,
}

impl Package {
    /// The directory of its manifest.
    pub(crate) fn directory(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// True if others may depend on the package.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.is_none()
    }

    /// True if the package has a library.
    pub(crate) fn is_library(&self) -> bool {
        let is_lib = |target: &CargoTarget| target.kind.iter().any(|kind| kind == "lib");
        self.targets.iter().any(is_lib)
    }
}

/// A build target of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct CargoTarget {
    pub(crate) kind: Vec<String>,
}

/// The resolved graph.
#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// A package in the resolved graph.
#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Dependency>,
}

/// An edge of the resolved graph.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) pkg: String,
    pub(crate) dep_kinds: Vec<DependencyKind>,
}

/// Kind of an edge: `None` for normal use, else `dev` or `build`.
#[derive(Debug, Deserialize)]
pub(crate) struct DependencyKind {
    pub(crate) kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Prints the workspace that a copy of this program finds. The test below runs this test as a child in a checkout
    /// that did not exist when the program was built.
    #[test]
    fn the_workspace_has_this_package() {
        let root = Workspace::here().unwrap().root;
        assert!(
            root.join("xtask/Cargo.toml").is_file(),
            "{}",
            root.display()
        );
        println!("workspace in {}", root.display());
    }

    #[test]
    fn a_checkout_may_be_moved_after_it_was_built() {
        let other_checkout = tempfile::tempdir().unwrap();
        let own = other_checkout.path().join("xtask");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(other_checkout.path().join("Cargo.toml"), "").unwrap();
        std::fs::write(own.join("Cargo.toml"), "").unwrap();
        let mut moved = Command::new(std::env::current_exe().unwrap());
        moved
            .args(["--exact", "--nocapture"])
            .arg("workspace::tests::the_workspace_has_this_package")
            .env("CARGO_MANIFEST_DIR", &own);
        let output = String::from_utf8(invoke::capture(&mut moved).unwrap()).unwrap();
        let root = format!("workspace in {}\n", other_checkout.path().display());
        assert!(output.contains(&root), "{output}");
    }

    /// `cargo run --release -- demo` is the first command of the README: without a name it must run the server.
    #[test]
    fn cargo_runs_the_server_by_default() {
        let workspace = Workspace::here().unwrap();
        let mut command = workspace.cargo(&["metadata", "--format-version", "1", "--no-deps"]);
        let output: Value =
            serde_json::from_slice(&invoke::capture(&mut command).unwrap()).unwrap();
        let metadata: CargoMetadata = serde_json::from_value(output.clone()).unwrap();
        let members = metadata.members();
        let server = members.iter().find(|package| package.name == "gatehouse");
        let ids: Vec<&str> = server.iter().map(|package| &*package.id).collect();
        assert_eq!(output["workspace_default_members"], serde_json::json!(ids));
        let kinds = server
            .unwrap()
            .targets
            .iter()
            .flat_map(|target| &target.kind);
        assert_eq!(kinds.filter(|kind| *kind == "bin").count(), 1);
    }
}
