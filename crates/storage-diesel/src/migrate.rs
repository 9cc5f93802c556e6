//! The numbered steps, embedded in the program.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use diesel::migration::{Migration as _, MigrationSource};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::error::OpenError;

#[cfg(feature = "sqlite")]
const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
#[cfg(feature = "postgres")]
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// The number of the lock that one process at a time holds while it changes tables. Any number would do, as long
/// as nothing else in the database uses it.
#[cfg(feature = "postgres")]
const LOCK: i64 = 0x6761_7465_686f_7573;

fn apply<DB, C>(connection: &mut C, steps: impl MigrationSource<DB>) -> Result<(), OpenError>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB>,
{
    let applied = connection.run_pending_migrations(steps);
    applied
        .map(drop)
        .map_err(|error| OpenError::Migration(error.to_string()))
}

fn pending<DB, C>(
    connection: &mut C,
    steps: impl MigrationSource<DB>,
) -> Result<Vec<String>, OpenError>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB>,
{
    let pending = connection.pending_migrations(steps);
    let pending = pending.map_err(|error| OpenError::Migration(error.to_string()))?;
    Ok(pending.iter().map(|step| step.name().to_string()).collect())
}

/// Applies the steps. The caller holds the lock beside the file.
#[cfg(feature = "sqlite")]
pub(crate) fn sqlite(connection: &mut diesel::SqliteConnection) -> Result<(), OpenError> {
    apply(connection, SQLITE)
}

#[cfg(feature = "sqlite")]
pub(crate) fn pending_on_sqlite(
    connection: &mut diesel::SqliteConnection,
) -> Result<Vec<String>, OpenError> {
    pending(connection, SQLITE)
}

/// Applies the steps under a lock of the database.
#[cfg(feature = "postgres")]
pub(crate) fn postgres(connection: &mut diesel::PgConnection) -> Result<(), OpenError> {
    use diesel::connection::SimpleConnection as _;

    connection.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    let applied = apply(connection, POSTGRES);
    connection.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})"))?;
    applied
}

#[cfg(feature = "postgres")]
pub(crate) fn pending_on_postgres(
    connection: &mut diesel::PgConnection,
) -> Result<Vec<String>, OpenError> {
    pending(connection, POSTGRES)
}
