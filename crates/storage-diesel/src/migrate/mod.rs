//! Migrations of the tables of a database.

mod steps;

use std::time::Instant;

use diesel::backend::Backend;
use diesel::connection::BoxableConnection;
use diesel::migration::{
    Migration, MigrationConnection, MigrationMetadata, MigrationName, MigrationVersion,
    Result as Applied,
};
use diesel_migrations::MigrationHarness;
use storage::{StoreError, StoreErrorKind};

use crate::error::{OpenError, is_pooler_error};
pub(crate) use steps::MigrationFile;
pub(crate) use steps::tables;
use steps::{MigrationPart, SERVED, all_steps, is_additive, is_known, pending};

/// Migrations of SQLite.
#[cfg(feature = "sqlite")]
pub(crate) const SQLITE: &[MigrationFile] = all_steps!("sqlite");
/// Migrations of PostgreSQL.
#[cfg(feature = "postgres")]
pub(crate) const POSTGRES: &[MigrationFile] = all_steps!("postgres");

/// Table of applied migrations, which Diesel creates.
#[cfg(feature = "sqlite")]
pub(crate) const APPLIED_MIGRATIONS: &str = "__diesel_schema_migrations";

/// Number of the lock that one process at a time holds while it changes tables.
/// The number is arbitrary, as long as nothing else in the database uses it.
#[cfg(feature = "postgres")]
const LOCK: i64 = 0x6761_7465_686f_7573;

impl MigrationName for MigrationPart {
    fn version(&self) -> MigrationVersion<'_> {
        self.version.as_str().into()
    }
}

impl std::fmt::Display for MigrationPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// Migration that is applied as a whole.
struct InTransaction;

impl MigrationMetadata for InTransaction {}

impl<DB: Backend> Migration<DB> for MigrationPart {
    fn run(&self, connection: &mut dyn BoxableConnection<DB>) -> Applied<()> {
        Ok(connection.batch_execute(&self.sql)?)
    }

    fn revert(&self, _: &mut dyn BoxableConnection<DB>) -> Applied<()> {
        Err("migrations cannot be reverted; restore a backup (`gatehouse restore FILE`)".into())
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        &InTransaction
    }

    fn name(&self) -> &dyn MigrationName {
        self
    }
}

/// Row of the table of applied migrations.
#[derive(diesel::QueryableByName)]
pub(crate) struct Version {
    #[diesel(sql_type = diesel::sql_types::Text)]
    version: String,
}

/// Returns a migration of a newer program after which this one must not use the tables, if one is applied.
fn breaking<'v>(steps: &[MigrationFile], applied: &'v [String]) -> Option<&'v String> {
    let mut applied = applied.iter();
    applied.find(|version| !is_known(steps, version) && !is_additive(version))
}

/// Verifies that this program can use the tables: all its migrations are applied, and of a newer program none but those
/// that only add something.
///
/// # Errors
/// [`StoreErrorKind::Unavailable`] if a migration is pending, or one of a newer program is not additive; failures of the
/// database.
pub(crate) fn is_current<C>(connection: &mut C, steps: &[MigrationFile]) -> Result<(), StoreError>
where
    C: diesel::connection::LoadConnection,
    diesel::query_builder::SqlQuery: for<'q> diesel::query_dsl::LoadQuery<'q, C, Version>,
{
    use diesel::RunQueryDsl as _;

    const OPERATION: &str = "check migrations";
    let applied: Vec<Version> =
        diesel::sql_query("SELECT version FROM __diesel_schema_migrations ORDER BY version")
            .load(connection)
            .map_err(|error| crate::error::from_diesel(OPERATION, error))?;
    let applied: Vec<String> = applied.into_iter().map(|row| row.version).collect();
    let other = |detail: String| {
        Err(StoreError::new(StoreErrorKind::Unavailable, OPERATION).with_detail(detail))
    };
    if let Some(part) = pending(steps, SERVED, &applied).first() {
        return other(format!("migration {} is pending", part.version));
    }
    match breaking(steps, &applied) {
        Some(newer) => other(format!("migration {newer} belongs to a newer version")),
        None => Ok(()),
    }
}

