//! SQLite specifics of notifications.

use ::notifications::model::MessageSubject;
use storage::StoreError;

use crate::sqlite::SqliteWriteTx;

/// Does nothing: there is one writer, so nothing else changes channels in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_channels(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

/// Does nothing, for the same reason.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_channels_of_queued(
    _: &mut SqliteWriteTx<'_>,
    _: &[MessageSubject],
) -> Result<(), StoreError> {
    Ok(())
}
