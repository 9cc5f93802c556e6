//! What a provider may decide for itself: which scopes there are, how long things live, and how strict it is.

use crate::scopes::ScopeRegistry;

/// The decisions of an instance. All times are in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// The scopes that there are.
    pub scopes: ScopeRegistry,
    /// How long an access token works (`OAUTH-06`: 7200).
    pub access_seconds: i64,
    /// How long a code can be redeemed. RFC 6749, section 4.1.2, allows ten minutes at most.
    pub code_seconds: i64,
    /// How long a user may think about a request.
    pub consent_seconds: i64,
    /// How long a refresh token works when it is not used.
    pub refresh_idle_seconds: i64,
    /// How long a grant lives at most, however often it is refreshed.
    pub grant_seconds: i64,
    /// How long after a rotation the same refresh token gets the same answer again. The time counts from the
    /// rotation and never grows.
    pub repeat_seconds: i64,
    /// Whether public clients must use PKCE (`OAUTH-02`, RFC 9700, section 2.1.1).
    pub public_clients_need_pkce: bool,
}

impl Policy {
    /// The policy of a host with these scopes, with the times that the specification says or that are common.
    pub fn new(scopes: ScopeRegistry) -> Self {
        let day = 86_400;
        Self {
            scopes,
            access_seconds: 7_200,
            code_seconds: 60,
            consent_seconds: 600,
            refresh_idle_seconds: 90 * day,
            grant_seconds: 365 * day,
            repeat_seconds: 10,
            public_clients_need_pkce: true,
        }
    }
}
