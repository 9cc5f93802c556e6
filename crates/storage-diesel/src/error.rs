//! Classification of Diesel's errors, for callers and for the health of the database.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use storage::{StoreError, StoreErrorKind};

/// Reason why a store cannot be opened or migrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file or its lock cannot be used.
    #[error("the database file cannot be used")]
    File(#[from] std::io::Error),
    /// No connection can be established.
    #[error("the database cannot be reached")]
    Connect(#[from] diesel::ConnectionError),
    /// The pool of reading connections cannot be filled.
    #[error("the read connections cannot be opened")]
    Pool(#[from] r2d2::Error),
    /// A statement failed.
    #[error("the database rejected a statement")]
    Statement(#[source] DieselError),
    /// Pages of the database are lost or corrupt, so that not even its tables can be listed.
    #[error("the database is damaged; restore a backup (`gatehouse restore FILE`)")]
    Damaged(#[source] DieselError),
    /// A newer program wrote the database.
    /// This version does not know the meaning of its rows.
    #[error(
        "the database was written by a newer version of this program (migration {0}); run that version, or restore a backup (`gatehouse restore FILE`)"
    )]
    Newer(String),
    /// The database server accepts no writes, for this reason.
    #[error("the database server does not accept writes: {0}")]
    ReadOnly(&'static str),
    /// A pooler gives each transaction another connection of the server, and the store is not configured for one.
    #[error(
        "connected through a pooler in transaction mode; set database.pooler = \"transaction\""
    )]
    Pooled,
    /// A migration failed.
    /// Earlier ones are applied; this one is not.
    #[error("a migration failed: {0}")]
    Migration(String),
}

#[cfg(feature = "sqlite")]
impl OpenError {
    /// The journal of the embedded database cannot be read.
    pub(crate) fn journal(error: StoreError) -> Self {
        Self::File(std::io::Error::other(error))
    }
}

impl From<DieselError> for OpenError {
    fn from(error: DieselError) -> Self {
        match &error {
            DieselError::DatabaseError(_, information)
                if information.message().contains(MALFORMED) =>
            {
                Self::Damaged(error)
            }
            _ if is_pooler_error(&error.to_string()) => Self::Pooled,
            _ => Self::Statement(error),
        }
    }
}

/// A host that reports one type of error converts to that of the store.
impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        Self::new(StoreErrorKind::Unavailable, "open the store").with_source(error)
    }
}

/// True if the message is that of a server when a statement was prepared on another connection than the current one.
pub(crate) fn is_pooler_error(message: &str) -> bool {
    message.contains("prepared statement")
        && (message.contains("already exists") || message.contains("does not exist"))
}

/// Classifies the error of a statement by what a caller can do about it.
pub(crate) fn from_diesel(operation: &'static str, error: DieselError) -> StoreError {
    let (kind, conditions) = match &error {
        DieselError::DatabaseError(kind, information) => classify(*kind, information.message()),
        DieselError::BrokenTransactionManager => (StoreErrorKind::Unavailable, CONNECTION_SUSPECT),
        _ => (StoreErrorKind::Internal, NOTHING),
    };
    CONDITIONS.with(|all| {
        let mut sum = all.get();
        sum.add(conditions);
        all.set(sum);
    });
    StoreError::new(kind, operation).with_source(error)
}

fn classify(kind: DatabaseErrorKind, message: &str) -> (StoreErrorKind, Conditions) {
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    match kind {
        DatabaseErrorKind::SerializationFailure => (StoreErrorKind::Contention, CONFLICT),
        // A foreign key is violated if the referenced row was deleted first.
        DatabaseErrorKind::ForeignKeyViolation => (StoreErrorKind::Contention, NOTHING),
        DatabaseErrorKind::UniqueViolation => (StoreErrorKind::Conflict, NOTHING),
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::ReadOnlyTransaction => {
            (StoreErrorKind::Unavailable, CONNECTION_SUSPECT)
        }
        // The other causes have no kind of their own; they are recognized by the messages of the two databases.
        _ if says(&CONFLICT_MESSAGES) => (StoreErrorKind::Contention, CONFLICT),
        _ if says(&TIMEOUT_MESSAGES) => (StoreErrorKind::Overloaded, NOTHING),
        _ if says(&TRANSIENT_MESSAGES) => (StoreErrorKind::Unavailable, CONNECTION_SUSPECT),
        _ if says(&DAMAGE_MESSAGES) => (StoreErrorKind::Inconsistent, DAMAGED),
        _ => (StoreErrorKind::Internal, NOTHING),
    }
}

/// Messages of errors after which the same transaction may succeed at once.
const CONFLICT_MESSAGES: [&str; 2] = ["deadlock detected", "could not serialize access"];

/// Messages of statements that were stopped because they took too long, or waited too long for a lock.
const TIMEOUT_MESSAGES: [&str; 3] = [
    "interrupted",
    "canceling statement due to statement timeout",
    "canceling statement due to lock timeout",
];

