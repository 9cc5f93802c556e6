//! The program with the Rust clients that a test runs. It is a workspace of its own, with a list of its own of what it
//! stands on, so that nothing of it is ever linked into the server.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use super::parts::Places;
use crate::{environment, invoke};

/// Builds the program as its list says, and gives where it is.
///
/// # Errors
/// When it does not compile, or its packages cannot be fetched.
pub(crate) fn prepare(places: &Places) -> Result<PathBuf> {
    let target = places.outside.join("rust-clients");
    println!(
        "building the clients in Rust in {}; the first time takes a minute or two",
        target.display()
    );
    let mut build = Command::new(environment::cargo());
    build
        .args(["build", "--locked", "--manifest-path"])
        .arg(places.rust_clients.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target);
    // Cargo shows how far it is.
    ensure!(invoke::openly(&mut build)?, "the clients do not compile");
    Ok(target.join("debug/gatehouse-rust-clients"))
}
