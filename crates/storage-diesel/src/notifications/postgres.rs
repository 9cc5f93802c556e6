//! PostgreSQL specifics of notifications.

use ::notifications::model::MessageSubject;
use diesel::sql_types::BigInt;
use storage::StoreError;

use super::outbox::{SUBJECT_COLUMNS, subjects};
use crate::bulk::Statement;
use crate::postgres::PgWriteTx;
use crate::transaction::Transaction as _;

/// Locks all channels of the projects with a queued message about one of these subjects, then the channels of users with such a
/// message. The messages that follow a cancellation then find their channels locked, so transactions never lock channels of
/// one project out of order.
static LOCK_CHANNELS_OF_QUEUED: Statement = Statement {
    columns: SUBJECT_COLUMNS,
    text: "SELECT c.id FROM notification_channels AS c WHERE c.id IN (SELECT o.id FROM (SELECT DISTINCT m.project_id \
           FROM new CROSS JOIN notification_messages AS m WHERE m.subject_id = new.id AND m.subject_kind = new.kind \
           AND m.state = 0) AS p JOIN notification_channels AS o ON o.project_id = p.project_id \
           UNION SELECT m.channel_id \
           FROM new CROSS JOIN notification_messages AS m WHERE m.subject_id = new.id AND m.subject_kind = new.kind \
           AND m.state = 0) ORDER BY c.project_id IS NULL, c.id FOR UPDATE",
};

/// Returns the statement that locks channels in the order in which all transactions do: those of projects, then those of users
/// and the server, each in the order of their ids.
fn lock(ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    let ids = ids.join(", ");
    format!(
        "SELECT FROM notification_channels WHERE id IN ({ids}) ORDER BY project_id IS NULL, id FOR UPDATE"
    )
}

/// Locks a channel.
pub(super) fn lock_channel(tx: &mut PgWriteTx<'_>, id: i64) -> Result<(), StoreError> {
    tx.run_text("lock channel", &lock([id].into_iter()))
}

/// Locks channels, and makes those due that are not, or that wait for a later time, in one round trip.
pub(super) fn lock_and_wake(
    tx: &mut PgWriteTx<'_>,
    channels: &[(i64, i64)],
) -> Result<(), StoreError> {
    if channels.is_empty() {
        return Ok(());
    }
    let lock = lock(channels.iter().map(|(id, _)| *id));
    let times = channels.iter();
    let times = times.map(|(id, at)| format!("(CAST({id} AS BIGINT), CAST({at} AS BIGINT))"));
    let times = times.collect::<Vec<_>>().join(", ");
    tx.run_text(
        "wake channels",
        &format!(
            "{lock}; UPDATE notification_channels AS c SET is_waiting = TRUE, due_at = new.at \
             FROM (VALUES {times}) AS new (id, at) \
             WHERE c.id = new.id AND (c.due_at IS NULL OR (c.is_waiting AND c.due_at > new.at))"
        ),
    )
}

/// Locks the channels whose queues a cancellation of the messages about these subjects changes.
pub(super) fn lock_channels_of_queued(
    tx: &mut PgWriteTx<'_>,
    about: &[MessageSubject],
) -> Result<(), StoreError> {
    let lock = subjects::<BigInt>(&LOCK_CHANNELS_OF_QUEUED, about);
    let _: Vec<i64> = tx.values("lock channels of queued messages", lock)?;
    Ok(())
}
