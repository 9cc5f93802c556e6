//! An endpoint that receives alerts for a project.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::Source;

/// What an authorization key starts with, so that people and scanners know it when they see it.
pub const KEY_PREFIX: &str = "ghak_";

/// An endpoint that receives alerts for a project, with the digest of its authorization key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Integration {
    /// Its id.
    pub id: IntegrationId,
    /// The project.
    pub project_id: ProjectId,
    /// Which format it takes.
    pub source: Source,
    /// What people call it.
    pub name: String,
    /// What names it in its URL; unique in its project.
    pub endpoint_identifier: String,
    /// Whether it accepts alerts.
    pub active: bool,
    /// The digest of its authorization key.
    pub key: SecretDigest,
}

impl Integration {
    /// The identifier of a project's generic endpoint whose URL has no identifier.
    pub const GENERIC_IDENTIFIER: &str = "legacy";
    /// The identifier of a project's metrics endpoint.
    pub const METRICS_IDENTIFIER: &str = "metrics";
}

/// An endpoint to be made.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewIntegration {
    /// The project.
    pub project_id: ProjectId,
    /// Which format it takes.
    pub source: Source,
    /// What people call it.
    pub name: String,
    /// What names it in its URL.
    pub endpoint_identifier: String,
    /// Whether it accepts alerts.
    pub active: bool,
    /// The digest of its authorization key.
    pub key: SecretDigest,
    /// Now.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

/// A change of an endpoint that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrationChange {
    /// It accepts alerts from now on, or does not.
    Active(bool),
    /// It has another authorization key. The old one opens nothing.
    Key(SecretDigest),
}
