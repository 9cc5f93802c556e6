//! Rows of content that the events of a key share.

use std::borrow::Cow;

use diesel::prelude::*;
use error_tracking::store::NewErrorEvent;

diesel::table! {
    error_shared (id) {
        id -> BigInt,
        project_id -> BigInt,
        key_id -> BigInt,
        digest -> Binary,
        used_at -> BigInt,
        body -> Binary,
    }
}

/// Values of an insert.
#[derive(Debug, Insertable)]
#[diesel(table_name = error_shared)]
pub(crate) struct NewSharedRow<'v> {
    project_id: i64,
    key_id: i64,
    digest: &'v [u8],
    used_at: i64,
    body: Cow<'v, [u8]>,
}

impl<'v> NewSharedRow<'v> {
    /// Returns the row of the content that an event shares, if it shares any.
    pub(crate) fn of(new: &NewErrorEvent<'v>) -> Option<Self> {
        let shared = new.event.shared.as_ref()?;
        Some(Self {
            project_id: new.project_id.get(),
            key_id: new.key_id.get(),
            digest: shared.digest(),
            used_at: new.event.received_at.as_micros(),
            body: shared.packed(),
        })
    }
}
