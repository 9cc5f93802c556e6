//! The JSON of an access token.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use crate::model::{AccessToken, TokenState};

/// Access token, without its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessTokenResponse {
    /// Token id.
    pub id: TokenId,
    /// Name of the token.
    pub name: String,
    /// True if the token was revoked.
    pub revoked: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Scopes of the token.
    pub scopes: Vec<String>,
    /// Id of the user for whom the token acts.
    pub user_id: UserId,
    /// Time of the last use, to within about a minute; `null` if the token was never used.
    pub last_used_at: Option<Timestamp>,
    /// True if the token is neither revoked nor expired.
    pub active: bool,
    /// First day on which the token is no longer valid; `null` if it never expires.
    pub expires_at: Option<CalendarDate>,
}

impl AccessTokenResponse {
    /// Creates the response for a token at `now`.
    pub fn new(token: &AccessToken, now: Timestamp) -> Self {
        Self {
            id: token.id,
            name: token.name.clone(),
            revoked: matches!(token.state, TokenState::Revoked { .. }),
            created_at: token.created_at,
            scopes: token.scopes.iter().map(ToString::to_string).collect(),
            user_id: token.user_id,
            last_used_at: token.last_used_at,
            active: token.is_usable(now),
            expires_at: token.expiry(),
        }
    }
}

/// Access token that was just created, with its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewAccessTokenResponse<'t> {
    /// The token.
    #[serde(flatten)]
    pub metadata: AccessTokenResponse,
    /// The secret, which is shown only once.
    pub token: &'t str,
}

/// Impersonation token, without or with its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImpersonationTokenResponse<T> {
    /// The token.
    #[serde(flatten)]
    pub token: T,
    /// Always true.
    pub impersonation: bool,
}

impl<T> ImpersonationTokenResponse<T> {
    /// Creates the response for an impersonation token.
    pub fn new(token: T) -> Self {
        Self {
            token,
            impersonation: true,
        }
    }
}

/// Access token of a project or group, without or with its secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceTokenResponse<T> {
    /// The token.
    #[serde(flatten)]
    pub token: T,
    /// Role of the bot in the project or group, as a number; `null` once the role has ended.
    pub access_level: Option<i16>,
}

impl<T> PlaceTokenResponse<T> {
    /// Creates the response for a token whose bot has this role.
    pub fn new(token: T, level: Option<AccessLevel>) -> Self {
        Self {
            token,
            access_level: level.map(AccessLevel::number),
        }
    }
}
