//! `cargo xtask dist`: builds the program for any Linux since 2018, and packages it.
//!
//! Zig is the C compiler and the linker, because it links against an older C library than that of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use super::test::python;
use crate::workspace::Workspace;
use crate::{environment, invoke};

/// Target of the build.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Oldest version of the C library that the program runs with; the packages are checked for it.
const GLIBC: &str = "2.28";
/// Pinned packages of the C compiler and of its adapter for cargo.
const LIST: &str = "dist-requirements.txt";

/// Arguments of `cargo xtask dist`.
#[derive(Debug, clap::Args)]
pub(crate) struct DistArguments {
    /// Build profile
    #[arg(long, default_value = "dist", value_name = "NAME")]
    profile: String,
    /// Package this program instead of building one; its C library may be newer
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Directory of the packages (default: target/dist-artifacts)
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// Builds the program and writes all packages.
///
/// # Errors
/// When the build fails, the program needs a newer C library, or a package cannot be written.
pub(crate) fn run(workspace: &Workspace, arguments: &DistArguments) -> Result<ExitCode> {
    let commit = SourceCommit::current(workspace)?;
    let target = workspace.target_directory()?;
    let to = arguments.to.clone();
    let to = to.unwrap_or_else(|| target.join("dist-artifacts"));
    let binary = match &arguments.binary {
        Some(binary) => binary.clone(),
        None => build(workspace, &arguments.profile, &commit)?,
    };
    let mut package = workspace.cargo(&["run", "--quiet", "--locked", "--release"]);
    package.args(["--package", "packaging", "--", "--version"]);
    package.arg(version(workspace)?);
    package.args(["--time", &commit.time, "--sources"]);
    package.arg(workspace.root()).arg("--to").arg(&to);
    package.arg("--binary").arg(std::path::absolute(&binary)?);
    if arguments.binary.is_some() {
        package.arg("--any-glibc");
    }
    ensure!(invoke::run_visible(&mut package)?, "packaging failed");
    Ok(ExitCode::SUCCESS)
}

/// Commit of the sources.
struct SourceCommit {
    id: String,
    /// Seconds since 1970.
    time: String,
}

impl SourceCommit {
    fn current(workspace: &Workspace) -> Result<Self> {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%H %ct"]);
        let line = invoke::capture(git.current_dir(workspace.root()))?;
        let line = String::from_utf8_lossy(&line);
        let (id, time) = line
            .trim()
            .split_once(' ')
            .context("git printed no commit")?;
        Ok(Self {
            id: id.to_owned(),
            time: time.to_owned(),
        })
    }
}

fn version(workspace: &Workspace) -> Result<String> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    let members = metadata.members();
    let program = members.iter().find(|package| package.name == "gatehouse");
    let program = program.context("the workspace has no package gatehouse")?;
    Ok(program.version.clone())
}

/// Builds the program and returns its path.
fn build(workspace: &Workspace, profile: &str, commit: &SourceCommit) -> Result<PathBuf> {
    let tools = tools(workspace)?;
    let mut build = workspace.cargo(&["zigbuild", "--locked", "--package", "gatehouse"]);
    build.args(["--features", "postgres-tls,traces", "--profile", profile]);
    build.arg("--target").arg(format!("{TARGET}.{GLIBC}"));
    let paths = environment::value("PATH").unwrap_or_default();
    let paths = std::iter::once(tools).chain(std::env::split_paths(&paths));
    build.env("PATH", std::env::join_paths(paths)?);
    build.env("GATEHOUSE_BUILD_COMMIT", &commit.id);
    build.env("SOURCE_DATE_EPOCH", &commit.time);
    let prefixes = prefixes(workspace);
    let rust: Vec<String> = prefixes
        .iter()
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
        .collect();
    let c: Vec<String> = prefixes
        .iter()
        .map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()))
        .collect();
    build.env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"));
    build.env("CFLAGS", c.join(" "));
    // The build of the tests wraps the compiler; a released program is compiled by the compiler alone.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER");
    ensure!(invoke::run_visible(&mut build)?, "the build failed");
    let directory = if profile == "dev" { "debug" } else { profile };
    let target = workspace.target_directory()?;
    Ok(target.join(TARGET).join(directory).join("gatehouse"))
}

/// Paths of this machine that must not appear in the program, and their replacements.
fn prefixes(workspace: &Workspace) -> Vec<(PathBuf, &'static str)> {
    let home = || Some(Path::new(&environment::value("HOME")?).join(".cargo"));
    let cargo = environment::value("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(home).map(|path| (path, "/cargo"));
    let sources = (workspace.root().to_owned(), "/gatehouse");
    cargo.into_iter().chain([sources]).collect()
}

/// Directory with the tools of the build, which are fetched if they are missing.
fn tools(workspace: &Workspace) -> Result<PathBuf> {
    let lists = workspace.root().join("xtask/outside");
    let environment = workspace.outside()?.join("dist");
    let python = python::environment_of(&lists.join(LIST), &environment, Path::new("/"))?;
    let directory = python.parent().map(Path::to_owned);
    directory.context("the environment has no directory of programs")
}
