//! Policy of a provider: its scopes, its lifetimes and its strictness.

use crate::model::ApplicationOptions;
use crate::scopes::ScopeRegistry;

/// Shortest lifetime of a token that an application can have, in seconds.
pub const MIN_TOKEN_SECONDS: u32 = 60;

/// Settings of an instance. All times are in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Registered scopes.
    pub scopes: ScopeRegistry,
    /// Lifetime of an access token (`OAUTH-06`: 7200).
    pub access_seconds: i64,
    /// Longest lifetime of access tokens that one application can have.
    pub max_access_seconds: u32,
    /// Longest lifetime of id tokens that one application can have.
    pub max_id_token_seconds: u32,
    /// Lifetime of a code. RFC 6749, section 4.1.2, allows ten minutes at most.
    pub code_seconds: i64,
    /// Time that a user has to answer a request for consent.
    pub consent_seconds: i64,
    /// Lifetime of a refresh token that is not used.
    pub refresh_idle_seconds: i64,
    /// Maximum lifetime of a grant, however often it is refreshed.
    pub grant_seconds: i64,
    /// Time after a rotation during which the same refresh token gets the same response again. It counts from the
    /// rotation and is never extended.
    pub repeat_seconds: i64,
    /// True if public clients must use PKCE (`OAUTH-02`, RFC 9700, section 2.1.1).
    pub public_clients_need_pkce: bool,
}

impl Policy {
    /// Creates a policy with these scopes. Times default to those of the specification, or to common ones.
    pub fn new(scopes: ScopeRegistry) -> Self {
        let day = 86_400;
        Self {
            scopes,
            access_seconds: 7_200,
            max_access_seconds: 86_400,
            max_id_token_seconds: 86_400,
            code_seconds: 60,
            consent_seconds: 600,
            refresh_idle_seconds: 90 * day,
            grant_seconds: 365 * day,
            repeat_seconds: 10,
            public_clients_need_pkce: true,
        }
    }

    /// Lifetime of the access tokens of an application with these options. Bounds that were tightened later apply at
    /// once.
    pub fn access_seconds_of(&self, options: &ApplicationOptions) -> i64 {
        bounded(options.access_token_seconds, self.max_access_seconds)
            .unwrap_or(self.access_seconds)
    }

    /// Lifetime of the id tokens of an application with these options.
    pub fn id_token_seconds_of(&self, options: &ApplicationOptions) -> i64 {
        bounded(options.id_token_seconds, self.max_id_token_seconds)
            .unwrap_or(crate::wire::id_token::LIFETIME_SECONDS)
    }
}

fn bounded(seconds: Option<u32>, most: u32) -> Option<i64> {
    let most = most.max(MIN_TOKEN_SECONDS);
    seconds.map(|seconds| seconds.clamp(MIN_TOKEN_SECONDS, most).into())
}
