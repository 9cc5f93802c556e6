//! The numbered steps, embedded in the program.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use diesel::migration::{Migration as _, MigrationSource};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use storage::{StoreError, StoreErrorKind};

use crate::error::OpenError;

#[cfg(feature = "sqlite")]
const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
#[cfg(feature = "postgres")]
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// The number of the lock that one process at a time holds while it changes tables. Any number would do, as long
/// as nothing else in the database uses it.
#[cfg(feature = "postgres")]
const LOCK: i64 = 0x6761_7465_686f_7573;

/// The numbers of the steps that are embedded, the first one first.
fn versions<DB: diesel::backend::Backend>(steps: &impl MigrationSource<DB>) -> Vec<String> {
    let steps = steps.migrations().unwrap_or_default();
    let mut versions: Vec<String> = steps
        .iter()
        .map(|step| step.name().version().to_string())
        .collect();
    versions.sort();
    versions
}

/// The numbers of the steps of this program, for [`is_current`].
#[cfg(feature = "sqlite")]
pub(crate) fn sqlite_versions() -> Vec<String> {
    versions::<diesel::sqlite::Sqlite>(&SQLITE)
}

/// The numbers of the steps of this program, for [`is_current`].
#[cfg(feature = "postgres")]
pub(crate) fn postgres_versions() -> Vec<String> {
    versions::<diesel::pg::Pg>(&POSTGRES)
}

/// A row of the table in which the steps that were applied stand.
#[derive(diesel::QueryableByName)]
pub(crate) struct Version {
    #[diesel(sql_type = diesel::sql_types::Text)]
    version: String,
}

/// Whether the tables are those of this program: all its steps are applied, and no others.
///
/// # Errors
/// [`StoreErrorKind::Unavailable`] when a step is missing or unknown; failures of the database.
pub(crate) fn is_current<C>(connection: &mut C, mine: &[String]) -> Result<(), StoreError>
where
    C: diesel::connection::LoadConnection,
    diesel::query_builder::SqlQuery: for<'q> diesel::query_dsl::LoadQuery<'q, C, Version>,
{
    use diesel::RunQueryDsl as _;

    let applied: Vec<Version> =
        diesel::sql_query("SELECT version FROM __diesel_schema_migrations ORDER BY version")
            .load(connection)
            .map_err(|error| crate::error::from_diesel("look at the migrations", error))?;
    let other = |detail: String| {
        StoreError::new(StoreErrorKind::Unavailable, "look at the migrations").with_detail(detail)
    };
    let is_applied = |version: &&String| applied.iter().any(|applied| applied.version == **version);
    if let Some(missing) = mine.iter().find(|version| !is_applied(version)) {
        return Err(other(format!("migration {missing} is pending")));
    }
    match applied
        .iter()
        .find(|applied| !mine.contains(&applied.version))
    {
        Some(unknown) => Err(other(format!(
            "migration {} is of a newer program",
            unknown.version
        ))),
        None => Ok(()),
    }
}

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

/// A database that a newer program wrote may mean something else by the same columns.
fn refuse_newer<DB, C>(
    connection: &mut C,
    steps: &impl MigrationSource<DB>,
) -> Result<(), OpenError>
where
    DB: diesel::backend::Backend,
    C: MigrationHarness<DB>,
{
    let mine = versions(steps);
    let applied = connection
        .applied_migrations()
        .map_err(|error| OpenError::Migration(error.to_string()))?;
    let unknown = applied
        .iter()
        .map(ToString::to_string)
        .find(|version| !mine.contains(version));
    unknown.map_or(Ok(()), |version| Err(OpenError::Newer(version)))
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
    refuse_newer(connection, &SQLITE)?;
    apply(connection, SQLITE)
}

#[cfg(feature = "sqlite")]
pub(crate) fn pending_on_sqlite(
    connection: &mut diesel::SqliteConnection,
) -> Result<Vec<String>, OpenError> {
    refuse_newer(connection, &SQLITE)?;
    pending(connection, SQLITE)
}

/// Applies the steps under a lock of the database.
#[cfg(feature = "postgres")]
pub(crate) fn postgres(connection: &mut diesel::PgConnection) -> Result<(), OpenError> {
    use diesel::connection::SimpleConnection as _;

    connection.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})"))?;
    let applied = refuse_newer(connection, &POSTGRES).and_then(|()| apply(connection, POSTGRES));
    connection.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})"))?;
    applied
}

#[cfg(feature = "postgres")]
pub(crate) fn pending_on_postgres(
    connection: &mut diesel::PgConnection,
) -> Result<Vec<String>, OpenError> {
    refuse_newer(connection, &POSTGRES)?;
    pending(connection, POSTGRES)
}
