//! Options of an application, for OAuth libraries with special needs.

use super::ClientType;

/// Options of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplicationOptions {
    /// True if authorization responses name the issuer (RFC 9207). Some libraries reject the extra parameter.
    pub issuer_in_response: bool,
    /// True if a request for scopes beyond those of the application gets the scopes that it holds (RFC 6749, section
    /// 3.3), instead of `invalid_scope`.
    pub reduce_scopes: bool,
    /// True if a request with `openid` asks for `groups` as well, and id tokens list all groups of the user.
    pub groups_claim: bool,
    /// Lifetime of id tokens in seconds; `None` for the server's default.
    pub id_token_seconds: Option<u32>,
    /// Lifetime of access tokens in seconds; `None` for the server's default.
    pub access_token_seconds: Option<u32>,
}

impl ApplicationOptions {
    /// Returns the default options of a client type. Public applications often request every scope they know, so their
    /// requests are reduced.
    pub const fn of(client_type: ClientType) -> Self {
        Self {
            issuer_in_response: true,
            reduce_scopes: matches!(client_type, ClientType::Public),
            groups_claim: false,
            id_token_seconds: None,
            access_token_seconds: None,
        }
    }
}
