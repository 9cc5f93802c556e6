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
    #[error("the reading connections cannot be made")]
    Pool(#[from] r2d2::Error),
    /// A statement failed.
    #[error("the database refused a statement")]
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
    #[error("the database server takes no writes: {0}")]
    ReadOnly(&'static str),
    /// A pooler gives each transaction another connection of the server, and the store is not configured for one.
    #[error(
        "a pooler in transaction mode stands before the database server; set database.pooler = \"transaction\""
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
            _ if is_of_a_pooler(&error.to_string()) => Self::Pooled,
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
pub(crate) fn is_of_a_pooler(message: &str) -> bool {
    message.contains("prepared statement")
        && (message.contains("already exists") || message.contains("does not exist"))
}

/// Classifies the error of a statement by what a caller can do about it.
pub(crate) fn from_diesel(operation: &'static str, error: DieselError) -> StoreError {
    let (kind, noticed) = match &error {
        DieselError::DatabaseError(kind, information) => of_database(*kind, information.message()),
        DieselError::BrokenTransactionManager => (StoreErrorKind::Unavailable, TROUBLE),
        _ => (StoreErrorKind::Internal, NOTHING),
    };
    NOTICED.with(|all| {
        let mut sum = all.get();
        sum.add(noticed);
        all.set(sum);
    });
    StoreError::new(kind, operation).with_source(error)
}

fn of_database(kind: DatabaseErrorKind, message: &str) -> (StoreErrorKind, Noticed) {
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    match kind {
        DatabaseErrorKind::SerializationFailure => (StoreErrorKind::Contention, IN_THE_WAY),
        // A foreign key is violated if the referenced row was deleted first.
        DatabaseErrorKind::ForeignKeyViolation => (StoreErrorKind::Contention, NOTHING),
        DatabaseErrorKind::UniqueViolation => (StoreErrorKind::Conflict, NOTHING),
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::ReadOnlyTransaction => {
            (StoreErrorKind::Unavailable, TROUBLE)
        }
        // The other causes have no kind of their own; they are recognized by the messages of the two databases.
        _ if says(&WAITING) => (StoreErrorKind::Contention, IN_THE_WAY),
        _ if says(&LATE) => (StoreErrorKind::Overloaded, NOTHING),
        _ if says(&PASSING) => (StoreErrorKind::Unavailable, TROUBLE),
        _ if says(&DAMAGE) => (StoreErrorKind::Inconsistent, DAMAGED),
        _ => (StoreErrorKind::Internal, NOTHING),
    }
}

/// Messages of errors after which the same transaction may succeed at once.
const WAITING: [&str; 2] = ["deadlock detected", "could not serialize access"];

/// Messages of statements that were stopped because they took too long, or waited too long for a lock.
const LATE: [&str; 3] = [
    "interrupted",
    "canceling statement due to statement timeout",
    "canceling statement due to lock timeout",
];

/// Messages of errors that pass when space is freed, a lock is released, or the server is restarted.
const PASSING: [&str; 12] = [
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
const DAMAGE: [&str; 4] = [
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
pub(crate) struct Noticed {
    /// Another transaction conflicted: a retry of the same work may succeed.
    pub(crate) in_the_way: bool,
    /// The connection may be unusable.
    pub(crate) trouble: bool,
    /// Rows are lost or corrupt.
    pub(crate) damage: bool,
}

const NOTHING: Noticed = Noticed {
    in_the_way: false,
    trouble: false,
    damage: false,
};
const IN_THE_WAY: Noticed = Noticed {
    in_the_way: true,
    ..NOTHING
};
const TROUBLE: Noticed = Noticed {
    trouble: true,
    ..NOTHING
};
const DAMAGED: Noticed = Noticed {
    trouble: true,
    damage: true,
    ..NOTHING
};

thread_local! {
    static NOTICED: Cell<Noticed> = const { Cell::new(NOTHING) };
}

impl Noticed {
    /// Starts recording.
    pub(crate) fn begin() {
        NOTICED.set(NOTHING);
    }

    /// Returns all conditions since [`Self::begin`].
    pub(crate) fn end() -> Self {
        NOTICED.replace(NOTHING)
    }

    /// Combines both.
    pub(crate) fn add(&mut self, other: Self) {
        self.in_the_way |= other.in_the_way;
        self.trouble |= other.trouble;
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
    pub(crate) fn note(&self, noticed: Noticed) {
        if noticed.damage && !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(
                "the database is damaged; check it, and restore a backup (`gatehouse restore FILE`)"
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
    fn an_error_says_what_a_caller_can_do_and_what_the_writer_has_to() {
        let unknown = DatabaseErrorKind::Unknown;
        let cases = [
            (
                unknown,
                "ERROR: deadlock detected",
                StoreErrorKind::Contention,
                IN_THE_WAY,
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
                TROUBLE,
            ),
            (
                unknown,
                "attempt to write a readonly database",
                StoreErrorKind::Unavailable,
                TROUBLE,
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
                TROUBLE,
            ),
            (
                DatabaseErrorKind::SerializationFailure,
                "",
                StoreErrorKind::Contention,
                IN_THE_WAY,
            ),
            (
                DatabaseErrorKind::UniqueViolation,
                "",
                StoreErrorKind::Conflict,
                NOTHING,
            ),
        ];
        for (kind, message, expected, noticed) in cases {
            assert_eq!(of_database(kind, message), (expected, noticed), "{message}");
        }
    }

    #[test]
    fn what_is_noticed_is_that_of_the_present_work() {
        Noticed::begin();
        let locked = DieselError::DatabaseError(
            DatabaseErrorKind::Unknown,
            Box::new("database is locked".to_owned()),
        );
        from_diesel("write", locked);
        assert_eq!(Noticed::end(), TROUBLE);
        Noticed::begin();
        assert_eq!(Noticed::end(), NOTHING);
    }
}
