//! Client keys, with which programs report their errors.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::Timestamp;

use super::PublicKey;

/// Client key with which the programs of a project report their errors.
/// It grants nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientKey {
    /// Id of the key.
    pub id: ClientKeyId,
    /// The project.
    pub project_id: ProjectId,
    /// Public key in the DSN.
    pub public_key: PublicKey,
    /// True if the key is accepted.
    pub active: bool,
    /// Events per minute that are accepted with the key; `None` for the limit of the project.
    pub events_per_minute: Option<u32>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Client key to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClientKey {
    /// The project.
    pub project_id: ProjectId,
    /// Public key for the DSN, created from 16 random bytes.
    pub public_key: PublicKey,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Change of a client key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKeyChange {
    /// True activates the key, false deactivates it.
    Active(bool),
    /// New limit of events per minute; `None` removes the key's own limit.
    EventsPerMinute(Option<u32>),
}
