//! Error type of all repository methods.

use std::error::Error;
use std::fmt;

/// Kind of a [`StoreError`], by what the caller can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The adapter's queue is full or the work waited too long in it. Nothing was done; try again later.
    Overloaded,
    /// The database is unreachable, has no space left, or is shutting down.
    /// Nothing was acknowledged; a retry may succeed.
    Unavailable,
    /// The stored data forbids the change: a value that must be unique exists already.
    /// Nothing was done; the same work fails again until the stored data changes.
    Conflict,
    /// Another transaction was first: the database aborted this one (a serialization failure, a deadlock), or a
    /// referenced row was deleted.
    /// Nothing was done; a retry sees the new state.
    Contention,
    /// The work would examine more rows than one request may.
    /// Nothing was done; a retry does not help, but a smaller request does.
    TooMuchWork,
    /// A stored row contradicts itself or its table.
    /// A retry does not help; a person has to investigate.
    Inconsistent,
    /// A bug in the program: a statement that the database rejects, or a panic inside a closure.
    Internal,
}

/// Failure of the store itself.
/// A missing row is never an error: it is `None`.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    operation: &'static str,
    detail: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// Creates an error of `kind` that occurred during `operation` of the adapter.
    pub fn new(kind: StoreErrorKind, operation: &'static str) -> Self {
        Self {
            kind,
            operation,
            detail: None,
            source: None,
        }
    }

    /// Creates an [`StoreErrorKind::Inconsistent`] error with its location: the table, the row and the problem.
    pub fn inconsistent(table: &'static str, row: impl fmt::Display, what: &str) -> Self {
        Self::new(StoreErrorKind::Inconsistent, table).with_detail(format!("row {row}: {what}"))
    }

    /// Adds a sentence for the log.
    /// It must contain no secrets and no user content.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Sets the underlying error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns the operation during which the error occurred.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// True if the same work may succeed later, unchanged.
    pub fn is_retryable(&self) -> bool {
        match self.kind {
            StoreErrorKind::Overloaded
            | StoreErrorKind::Unavailable
            | StoreErrorKind::Contention => true,
            StoreErrorKind::Conflict
            | StoreErrorKind::TooMuchWork
            | StoreErrorKind::Inconsistent
            | StoreErrorKind::Internal => false,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            StoreErrorKind::Overloaded => "the store is overloaded",
            StoreErrorKind::Unavailable => "the store is unavailable",
            StoreErrorKind::Conflict => "conflict with stored data",
            StoreErrorKind::Contention => "conflict with a concurrent transaction",
            StoreErrorKind::TooMuchWork => "too many rows to examine",
            StoreErrorKind::Inconsistent => "stored data is inconsistent",
            StoreErrorKind::Internal => "the store failed",
        };
        write!(f, "{what} ({})", self.operation)?;
        self.detail
            .as_ref()
            .map_or(Ok(()), |detail| write!(f, ": {detail}"))
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passing_trouble_is_retryable() {
        let retryable = [
            StoreErrorKind::Overloaded,
            StoreErrorKind::Unavailable,
            StoreErrorKind::Contention,
        ];
        let final_ones = [
            StoreErrorKind::Conflict,
            StoreErrorKind::TooMuchWork,
            StoreErrorKind::Inconsistent,
            StoreErrorKind::Internal,
        ];
        assert!(
            retryable
                .into_iter()
                .all(|kind| StoreError::new(kind, "x").is_retryable())
        );
        assert!(
            !final_ones
                .into_iter()
                .any(|kind| StoreError::new(kind, "x").is_retryable())
        );
    }

    #[test]
    fn the_text_names_the_place_and_keeps_its_source() {
        let error = StoreError::inconsistent("alerts", 7, "resolved without an end")
            .with_source(std::io::Error::other("disk"));
        assert_eq!(
            error.to_string(),
            "stored data is inconsistent (alerts): row 7: resolved without an end"
        );
        assert_eq!(
            error.source().map(ToString::to_string).as_deref(),
            Some("disk")
        );
    }
}
