//! Id tokens: the signed-in user, the application, and the time of sign-in (OpenID Connect Core 1.0, section 2).

use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest as _, Sha256, Sha512};

use super::claims::{Subject, UserClaims};
use crate::model::{ApplicationUid, Grant, SigningAlgorithm};
use crate::scopes::ReleasedClaims;

/// Default lifetime of an id token in seconds, unless its application has another one. A client reads the token right
/// after it is issued, so this only allows for clock differences and is no session length.
pub const LIFETIME_SECONDS: i64 = 600;

/// Claims of an id token, to be signed. They are serialized in this order, and absent ones are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdTokenClaims {
    /// Issuer: the server's base URL.
    pub iss: String,
    /// User id, as text.
    pub sub: String,
    /// Audience: the application that receives the token.
    pub aud: String,
    /// Time of expiry, in seconds since 1970.
    pub exp: i64,
    /// Time of issue, in seconds since 1970.
    pub iat: i64,
    /// Nonce of the application's request, so that it recognizes the response to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// Time of the user's last sign-in, in seconds since 1970.
    pub auth_time: i64,
    /// Session id of the user at this server (OpenID Connect Front-Channel Logout 1.0, section 3). Opaque, and the same
    /// in all id tokens of one session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sid: Option<String>,
    /// Hash of the access token issued with it (section 3.1.3.6).
    pub at_hash: String,
    /// Claims about the user.
    #[serde(flatten)]
    pub user_claims: UserClaims,
}

/// Context in which an id token is issued.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct IdTokenContext<'t> {
    /// Grant to which the tokens belong.
    pub grant: &'t Grant,
    /// Nonce of the authorization request that the tokens answer. A refresh answers none, so its id token has no nonce
    /// (section 12.2).
    pub nonce: Option<&'t str>,
    /// Claims that the scopes release: see [`ScopeRegistry::released_by`](crate::ScopeRegistry::released_by).
    pub released: ReleasedClaims,
    /// Access token.
    pub access_token: &'t str,
    /// Session id of the user, as disclosed to applications.
    pub sid: Option<&'t str>,
    /// Lifetime of the id token in seconds.
    pub lifetime_seconds: i64,
    /// True if the id token lists all groups of the user, provided that their scope is granted.
    pub all_groups: bool,
    /// Signature algorithm of the id token.
    pub algorithm: SigningAlgorithm,
    /// Current time.
    pub now: Timestamp,
}

impl<'t> IdTokenContext<'t> {
    /// Creates the context of tokens that answer no authorization request, so that the id token has no nonce.
    pub fn new(
        grant: &'t Grant,
        released: ReleasedClaims,
        access_token: &'t str,
        algorithm: SigningAlgorithm,
        now: Timestamp,
    ) -> Self {
        Self {
            grant,
            nonce: None,
            released,
            sid: None,
            lifetime_seconds: LIFETIME_SECONDS,
            all_groups: false,
            access_token,
            algorithm,
            now,
        }
    }
}

impl IdTokenClaims {
    /// Creates the claims about `subject` for the application `aud`. `issuer` is the server's base URL.
    pub fn new(
        issuer: &str,
        aud: &ApplicationUid,
        subject: &Subject,
        context: &IdTokenContext<'_>,
    ) -> Self {
        let mut user_claims = UserClaims::for_id_token(subject, context.released);
        if context.all_groups {
            user_claims.add_groups(subject, context.released);
        }
        Self {
            iss: issuer.to_owned(),
            sub: subject.user_id.to_string(),
            aud: aud.as_str().to_owned(),
            exp: context
                .now
                .plus_seconds(context.lifetime_seconds)
                .as_unix_seconds(),
            iat: context.now.as_unix_seconds(),
            nonce: context.nonce.map(str::to_owned),
            auth_time: context.grant.auth_time.as_unix_seconds(),
            sid: context.sid.map(str::to_owned),
            at_hash: at_hash(context.access_token, context.algorithm),
            user_claims,
        }
    }
}

/// Returns the left half of the token's hash, in base64. The hash is that of the signature algorithm: SHA-512 for
/// Ed25519 (RFC 8032), SHA-256 for the others.
fn at_hash(access_token: &str, algorithm: SigningAlgorithm) -> String {
    let hash = match algorithm {
        SigningAlgorithm::Rs256 | SigningAlgorithm::Es256 => {
            Sha256::digest(access_token.as_bytes()).to_vec()
        }
        SigningAlgorithm::EdDsa => Sha512::digest(access_token.as_bytes()).to_vec(),
    };
    let (left, _) = hash.split_at(hash.len() / 2);
    URL_SAFE_NO_PAD.encode(left)
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{ApplicationId, GrantId, UserId};

    use super::*;
    use crate::model::{GrantState, TokenSubject};
    use crate::scopes::samples::{registry, set};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    fn claims(nonce: Option<&str>, scopes: &str) -> IdTokenClaims {
        let grant = Grant {
            id: GrantId::new(1),
            subject: TokenSubject::user(UserId::new(42), ApplicationId::new(2)),
            session_id: None,
            scopes: set(scopes),
            redirect_uri: None,
            challenge: None,
            nonce: Some("of the first request".to_owned()),
            auth_time: at(1_699_999_000),
            state: GrantState::Issued,
            created_at: at(1_700_000_000),
            code_expires_at: None,
            expires_at: at(1_800_000_000),
        };
        let subject = Subject {
            user_id: UserId::new(42),
            name: "Ann Example".to_owned(),
            username: "ann".to_owned(),
            email: Some(("ann@example.com".to_owned(), false)),
            profile_url: "https://gate.example/ann".to_owned(),
            picture_url: None,
            groups: Vec::new(),
            direct_groups: Vec::new(),
            group_roles: std::collections::BTreeMap::new(),
        };
        let issued = IdTokenContext {
            grant: &grant,
            nonce,
            released: registry().released_by(&set(scopes)),
            sid: None,
            lifetime_seconds: LIFETIME_SECONDS,
            all_groups: false,
            access_token: "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y",
            algorithm: SigningAlgorithm::Rs256,
            now: at(1_700_000_000),
        };
        let aud = ApplicationUid::parse("app").unwrap();
        IdTokenClaims::new("https://gate.example", &aud, &subject, &issued)
    }

    /// Uses the token and the hash of the example in OpenID Connect Core 1.0, appendix A.3.
    #[test]
    fn the_claims_tie_user_application_nonce_and_access_token() {
        assert_eq!(
            serde_json::to_string(&claims(Some("n-0S6"), "openid email")).unwrap(),
            r#"{"iss":"https://gate.example","sub":"42","aud":"app","exp":1700000600,"iat":1700000000,"nonce":"n-0S6","auth_time":1699999000,"at_hash":"77QmUPtjPfzWtF2AnpK9RQ","email":"ann@example.com","email_verified":false}"#
        );
    }

    #[test]
    fn without_a_nonce_there_is_none() {
        let json = serde_json::to_value(claims(None, "openid")).unwrap();
        assert!(
            json.get("nonce").is_none() && json.get("email").is_none(),
            "{json}"
        );
    }

    #[test]
    fn the_hash_is_the_left_half_of_the_one_that_the_algorithm_uses() {
        let length = |algorithm| at_hash("token", algorithm).len();
        assert_eq!(length(SigningAlgorithm::Es256), 22);
        assert_eq!(length(SigningAlgorithm::EdDsa), 43);
    }
}
