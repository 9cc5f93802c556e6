//! The JSON of a deploy token.

use api_conventions::ids::DeployTokenId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::DeployToken;

/// Deploy token, without its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeployTokenResponse {
    /// Token id.
    pub id: DeployTokenId,
    /// Name of the token.
    pub name: String,
    /// Username to send with the token.
    pub username: String,
    /// First instant at which the token is no longer valid; `null` if it never expires.
    pub expires_at: Option<Timestamp>,
    /// Scopes of the token.
    pub scopes: Vec<String>,
    /// Always false: a revoked token is deleted.
    pub revoked: bool,
    /// True if the token has expired.
    pub expired: bool,
}

impl DeployTokenResponse {
    /// Creates the response for a token at `now`.
    pub fn new(token: &DeployToken, now: Timestamp) -> Self {
        Self {
            id: token.id,
            name: token.name.clone(),
            username: token.username(),
            expires_at: token.expires_at,
            scopes: token.scopes.iter().map(ToString::to_string).collect(),
            revoked: false,
            expired: token.is_expired(now),
        }
    }
}

/// Deploy token that was just created, with its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewDeployTokenResponse<'t> {
    /// The token.
    #[serde(flatten)]
    pub token: DeployTokenResponse,
    /// The secret, which is shown only once.
    #[serde(rename = "token")]
    pub secret: &'t str,
}
