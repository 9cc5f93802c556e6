//! The database that a benchmark fills before it measures.

use std::time::Duration;

use anyhow::{Context as _, Result};
use gatehouse::config::{DatabaseSettings, DatabaseUrl};
use gatehouse_core::database::{Database, open};

/// Opens the database at a URL, with timeouts of a minute for slow operations.
///
/// # Errors
/// When the text is not a database URL, or the database cannot be opened.
pub(crate) fn open_at(url: &str) -> Result<Database> {
    Ok(open(&DatabaseSettings {
        read_timeout: Duration::from_mins(1),
        write_timeout: Duration::from_mins(1),
        ..DatabaseSettings::at(
            DatabaseUrl::parse(url).context("the first argument is no database URL")?,
        )
    })?)
}
