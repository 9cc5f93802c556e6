//! PostgreSQL specifics of records.

/// Locks the rows that a query finds against changes, but not against rows that refer to them.
macro_rules! locked {
    ($rows:expr) => {
        $rows.for_no_key_update()
    };
}

pub(crate) use locked;
