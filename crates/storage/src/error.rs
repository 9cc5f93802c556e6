//! The one error of every repository method.

use std::error::Error;
use std::fmt;

/// What a caller can do about a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The adapter's queue is full or the work waited too long in it. Nothing was done; try again later.
    Overloaded,
    /// The database cannot be reached, has no room left, or is shutting down. Nothing was acknowledged; a later
    /// try may succeed.
    Unavailable,
    /// What is stored forbids it: a value that must be unique is there already. Nothing was done; the same work fails
    /// again, as long as what is stored stays.
    Conflict,
    /// Another transaction was first: the database gave this one up (a serialization failure, a deadlock), or deleted
    /// what it refers to. Nothing was done; a new try sees the new state.
    Contention,
    /// The work would examine more rows than one request may. Nothing was done; no retry helps, but asking for less
    /// does.
    TooMuchWork,
    /// A stored row contradicts itself or its table. No retry helps; a person has to look.
    Inconsistent,
    /// A fault of the program: a statement the database refuses, or a panic inside a closure.
    Internal,
}

/// A failure of the store itself. That a row does not exist is never an error: it is `None`.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    operation: &'static str,
    detail: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// An error of `kind` that happened while the adapter did `operation`.
    pub fn new(kind: StoreErrorKind, operation: &'static str) -> Self {
        Self {
            kind,
            operation,
            detail: None,
            source: None,
        }
    }

    /// An [`StoreErrorKind::Inconsistent`] error that names the place: which table, which row, what is wrong.
    pub fn inconsistent(table: &'static str, row: impl fmt::Display, what: &str) -> Self {
        Self::new(StoreErrorKind::Inconsistent, table).with_detail(format!("row {row}: {what}"))
    }

    /// Adds a sentence for the log. It must hold no secret and no user's content.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds the error underneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// What the adapter was doing.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Whether the same work may succeed later, unchanged.
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
            StoreErrorKind::Conflict => "what is stored forbids it",
            StoreErrorKind::Contention => "another transaction was first",
            StoreErrorKind::TooMuchWork => "too many rows would be examined",
            StoreErrorKind::Inconsistent => "stored data contradicts itself",
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
            "stored data contradicts itself (alerts): row 7: resolved without an end"
        );
        assert_eq!(
            error.source().map(ToString::to_string).as_deref(),
            Some("disk")
        );
    }
}
