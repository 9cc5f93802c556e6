//! `gatehouse demo`: a server with sample data, for the first five minutes.

mod credentials;
mod errors;
mod sample;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;

use super::output;
use super::serve::ready_database;
use crate::config::{Overrides, load};
use crate::data_files::exposed;
use crate::server::Operations;
use crate::{logging, server};
use credentials::{Demo, DemoCredentials};
use gatehouse_core::private_files::create_directory;

#[derive(Debug, Args)]
pub(super) struct DemoFlags {
    /// Print one JSON object with every URL and credential as the first line.
    #[arg(long)]
    print_json: bool,
}

/// Runs the server with sample data.
/// A directory given by the user is kept and reused; otherwise the data is in a temporary directory, which is deleted
/// when the server ends.
pub(super) fn demo(
    mut overrides: Overrides,
    flags: &DemoFlags,
    operations: Operations,
) -> anyhow::Result<()> {
    let (directory, _temporary) = data_directory(&overrides)?;
    overrides.data = Some(directory.clone());
    let settings = Arc::new(load(&overrides)?);
    logging::start(&settings.log);
    let bound = server::bind(Arc::clone(&settings))?;
    let database = ready_database(&settings)?;
    for exposed in exposed(&settings) {
        tracing::warn!("{exposed}");
    }
    let credentials = if let Some(known) = DemoCredentials::load(&directory)? {
        known.check(&database, &directory, &settings.database.url)?;
        known
    } else {
        sample::check_room(&database, &settings.database.url)?;
        let created = sample::fill(&database, &settings)?;
        created.save(&directory)?;
        created
    };
    actix_web::rt::System::new().block_on(async move {
        let demo = Demo::new(credentials, &bound.base_url);
        // A reader of the output may act on it immediately, even stop the server.
        let running = bound.start(database, operations).await?;
        if flags.print_json {
            output::json(&demo)?;
        } else {
            demo.print();
        }
        running.ended().await
    })
}

/// Directory of the data, with the guard of a temporary directory.
fn data_directory(overrides: &Overrides) -> anyhow::Result<(PathBuf, Option<tempfile::TempDir>)> {
    if let Some(given) = &overrides.data {
        create_directory(given)
            .with_context(|| format!("cannot use the directory {}", given.display()))?;
        return Ok((Path::new(given).to_owned(), None));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix("gatehouse-demo-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let temporary = builder
        .tempdir()
        .context("cannot create a temporary directory; choose a directory with --data")?;
    Ok((temporary.path().to_owned(), Some(temporary)))
}
