//! Options of one application: what its library needs that most others do not.

use super::ClientType;

/// Options of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplicationOptions {
    /// True if authorization responses name the issuer (RFC 9207). Libraries that know no issuer refuse such a response.
    pub issuer_in_response: bool,
    /// True if a request for scopes that the application does not hold gets those that it holds (RFC 6749, section 3.3),
    /// instead of `invalid_scope`.
    pub reduce_scopes: bool,
    /// True if a request with `openid` asks for `groups` as well, and id tokens list all groups of the user.
    pub groups_claim: bool,
    /// Lifetime of id tokens in seconds; `None` for the server's.
    pub id_token_seconds: Option<u32>,
    /// Lifetime of access tokens in seconds; `None` for the server's.
    pub access_token_seconds: Option<u32>,
}

impl ApplicationOptions {
    /// Options of an application for which nobody chose any. Public applications are mostly programs that ask for every
    /// scope they have heard of, so their requests are reduced.
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
