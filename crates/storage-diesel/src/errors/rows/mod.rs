//! Rows of error tracking.

pub(crate) mod attachments_and_comments;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod keys;
pub(crate) mod monitors;
pub(crate) mod settings;
pub(crate) mod shared;
pub(crate) mod terms;

use error_tracking::model::EventId;
use storage::StoreError;

use crate::rows::RowReader;

/// Reads the id of an event.
fn event_id(row: RowReader, bytes: &[u8]) -> Result<EventId, StoreError> {
    row.require(event_id_of(bytes), "invalid event id")
}

/// Returns the event id with these bytes.
pub(crate) fn event_id_of(bytes: &[u8]) -> Option<EventId> {
    EventId::from_bytes(bytes.try_into().ok()?)
}
