//! What Diesel's errors mean to a caller.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use storage::{StoreError, StoreErrorKind};

/// Why a store cannot be opened or brought up to date.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file or its lock cannot be used.
    #[error("the database file cannot be used")]
    File(#[from] std::io::Error),
    /// There is no connection to be had.
    #[error("the database cannot be reached")]
    Connect(#[from] diesel::ConnectionError),
    /// The pool of reading connections cannot be filled.
    #[error("the reading connections cannot be made")]
    Pool(#[from] diesel::r2d2::PoolError),
    /// A statement failed.
    #[error("the database refused a statement")]
    Statement(#[from] DieselError),
    /// A migration failed. Earlier ones are applied; this one is not.
    #[error("a migration failed: {0}")]
    Migration(String),
}

/// The error of a statement, by what a caller can do about it.
pub(crate) fn from_diesel(operation: &'static str, error: DieselError) -> StoreError {
    let kind = match &error {
        DieselError::DatabaseError(kind, information) => of_database(*kind, information.message()),
        DieselError::BrokenTransactionManager => StoreErrorKind::Unavailable,
        _ => StoreErrorKind::Internal,
    };
    StoreError::new(kind, operation).with_source(error)
}

fn of_database(kind: DatabaseErrorKind, message: &str) -> StoreErrorKind {
    match kind {
        // A foreign key is violated when what a row belongs to was deleted first.
        DatabaseErrorKind::UniqueViolation
        | DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::SerializationFailure => StoreErrorKind::Conflict,
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::ReadOnlyTransaction => {
            StoreErrorKind::Unavailable
        }
        // The other causes have no kind of their own; their texts are those of the two databases.
        _ if PASSING.iter().any(|text| message.contains(text)) => StoreErrorKind::Unavailable,
        _ if message.contains("deadlock detected") => StoreErrorKind::Conflict,
        _ => StoreErrorKind::Internal,
    }
}

/// Texts of errors that pass when somebody makes room, ends a lock, or starts the server again.
const PASSING: [&str; 9] = [
    "database is locked",
    "database or disk is full",
    "disk I/O error",
    "unable to open database file",
    "server closed the connection",
    "terminating connection",
    "no connection to the server",
    "could not extend file",
    "No space left on device",
];
