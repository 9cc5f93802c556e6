//! Introspection responses, for the application that owns the token (RFC 7662, section 2.2).

use serde::Serialize;

use super::token_response::TOKEN_TYPE;
use crate::flow::introspect::{ActiveToken, TokenHalf};
use crate::model::{ApplicationUid, TokenSubject};
use crate::scopes::ScopeRegistry;

/// Issuer of the introspection response.
#[derive(Debug, Clone, Copy)]
pub struct Issuer<'s> {
    /// Base URL of the server.
    pub url: &'s str,
    /// Scopes in the server's registry.
    pub scopes: &'s ScopeRegistry,
}

/// The introspection response. For an inactive token it has only `active`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Introspection {
    /// True if the token is active.
    pub active: bool,
    /// Scopes of the token, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Application to which the token was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Username of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// `bearer`, for an access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_type: Option<&'static str>,
    /// Time of expiry, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// Time of issue, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iat: Option<i64>,
    /// User id, as in the id token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
    /// Issuer of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
}

impl Introspection {
    /// Returns the response for a token that is not valid, does not exist, or belongs to another application.
    pub fn inactive() -> Self {
        Self::default()
    }

    /// Returns the response for an active token, with its registered scopes: a resource server must not act on a scope
    /// that the provider removed from its registry. `username` is that of the token's user; a token of an application
    /// itself is reported without a user, even if `username` is set.
    pub fn active(
        token: &ActiveToken,
        client_id: &ApplicationUid,
        username: Option<&str>,
        issuer: Issuer<'_>,
    ) -> Self {
        let pair = &token.pair;
        let (sub, username) = match pair.subject {
            TokenSubject::User { user_id, .. } => (Some(user_id.to_string()), username),
            TokenSubject::Application(_) => (None, None),
        };
        Self {
            active: true,
            scope: Some(issuer.scopes.registered_in(&pair.scopes).to_string()),
            client_id: Some(client_id.as_str().to_owned()),
            username: username.map(str::to_owned),
            token_type: (token.half == TokenHalf::Access).then_some(TOKEN_TYPE),
            exp: Some(token.expires_at().as_unix_seconds()),
            iat: Some(pair.created_at.as_unix_seconds()),
            sub,
            iss: Some(issuer.url.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{ApplicationId, GrantId, TokenPairId, UserId};
    use api_conventions::scope::ScopeSet;
    use api_conventions::time::Timestamp;

    use super::*;
    use crate::model::{TokenPair, TokenPairState};
    use crate::scopes::samples::registry;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    const SUBJECT: TokenSubject = TokenSubject::user(UserId::new(42), ApplicationId::new(3));

    fn token(half: TokenHalf, subject: TokenSubject) -> ActiveToken {
        let pair = TokenPair {
            id: TokenPairId::new(1),
            grant_id: GrantId::new(2),
            subject,
            scopes: ScopeSet::parse("openid mystery api").unwrap(),
            created_at: at(1_700_000_000),
            expires_at: at(1_700_007_200),
            refresh_expires_at: Some(at(1_800_000_000)),
            state: TokenPairState::Current,
        };
        ActiveToken { pair, half }
    }

    fn json(half: TokenHalf) -> String {
        json_of(&token(half, SUBJECT))
    }

    fn json_of(token: &ActiveToken) -> String {
        let uid = ApplicationUid::parse("app").unwrap();
        let issuer = Issuer {
            url: "https://gate.example",
            scopes: &registry(),
        };
        let json = Introspection::active(token, &uid, Some("ann"), issuer);
        serde_json::to_string(&json).unwrap()
    }

    #[test]
    fn an_access_token_is_introspected_with_all_members() {
        assert_eq!(
            json(TokenHalf::Access),
            r#"{"active":true,"scope":"api openid","client_id":"app","username":"ann","token_type":"bearer","exp":1700007200,"iat":1700000000,"sub":"42","iss":"https://gate.example"}"#
        );
    }

    #[test]
    fn a_token_of_an_application_itself_names_no_user() {
        let subject = TokenSubject::Application(ApplicationId::new(3));
        assert_eq!(
            json_of(&token(TokenHalf::Access, subject)),
            r#"{"active":true,"scope":"api openid","client_id":"app","token_type":"bearer","exp":1700007200,"iat":1700000000,"iss":"https://gate.example"}"#
        );
    }

    #[test]
    fn a_refresh_token_has_its_own_end_and_is_no_bearer_token() {
        let json = json(TokenHalf::Refresh);
        assert!(json.contains(r#""exp":1800000000"#), "{json}");
        assert!(!json.contains("token_type"), "{json}");
    }

    #[test]
    fn a_token_that_does_not_work_is_inactive_and_nothing_else() {
        let json = serde_json::to_string(&Introspection::inactive()).unwrap();
        assert_eq!(json, r#"{"active":false}"#);
    }
}
