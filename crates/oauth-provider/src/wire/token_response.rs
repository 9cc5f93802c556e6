//! The token response (RFC 6749, section 5.1).

use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use serde::{Serialize, Serializer};

/// The token response. Its members are serialized in this order, and absent ones are left out: the password grant
/// returns neither a refresh token nor `created_at` (`OAUTH-06`).
#[derive(Debug)]
pub struct TokenResponse<'t> {
    /// Access token.
    pub access_token: &'t PlainSecret,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// Refresh token.
    pub refresh_token: Option<&'t PlainSecret>,
    /// Scopes of the access token.
    pub scopes: Option<&'t ScopeSet>,
    /// Time of issue.
    pub created_at: Option<Timestamp>,
    /// Id token, signed.
    pub id_token: Option<String>,
}

/// Token type: the access token is sent in the header `Authorization: Bearer` (RFC 6750).
pub const TOKEN_TYPE: &str = "bearer";

/// Tokens issued for a grant.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TokenResponseMembers<'t> {
    /// Access token.
    access_token: &'t str,
    /// Token type: `bearer`.
    token_type: &'static str,
    /// Seconds until the access token expires.
    expires_in: i64,
    /// Refresh token for the next pair of tokens. Absent for the password grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'t str>,
    /// Scopes of the access token, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// Time of issue, in seconds since 1970. Absent for the password grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<i64>,
    /// Id token, a signed JSON Web Token; with the scope `openid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<&'t str>,
}

/// Uses the schema of the members: secrets have none of their own.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for TokenResponse<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TokenResponse".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        TokenResponseMembers::json_schema(generator)
    }
}

impl Serialize for TokenResponse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TokenResponseMembers {
            access_token: self.access_token.reveal(),
            token_type: TOKEN_TYPE,
            expires_in: self.expires_in,
            refresh_token: self.refresh_token.map(PlainSecret::reveal),
            scope: self.scopes.map(ToString::to_string),
            created_at: self.created_at.map(Timestamp::as_unix_seconds),
            id_token: self.id_token.as_deref(),
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000 + 999_999).unwrap()
    }

    #[test]
    fn members_come_in_the_order_that_clients_know() {
        let (access, refresh) = (PlainSecret::new("a"), PlainSecret::new("r"));
        let scopes = ScopeSet::parse("openid api").unwrap();
        let answer = TokenResponse {
            access_token: &access,
            expires_in: 7200,
            refresh_token: Some(&refresh),
            scopes: Some(&scopes),
            created_at: Some(at(1_700_000_000)),
            id_token: Some("x.y.z".to_owned()),
        };
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"access_token":"a","token_type":"bearer","expires_in":7200,"refresh_token":"r","scope":"api openid","created_at":1700000000,"id_token":"x.y.z"}"#
        );
    }

    #[test]
    fn absent_fields_are_omitted() {
        let access = PlainSecret::new("a");
        let answer = TokenResponse {
            access_token: &access,
            expires_in: 7200,
            refresh_token: None,
            scopes: None,
            created_at: None,
            id_token: None,
        };
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"access_token":"a","token_type":"bearer","expires_in":7200}"#
        );
        assert!(
            !format!("{answer:?}").contains("\"a\""),
            "printing shows no token"
        );
    }
}
