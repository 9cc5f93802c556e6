//! The program with the Rust clients that a test runs. It is a separate workspace with a lock file of its own, so that
//! none of its dependencies is ever linked into the server.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::dependencies::SearchPaths;
use crate::{environment, invoke};

/// Builds the program with its lock file, and returns its path.
///
/// # Errors
/// When it does not compile, or its packages cannot be fetched.
pub(crate) fn prepare(paths: &SearchPaths) -> Result<PathBuf> {
    let target = paths.outside.join("rust-clients");
    println!(
        "building the Rust clients in {}; the first build takes a minute or two",
        target.display()
    );
    let mut build = Command::new(environment::cargo());
    build
        .args(["build", "--locked", "--manifest-path"])
        .arg(paths.rust_clients.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    // Cargo shows the progress.
    ensure!(
        invoke::run_visible(&mut build)?,
        "the clients do not compile"
    );
    Ok(target.join("debug/gatehouse-rust-clients"))
}