/// Returns the versions of the applied migrations.
fn applied<DB, C>(connection: &mut C) -> Result<Vec<String>, OpenError>
where
    DB: Backend,
    C: MigrationHarness<DB>,
{
    let applied = connection.applied_migrations();
    let applied = applied.map_err(|error| failed(error.to_string()))?;
    Ok(applied.iter().map(ToString::to_string).collect())
}

/// Returns the migrations that this program needs and the database lacks.
/// A database that a newer program changed is refused, unless it only added something: the same columns may mean something
/// else there.
fn missing<DB, C>(
    connection: &mut C,
    steps: &[MigrationFile],
    served: &[&str],
) -> Result<Vec<MigrationPart>, OpenError>
where
    DB: Backend,
    C: MigrationHarness<DB>,
{
    let applied = applied(connection)?;
    match breaking(steps, &applied) {
        Some(newer) => Err(OpenError::Newer(newer.clone())),
        None => Ok(pending(steps, served, &applied)),
    }
}

/// Returns the names of the pending migrations.
pub(crate) fn list_pending<DB, C>(
    connection: &mut C,
    steps: &[MigrationFile],
) -> Result<Vec<String>, OpenError>
where
    DB: Backend,
    C: MigrationHarness<DB>,
{
    Ok(missing(connection, steps, SERVED)?
        .into_iter()
        .map(|part| part.name)
        .collect())
}

/// Applies the pending migrations, each in a transaction of its own. Migrations of an existing database are logged: with many
/// rows one may take minutes.
fn apply<DB, C>(
    connection: &mut C,
    steps: &[MigrationFile],
    served: &[&str],
) -> Result<(), OpenError>
where
    DB: Backend,
    C: MigrationConnection + MigrationHarness<DB>,
{
    let is_new = applied(connection)?.is_empty();
    let parts = missing(connection, steps, served)?;
    for (place, part) in parts.iter().enumerate() {
        let began = Instant::now();
        if !is_new {
            tracing::info!(
                migration.name = part.name,
                migration.number = place + 1,
                migration.count = parts.len(),
                "migration begins"
            );
        }
        run(connection, part)?;
        if !is_new {
            let seconds = began.elapsed().as_secs_f64();
            tracing::info!(
                migration.name = part.name,
                migration.seconds = seconds,
                "migration applied"
            );
        }
    }
    Ok(())
}

/// Applies one migration in a transaction of its own.
fn run<DB, C>(connection: &mut C, part: &MigrationPart) -> Result<(), OpenError>
where
    DB: Backend,
    C: MigrationConnection + MigrationHarness<DB>,
{
    let applied = connection.run_migration(part);
    applied.map(drop).map_err(|error| failed(error.to_string()))
}

fn failed(error: String) -> OpenError {
    if is_pooler_error(&error) {
        OpenError::Pooled
    } else {
        OpenError::Migration(error)
    }
}

/// Returns the applied versions, in order.
///
/// # Errors
/// If a newer program changed the database, even if it only added something: its rows would not be complete.
pub(crate) fn applied_versions<C>(
    connection: &mut C,
    steps: &[MigrationFile],
) -> Result<Vec<String>, OpenError>
where
    C: diesel::connection::LoadConnection,
    diesel::query_builder::SqlQuery: for<'q> diesel::query_dsl::LoadQuery<'q, C, Version>,
{
    use diesel::RunQueryDsl as _;

    let applied: Vec<Version> =
        diesel::sql_query("SELECT version FROM __diesel_schema_migrations ORDER BY version")
            .load(connection)?;
    let applied: Vec<String> = applied.into_iter().map(|row| row.version).collect();
    match applied.iter().find(|version| !is_known(steps, version)) {
        Some(unknown) => Err(OpenError::Newer(unknown.clone())),
        None => Ok(applied),
    }
}

/// True if a version is that of a migration of this program.
pub(crate) fn knows(steps: &[MigrationFile], version: &str) -> bool {
    is_known(steps, version)
}

