//! Statements over many messages, for both databases.

use ::notifications::model::{MessageState, MessageSubject, NewMessage};
use api_conventions::ids::ChannelId;
use api_conventions::time::Timestamp;

use super::message::message_values;
use crate::bulk::ColumnKind::{Number, Small, Text as Words};
use crate::bulk::{Bulk, ColumnKind, Statement};

/// Columns of subjects.
pub(super) const SUBJECT_COLUMNS: &[(&str, ColumnKind)] = &[("kind", Small), ("id", Number)];

/// Creates a statement over subjects. No message is about [`MessageSubject::NONE`].
pub(super) fn subjects<ST>(statement: &'static Statement, about: &[MessageSubject]) -> Bulk<ST> {
    let about = about
        .iter()
        .filter(|subject| **subject != MessageSubject::NONE);
    Bulk::new(
        statement,
        about.map(|subject| (subject.kind.number(), subject.id)),
    )
}

/// Selects the messages about subjects that were attempted, with all columns in their order.
pub(super) static ATTEMPTED: Statement = Statement {
    columns: SUBJECT_COLUMNS,
    text: "SELECT m.id, m.project_id, m.channel_id, m.event, m.subject_kind, m.subject_id, m.content, m.state, m.attempts, \
           m.created_at, m.send_at, m.finished_at FROM notification_messages AS m \
           WHERE (m.subject_id, m.subject_kind) IN (SELECT id, kind FROM new) AND m.attempts > 0",
};

/// Closes the queued messages (0) about subjects.
static CLOSE: Statement = Statement {
    columns: &[
        ("kind", Small),
        ("id", Number),
        ("state", Small),
        ("at", Number),
    ],
    text: "UPDATE notification_messages SET state = (SELECT MAX(state) FROM new), finished_at = (SELECT MAX(at) FROM new) \
           WHERE (subject_id, subject_kind) IN (SELECT id, kind FROM new) AND notification_messages.state = 0",
};

/// Creates the statement that closes the queued messages about subjects.
pub(super) fn close(about: &[MessageSubject], state: MessageState, now: Timestamp) -> Bulk {
    let about = about
        .iter()
        .filter(|subject| **subject != MessageSubject::NONE);
    let (state, at) = (state.number(), now.as_micros());
    let row = |subject: &MessageSubject| (subject.kind.number(), subject.id, state, at);
    Bulk::new(&CLOSE, about.map(row))
}

/// Inserts messages in their order, except those to channels that are gone.
static INSERT: Statement = Statement {
    columns: &[
        ("place", Number),
        ("project_id", Number),
        ("channel_id", Number),
        ("event", Small),
        ("subject_kind", Small),
        ("subject_id", Number),
        ("content", Words),
        ("created_at", Number),
        ("send_at", Number),
    ],
    text: "INSERT INTO notification_messages \
           (project_id, channel_id, event, subject_kind, subject_id, content, state, attempts, created_at, send_at) \
           SELECT project_id, channel_id, event, subject_kind, subject_id, content, 0, 0, created_at, send_at FROM new \
           WHERE EXISTS (SELECT 1 FROM notification_channels AS c WHERE c.id = new.channel_id) ORDER BY place",
};

/// Creates the statement that inserts messages.
pub(super) fn insert(new: &[NewMessage]) -> Bulk {
    Bulk::new(&INSERT, new.iter().enumerate().map(message_values))
}

/// Inserts an attempt, unless its message is gone.
pub(super) static INSERT_ATTEMPT: Statement = Statement {
    columns: &[
        ("message_id", Number),
        ("number", Number),
        ("at", Number),
        ("millis", Number),
        ("outcome", Small),
        ("status", Number),
        ("detail", Words),
    ],
    text: "INSERT INTO notification_attempts (message_id, number, at, millis, outcome, status, detail) \
           SELECT message_id, number, at, millis, outcome, status, detail FROM new \
           WHERE EXISTS (SELECT 1 FROM notification_messages AS m WHERE m.id = new.message_id)",
};

/// Returns the channels of messages in the order of their ids, each with the earliest time of its messages.
pub(super) fn channels_of(new: &[NewMessage]) -> Vec<(i64, i64)> {
    let of = |message: &NewMessage| (message.channel_id, message.send_at);
    let mut channels: Vec<(ChannelId, Timestamp)> = new.iter().map(of).collect();
    channels.sort_unstable();
    channels.dedup_by_key(|(channel, _)| *channel);
    let channels = channels.into_iter();
    let channels = channels.map(|(channel, at)| (channel.get(), at.as_micros()));
    channels.collect()
}
