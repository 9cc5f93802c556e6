//! Rows of messages.

use ::notifications::model::{
    MessageContent, MessageEvent, MessageState, MessageSubject, MessageSubjectKind, NewMessage,
    OutboxMessage,
};
use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use diesel::prelude::*;
use storage::StoreError;

use crate::rows::{DomainRow, RowReader};

diesel::table! {
    notification_messages (id) {
        id -> BigInt,
        project_id -> BigInt,
        channel_id -> BigInt,
        event -> SmallInt,
        subject_kind -> SmallInt,
        subject_id -> BigInt,
        content -> Text,
        state -> SmallInt,
        attempts -> BigInt,
        created_at -> BigInt,
        send_at -> BigInt,
        finished_at -> Nullable<BigInt>,
    }
}

/// Project of a message about an account. No project has this id.
const NO_PROJECT: i64 = 0;

/// Row of a message. Its fields are in the order of the columns.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = notification_messages)]
pub(super) struct MessageRow {
    id: i64,
    project_id: i64,
    channel_id: i64,
    event: i16,
    subject_kind: i16,
    subject_id: i64,
    content: String,
    state: i16,
    attempts: i64,
    created_at: i64,
    send_at: i64,
    finished_at: Option<i64>,
}

impl DomainRow for MessageRow {
    type Value = OutboxMessage;

    fn read(self) -> Result<OutboxMessage, StoreError> {
        let row = RowReader::new("notification_messages", self.id);
        let content: Option<MessageContent> = serde_json::from_str(&self.content).ok();
        let kind = MessageSubjectKind::from_number(self.subject_kind);
        let state = row.require(MessageState::from_number(self.state), "unknown state")?;
        if state.is_pending() != self.finished_at.is_none() {
            return Err(row.inconsistent("state does not match the end"));
        }
        Ok(OutboxMessage {
            id: MessageId::new(self.id),
            project_id: (self.project_id != NO_PROJECT).then(|| ProjectId::new(self.project_id)),
            channel_id: ChannelId::new(self.channel_id),
            event: row.require(MessageEvent::from_number(self.event), "unknown event")?,
            subject: MessageSubject {
                kind: row.require(kind, "unknown kind of subject")?,
                id: self.subject_id,
            },
            content: row.require(content, "invalid content")?,
            state,
            attempts: row.require(u32::try_from(self.attempts).ok(), "attempts out of range")?,
            created_at: row.timestamp(self.created_at)?,
            send_at: row.timestamp(self.send_at)?,
            finished_at: row.optional_timestamp(self.finished_at)?,
        })
    }
}

/// Values of a new message, in the order of the columns, after its place among the others.
pub(super) type MessageValues = (usize, i64, i64, i16, i16, i64, String, i64, i64);

/// Returns the values of a new message.
#[expect(
    clippy::expect_used,
    reason = "texts, numbers and timestamps always serialize to JSON"
)]
pub(super) fn message_values((place, new): (usize, &NewMessage)) -> MessageValues {
    (
        place,
        new.project_id.map_or(NO_PROJECT, ProjectId::get),
        new.channel_id.get(),
        new.event.number(),
        new.subject.kind.number(),
        new.subject.id,
        serde_json::to_string(&new.content).expect("content serializes to JSON"),
        new.created_at.as_micros(),
        new.send_at.as_micros(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of a row with this content, state and end.
    fn error_of(content: &str, state: i16, finished_at: Option<i64>) -> Option<String> {
        let row = MessageRow {
            id: 7,
            project_id: 1,
            channel_id: 1,
            event: 0,
            subject_kind: 1,
            subject_id: 1,
            content: content.to_owned(),
            state,
            attempts: 0,
            created_at: 0,
            send_at: 0,
            finished_at,
        };
        row.read().err().map(|error| error.to_string())
    }

    #[test]
    fn a_row_that_contradicts_itself_is_refused() {
        let content = serde_json::to_string(&MessageContent::default()).unwrap();
        for (state, finished_at) in [(0, None), (1, None), (2, Some(0)), (5, Some(0))] {
            assert_eq!(error_of(&content, state, finished_at), None);
        }
        for (content, state, finished_at) in [
            ("", 0, None),
            ("{}", 0, None),
            (content.as_str(), 0, Some(0)),
            (content.as_str(), 2, None),
            (content.as_str(), 13, Some(0)),
            (content.as_str(), 2, Some(i64::MAX)),
        ] {
            let error = error_of(content, state, finished_at);
            assert!(error.is_some(), "{content} {state} {finished_at:?}");
        }
    }
}