/// Applies the migrations with these versions to an empty database.
pub(crate) fn apply_versions<DB, C>(
    connection: &mut C,
    steps: &[MigrationFile],
    versions: &[String],
) -> Result<(), OpenError>
where
    DB: Backend,
    C: MigrationConnection + MigrationHarness<DB>,
{
    for part in missing(connection, steps, SERVED)? {
        if versions.contains(&part.version) {
            connection
                .run_migration(&part)
                .map_err(|error| OpenError::Migration(error.to_string()))?;
        }
    }
    Ok(())
}

/// Takes the lock under which tables are changed, until the transaction ends.
#[cfg(feature = "postgres")]
pub(crate) fn lock_until_commit(connection: &mut diesel::PgConnection) -> diesel::QueryResult<()> {
    use diesel::connection::SimpleConnection as _;

    connection.batch_execute(&format!("SELECT pg_advisory_xact_lock({LOCK})"))
}

/// Applies the migrations.
/// The caller holds the lock.
#[cfg(feature = "postgres")]
pub(crate) fn apply_pending_postgres(
    connection: &mut diesel::PgConnection,
) -> Result<(), OpenError> {
    apply(connection, POSTGRES, SERVED)
}

/// Applies the migrations.
/// The caller holds the lock beside the file.
#[cfg(feature = "sqlite")]
pub(crate) fn sqlite(connection: &mut diesel::SqliteConnection) -> Result<(), OpenError> {
    apply(connection, SQLITE, SERVED)
}

/// Applies the migrations without foreign keys between the tables of different crates, to an empty database that no
/// other process knows.
#[cfg(feature = "sqlite")]
pub(crate) fn sqlite_apart(connection: &mut diesel::SqliteConnection) -> Result<(), OpenError> {
    for served in SERVED {
        for part in missing(connection, SQLITE, &[served])? {
            run(connection, &part)?;
        }
    }
    Ok(())
}

/// Applies the migrations through `connection` under a lock of the database, which a transaction of `locking` holds:
/// behind a pooler, a lock of a connection would stay with a connection that others use.
#[cfg(feature = "postgres")]
pub(crate) fn postgres(
    locking: &mut diesel::PgConnection,
    connection: &mut diesel::PgConnection,
) -> Result<(), OpenError> {
    use diesel::connection::SimpleConnection as _;

    locking.batch_execute(&format!(
        "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
         SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock({LOCK})"
    ))?;
    let applied = apply(connection, POSTGRES, SERVED);
    locking.batch_execute("COMMIT")?;
    applied
}

#[cfg(all(test, feature = "sqlite", feature = "accounts", feature = "projects"))]
mod tests {
    use diesel::prelude::*;

    use super::*;

    #[derive(diesel::QueryableByName)]
    struct RelationName {
        #[diesel(sql_type = diesel::sql_types::Text)]
        name: String,
    }

    /// Returns the names of all tables and indexes.
    fn names(connection: &mut SqliteConnection) -> QueryResult<Vec<String>> {
        let names = diesel::sql_query("SELECT name FROM sqlite_schema ORDER BY name");
        let names: Vec<RelationName> = names.load(connection)?;
        Ok(names.into_iter().map(|row| row.name).collect())
    }

    #[test]
    fn a_host_may_embed_one_crate_first_and_the_others_later() {
        let mut whole = SqliteConnection::establish(":memory:").unwrap();
        apply(&mut whole, SQLITE, SERVED).unwrap();
        let whole = names(&mut whole).unwrap();
        for first in &SERVED[1..] {
            let mut grown = SqliteConnection::establish(":memory:").unwrap();
            apply(&mut grown, SQLITE, &["store", first]).unwrap();
            assert!(names(&mut grown).unwrap().len() < whole.len(), "{first}");
            apply(&mut grown, SQLITE, SERVED).unwrap();
            assert_eq!(names(&mut grown).unwrap(), whole, "{first}");
            assert_eq!(missing(&mut grown, SQLITE, SERVED).unwrap(), []);
        }
    }
}