/// Messages of errors that pass when space is freed, a lock is released, or the server is restarted.
const TRANSIENT_MESSAGES: [&str; 12] = [
    "database is locked",
    "database or disk is full",
    "disk I/O error",
    "unable to open database file",
    "attempt to write a readonly database",
    "server closed the connection",
    "terminating connection",
    "no connection to the server",
    "could not send data to server",
    "could not receive data from server",
    "could not extend file",
    "No space left on device",
];

/// Message of the embedded database about corrupt pages.
const MALFORMED: &str = "database disk image is malformed";

/// Messages of errors that mean that the database is damaged.
const DAMAGE_MESSAGES: [&str; 4] = [
    MALFORMED,
    "file is not a database",
    "invalid page in block",
    "could not read block",
];

/// Conditions that the database reported while a thread worked for it.
///
/// Errors pass through code that converts them to other types, so the outcome of that code does not show the database's
/// own message. The condition is recorded per thread instead, where the error is first classified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// Another transaction conflicted: a retry of the same work may succeed.
    pub(crate) conflict: bool,
    /// The connection may be unusable.
    pub(crate) connection_suspect: bool,
    /// Rows are lost or corrupt.
    pub(crate) damage: bool,
}

const NOTHING: Conditions = Conditions {
    conflict: false,
    connection_suspect: false,
    damage: false,
};
const CONFLICT: Conditions = Conditions {
    conflict: true,
    ..NOTHING
};
const CONNECTION_SUSPECT: Conditions = Conditions {
    connection_suspect: true,
    ..NOTHING
};
const DAMAGED: Conditions = Conditions {
    connection_suspect: true,
    damage: true,
    ..NOTHING
};

thread_local! {
    static CONDITIONS: Cell<Conditions> = const { Cell::new(NOTHING) };
}

impl Conditions {
    /// Starts recording.
    pub(crate) fn begin() {
        CONDITIONS.set(NOTHING);
    }

    /// Returns all conditions since [`Self::begin`].
    pub(crate) fn end() -> Self {
        CONDITIONS.replace(NOTHING)
    }

    /// Combines both.
    pub(crate) fn add(&mut self, other: Self) {
        self.conflict |= other.conflict;
        self.connection_suspect |= other.connection_suspect;
        self.damage |= other.damage;
    }
}

/// Health of the database since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Health {
    damaged: AtomicBool,
}

impl Health {
    /// Records the conditions that a thread noticed.
    pub(crate) fn note(&self, conditions: Conditions) {
        if conditions.damage && !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(
                "the database is damaged; run `gatehouse check`, and restore a backup (`gatehouse restore FILE`)"
            );
        }
    }

    /// True if the database was ever found damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_errors_map_to_error_kinds_and_writer_conditions() {
        let unknown = DatabaseErrorKind::Unknown;
        let cases = [
            (
                unknown,
                "ERROR: deadlock detected",
                StoreErrorKind::Contention,
                CONFLICT,
            ),
            (
                unknown,
                "canceling statement due to lock timeout",
                StoreErrorKind::Overloaded,
                NOTHING,
            ),
            (unknown, "interrupted", StoreErrorKind::Overloaded, NOTHING),
            (
                unknown,
                "database is locked",
                StoreErrorKind::Unavailable,
                CONNECTION_SUSPECT,
            ),
            (
                unknown,
                "attempt to write a readonly database",
                StoreErrorKind::Unavailable,
                CONNECTION_SUSPECT,
            ),
            (
                unknown,
                "database disk image is malformed",
                StoreErrorKind::Inconsistent,
                DAMAGED,
            ),
            (
                unknown,
                "no such table: users",
                StoreErrorKind::Internal,
                NOTHING,
            ),
            (
                DatabaseErrorKind::ReadOnlyTransaction,
                "",
                StoreErrorKind::Unavailable,
                CONNECTION_SUSPECT,
            ),
            (
                DatabaseErrorKind::SerializationFailure,
                "",
                StoreErrorKind::Contention,
                CONFLICT,
            ),
            (
                DatabaseErrorKind::UniqueViolation,
                "",
                StoreErrorKind::Conflict,
                NOTHING,
            ),
        ];
        for (kind, message, expected, conditions) in cases {
            assert_eq!(classify(kind, message), (expected, conditions), "{message}");
        }
    }

    #[test]
    fn conditions_cover_only_the_current_work() {
        Conditions::begin();
        let locked = DieselError::DatabaseError(
            DatabaseErrorKind::Unknown,
            Box::new("database is locked".to_owned()),
        );
        from_diesel("write", locked);
        assert_eq!(Conditions::end(), CONNECTION_SUSPECT);
        Conditions::begin();
        assert_eq!(Conditions::end(), NOTHING);
    }
}
