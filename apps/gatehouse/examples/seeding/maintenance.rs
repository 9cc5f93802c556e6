//! Maintenance of a database after many rows were written.

use anyhow::Result;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, SqliteConnection};

/// Performs the maintenance that a database does by itself some time after rows are written. PostgreSQL collects
/// statistics: until then it plans for nearly empty tables. SQLite checkpoints its journal: until then each page is
/// looked up in both files.
///
/// # Errors
/// When the database cannot be opened.
pub(crate) fn run_maintenance(url: &str) -> Result<()> {
    match url.strip_prefix("sqlite:") {
        Some(path) => SqliteConnection::establish(path)?
            .batch_execute("PRAGMA busy_timeout = 60000; PRAGMA wal_checkpoint(TRUNCATE);")?,
        None => PgConnection::establish(url)?.batch_execute("VACUUM ANALYZE")?,
    }
    Ok(())
}
