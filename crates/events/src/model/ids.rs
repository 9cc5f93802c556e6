//! State of the ids of events.

use std::collections::BTreeSet;

use api_conventions::ids::EventId;

/// Ids that were assigned to events, and the transactions that may still commit some of them.
///
/// A store may assign the id of an event before its transaction commits. So an event can become visible after events
/// with greater ids. [`EventHorizon`](crate::rules::horizon::EventHorizon) computes from this state which ids are final.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventIdState {
    /// Greatest id that was assigned before the writers were read; 0 if none was. It never returns, even if its event
    /// is deleted or its transaction rolled back.
    pub last_assigned: EventId,
    /// Names of transactions that may still commit events with ids up to `last_assigned`. No two transactions of a
    /// running database share a name.
    pub writers: BTreeSet<String>,
}
