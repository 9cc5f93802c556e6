//! SQLite specifics of records.

/// Finds the rows of a query.
/// A write transaction has the whole database, so nothing in it has to be locked.
macro_rules! locked {
    ($rows:expr) => {
        $rows
    };
}

pub(crate) use locked;
