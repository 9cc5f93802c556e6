//! Opening of the configured database.

use std::path::Path;

use storage_diesel::{OpenError, PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};

use super::Database;
use crate::private_files::create_directory;
use crate::settings::{DatabaseSettings, DatabaseUrl};

/// Reason why the database cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenDatabaseError {
    /// The directory of the embedded database cannot be created.
    #[error("cannot create the directory {directory}")]
    Directory {
        /// Path of the directory.
        directory: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The file of the embedded database does not exist.
    #[error("the database {database} does not exist; run `gatehouse migrate` to create it")]
    Missing {
        /// URL of the database.
        database: String,
    },
    /// A restore or copy into the embedded database was not completed.
    #[error(
        "a restore or copy into {database} is running or was interrupted; run `gatehouse restore FILE` again, \
         or delete {unfinished} to start with an empty database"
    )]
    Restoring {
        /// URL of the database.
        database: String,
        /// Path of the incomplete file.
        unfinished: String,
    },
    /// Cannot determine whether the file of the embedded database exists.
    #[error("cannot check whether the database {database} exists")]
    Hidden {
        /// URL of the database.
        database: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The adapter cannot open it.
    #[error("cannot open the database {database}")]
    Open {
        /// URL of the database, without the password.
        database: String,
        /// Cause.
        source: OpenError,
    },
}

impl OpenDatabaseError {
    /// True if the database exists but is too damaged to be opened.
    pub fn is_damaged(&self) -> bool {
        matches!(
            self,
            Self::Open {
                source: OpenError::Damaged(_),
                ..
            }
        )
    }
}

/// Opens the database. Its schema may be missing or outdated: see [`Database::migrate`].
///
/// # Errors
/// See [`OpenDatabaseError`].
pub fn open(settings: &DatabaseSettings) -> Result<Database, OpenDatabaseError> {
    let failed = |source| OpenDatabaseError::Open {
        database: settings.url.to_string(),
        source,
    };
    match &settings.url {
        DatabaseUrl::Sqlite(path) => {
            refuse_unfinished(path, &settings.url)?;
            if let Some(directory) = path
                .parent()
                .filter(|directory| !directory.as_os_str().is_empty())
            {
                create_directory(directory).map_err(|source| OpenDatabaseError::Directory {
                    directory: directory.display().to_string(),
                    source,
                })?;
            }
            SqliteStore::open(path, sqlite_options(settings))
                .map(Database::over)
                .map_err(failed)
        }
        DatabaseUrl::Postgres(url) => PostgresStore::open(url, postgres_options(settings))
            .map(Database::over)
            .map_err(failed),
    }
}

/// Opens an existing database for a command. Unlike [`open`], it creates neither a directory nor a database file, and uses no
/// replica: a command reads for no caller, and would wait for an unreachable replica when it ends.
///
/// # Errors
/// See [`OpenDatabaseError`].
pub fn open_existing(settings: &DatabaseSettings) -> Result<Database, OpenDatabaseError> {
    if let DatabaseUrl::Sqlite(path) = &settings.url {
        refuse_unfinished(path, &settings.url)?;
        let database = settings.url.to_string();
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(OpenDatabaseError::Missing { database }),
            Err(source) => return Err(OpenDatabaseError::Hidden { database, source }),
        }
    }
    open(&DatabaseSettings {
        read_url: None,
        ..settings.clone()
    })
}

/// Refuses to start with an empty database after an interrupted restore.
fn refuse_unfinished(path: &Path, url: &DatabaseUrl) -> Result<(), OpenDatabaseError> {
    match SqliteStore::unfinished_import(path) {
        Some(unfinished) if !path.exists() => Err(OpenDatabaseError::Restoring {
            database: url.to_string(),
            unfinished: unfinished.display().to_string(),
        }),
        _ => Ok(()),
    }
}

fn sqlite_options(settings: &DatabaseSettings) -> SqliteOptions {
    let defaults = SqliteOptions::default();
    SqliteOptions {
        readers: connections(settings.readers, defaults.readers),
        queue_jobs: settings.queue_jobs,
        queue_bytes: settings.queue_bytes,
        deadline: settings.write_timeout,
        read_limit: settings.read_timeout,
        journal_limit: settings.journal_limit,
        ..defaults
    }
}

fn postgres_options(settings: &DatabaseSettings) -> PostgresOptions {
    let defaults = PostgresOptions::default();
    let read_url = match &settings.read_url {
        Some(DatabaseUrl::Postgres(url)) => Some(url.clone()),
        _ => None,
    };
    PostgresOptions {
        read_url,
        readers: connections(settings.readers, defaults.readers),
        writers: settings.writers.unwrap_or(defaults.writers),
        queue_jobs: settings.queue_jobs,
        queue_bytes: settings.queue_bytes,
        deadline: settings.write_timeout,
        read_limit: settings.read_timeout,
        pooler: settings.pooler,
    }
}

/// Returns the configured number of connections, or the adapter's default.
fn connections(configured: Option<usize>, default: u32) -> u32 {
    configured
        .and_then(|configured| u32::try_from(configured).ok())
        .unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_deadlines_of_both_databases_are_those_of_the_settings() {
        let settings = DatabaseSettings {
            read_timeout: Duration::from_secs(7),
            write_timeout: Duration::from_secs(9),
            ..DatabaseSettings::at(DatabaseUrl::Postgres(String::new()))
        };
        let (sqlite, postgres) = (sqlite_options(&settings), postgres_options(&settings));
        let read = [sqlite.read_limit, postgres.read_limit];
        assert_eq!(read, [settings.read_timeout; 2]);
        let write = [sqlite.deadline, postgres.deadline];
        assert_eq!(write, [settings.write_timeout; 2]);
    }
}
