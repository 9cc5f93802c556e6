//! Client keys: by them programs report their errors.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::Timestamp;

use super::PublicKey;

/// A key by which the programs of a project report their errors. It lets them do nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientKey {
    /// Its id.
    pub id: ClientKeyId,
    /// The project.
    pub project_id: ProjectId,
    /// What stands in the DSN.
    pub public_key: PublicKey,
    /// Whether it is taken.
    pub active: bool,
    /// Events in a minute that are taken with it; `None` for as many as the project may send.
    pub events_per_minute: Option<u32>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClientKey {
    /// The project.
    pub project_id: ProjectId,
    /// What stands in the DSN; 16 random bytes made it.
    pub public_key: PublicKey,
    /// Now.
    pub created_at: Timestamp,
}

/// What can be changed of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKeyChange {
    /// It is taken from now on, or is not.
    Active(bool),
    /// It has this limit of events in a minute, or none of its own.
    EventsPerMinute(Option<u32>),
}
