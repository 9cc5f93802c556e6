//! Alert endpoints of a project.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::Source;

/// Prefix of authorization keys, by which people and secret scanners recognize them.
pub const KEY_PREFIX: &str = "ghak_";

/// An endpoint that receives alerts for a project, with the digest of its authorization key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Integration {
    /// Id.
    pub id: IntegrationId,
    /// The project.
    pub project_id: ProjectId,
    /// Payload format that it accepts.
    pub source: Source,
    /// Display name.
    pub name: String,
    /// Identifier in the endpoint's URL; unique within the project.
    pub endpoint_identifier: String,
    /// True if the endpoint accepts alerts.
    pub active: bool,
    /// Digest of the authorization key.
    pub key: SecretDigest,
}

impl Integration {
    /// Identifier of a project's generic endpoint whose URL has no identifier.
    pub const GENERIC_IDENTIFIER: &str = "legacy";
    /// Identifier of a project's metrics endpoint.
    pub const METRICS_IDENTIFIER: &str = "metrics";
}

/// Alert endpoint to insert.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewIntegration {
    /// The project.
    pub project_id: ProjectId,
    /// Payload format that it accepts.
    pub source: Source,
    /// Display name.
    pub name: String,
    /// Identifier in the endpoint's URL.
    pub endpoint_identifier: String,
    /// True if the endpoint accepts alerts.
    pub active: bool,
    /// Digest of the authorization key.
    pub key: SecretDigest,
    /// Time of creation: now.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

/// Update of an existing endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrationChange {
    /// Activates the endpoint, or deactivates it.
    Active(bool),
    /// Sets a new authorization key. The old one stops working.
    Key(SecretDigest),
}
