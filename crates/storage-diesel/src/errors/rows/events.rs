//! Rows of events.

use api_conventions::ids::{ErrorEventId, ErrorKeyId};
use diesel::prelude::*;
use error_tracking::model::{ErrorEvent, ErrorEventSummary, Level};
use error_tracking::store::NewErrorEvent;
use storage::StoreError;

use super::event_id;
use crate::entity::entity;
use crate::rows::{DomainRow, KeyedRow, RowReader};

entity! {
    error_events: EventRow, NewEventRow;
    fixed {
        key_id: BigInt,
        event_id: Binary,
        received_at: BigInt,
        occurred_at: BigInt,
        title: Text,
        level: SmallInt,
        release: Nullable<Text>,
        environment: Nullable<Text>,
        body: Nullable<Binary>,
        shared_digest: Nullable<Binary>,
        shared: Nullable<Binary>,
    }
    written {
        project_id: BigInt,
        number: BigInt,
    }
}

/// Event without its body.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = error_events)]
pub(crate) struct EventSummaryRow {
    id: i64,
    key_id: i64,
    event_id: Vec<u8>,
    received_at: i64,
    occurred_at: i64,
    title: String,
    level: i16,
    release: Option<String>,
    environment: Option<String>,
}

impl DomainRow for EventSummaryRow {
    type Value = ErrorEventSummary;

    fn read(self) -> Result<ErrorEventSummary, StoreError> {
        let row = RowReader::new("error_events", self.id);
        Ok(ErrorEventSummary {
            id: ErrorEventId::new(self.id),
            key_id: ErrorKeyId::new(self.key_id),
            event_id: event_id(row, &self.event_id)?,
            received_at: row.timestamp(self.received_at)?,
            occurred_at: row.timestamp(self.occurred_at)?,
            title: self.title,
            level: row.require(Level::from_number(self.level), "unknown level")?,
            release: self.release,
            environment: self.environment,
        })
    }
}

impl KeyedRow for EventSummaryRow {
    fn key(&self) -> i64 {
        self.id
    }
}

/// Event with the digest of the content that it shares with others, if that content is in a row of its own.
pub(crate) struct FoundEvent {
    pub(crate) event: ErrorEvent,
    pub(crate) shared_digest: Option<Vec<u8>>,
}

impl DomainRow for EventRow {
    type Value = FoundEvent;

    fn read(self) -> Result<FoundEvent, StoreError> {
        let row = self.reader();
        let kept = row.require(self.body, "event body is missing")?;
        let summary = EventSummaryRow {
            id: self.id,
            key_id: self.key_id,
            event_id: self.event_id,
            received_at: self.received_at,
            occurred_at: self.occurred_at,
            title: self.title,
            level: self.level,
            release: self.release,
            environment: self.environment,
        };
        Ok(FoundEvent {
            event: ErrorEvent {
                summary: summary.read()?,
                kept,
                shared: self.shared,
            },
            shared_digest: self.shared_digest,
        })
    }
}

impl<'v> From<&NewErrorEvent<'v>> for NewEventRow<'v> {
    fn from(new: &NewErrorEvent<'v>) -> Self {
        let event = new.event;
        Self {
            project_id: new.project_id.get(),
            key_id: new.key_id.get(),
            event_id: event.id.as_bytes()[..].into(),
            number: new.number,
            received_at: event.received_at.as_micros(),
            occurred_at: event.occurred_at.as_micros(),
            title: event.facts.title.as_str().into(),
            level: event.facts.level.number(),
            release: event.release.as_deref().map(Into::into),
            environment: event.environment.as_deref().map(Into::into),
            body: Some(event.kept.as_slice().into()),
            shared_digest: None,
            shared: None,
        }
    }
}
