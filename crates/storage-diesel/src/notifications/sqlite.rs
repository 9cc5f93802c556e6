//! SQLite specifics of notifications.

use ::notifications::model::MessageSubject;
use storage::StoreError;

use crate::bulk::ColumnKind::Number;
use crate::bulk::{Bulk, Statement};
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// Makes channels due that are not, or that wait for a later message.
static WAKE: Statement = Statement {
    columns: &[("id", Number), ("at", Number)],
    text: "UPDATE notification_channels SET is_waiting = TRUE, \
           due_at = (SELECT new.at FROM new WHERE new.id = notification_channels.id) \
           WHERE id IN (SELECT id FROM new) AND (due_at IS NULL OR (is_waiting AND due_at > \
           (SELECT new.at FROM new WHERE new.id = notification_channels.id)))",
};

/// Does nothing: there is one writer, so nothing else changes channels in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_channel(_: &mut SqliteWriteTx<'_>, _: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Makes channels due, each at its time.
pub(super) fn lock_and_wake(
    tx: &mut SqliteWriteTx<'_>,
    channels: &[(i64, i64)],
) -> Result<(), StoreError> {
    let wake: Bulk = Bulk::new(&WAKE, channels);
    tx.execute("wake channels", wake).map(drop)
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
