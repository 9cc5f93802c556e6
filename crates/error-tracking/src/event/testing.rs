//! Events for tests.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::{EventSource, Report, read};
use crate::model::EventId;

/// Delivery of the events in tests.
pub(crate) fn sent() -> EventSource<'static> {
    EventSource {
        received_at: Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap(),
        sent_at: None,
        id: None,
        fallback_id: EventId::parse("ffffffffffffffffffffffffffffffff").unwrap(),
        peer: Some("192.0.2.7"),
    }
}

/// Report of an event.
pub(crate) fn report(value: Value) -> Report {
    read(value, &sent()).unwrap().report
}
