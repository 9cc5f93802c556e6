//! Metadata with which clients discover the server's features (OpenID Connect Discovery 1.0, and RFC 8414).

use api_conventions::scope::Scope;
use serde::Serialize;

use super::claims;
use super::token_request::{CLIENT_CREDENTIALS_GRANT, GRANTS, PASSWORD_GRANT};
use crate::flow::authorize::Prompt;
use crate::model::{ResponseMode, SigningAlgorithm};
use crate::scopes::{ReleasedClaims, ScopeEntry, ScopeRegistry};

/// Paths of the endpoints, below the server's base URL. The server uses the same constants for its routes.
pub mod paths {
    /// Authorization endpoint.
    pub const AUTHORIZE: &str = "/oauth/authorize";
    /// Token endpoint.
    pub const TOKEN: &str = "/oauth/token";
    /// Token info, for the holder of a token.
    pub const TOKEN_INFO: &str = "/oauth/token/info";
    /// Revocation endpoint.
    pub const REVOKE: &str = "/oauth/revoke";
    /// Introspection endpoint.
    pub const INTROSPECT: &str = "/oauth/introspect";
    /// Userinfo endpoint.
    pub const USERINFO: &str = "/oauth/userinfo";
    /// Sign-out endpoint (OpenID Connect RP-Initiated Logout 1.0, section 2).
    pub const END_SESSION: &str = "/oauth/end_session";
    /// Public keys.
    pub const KEYS: &str = "/oauth/discovery/keys";
    /// Metadata document (OpenID Connect Discovery 1.0, section 4).
    pub const OPENID_CONFIGURATION: &str = "/.well-known/openid-configuration";
    /// Metadata document, under its other path (RFC 8414, section 3).
    pub const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
    /// Issuer of an account (OpenID Connect Discovery 1.0, section 2).
    pub const WEBFINGER: &str = "/.well-known/webfinger";
}

const RESPONSE_MODES: &[&str] = &[
    ResponseMode::Query.as_str(),
    ResponseMode::FormPost.as_str(),
];

/// Link relation for the issuer of an account, in webfinger.
pub const ISSUER_RELATION: &str = "http://openid.net/specs/connect/1.0/issuer";

/// Client authentication methods. `none` is for public clients, which send only their client id.
const CLIENT_METHODS: &[&str] = &["client_secret_basic", "client_secret_post", "none"];
/// Client authentication methods for introspection. A client without a secret gets no more than [`paths::TOKEN_INFO`]
/// returns.
const SECRET_METHODS: &[&str] = &["client_secret_basic", "client_secret_post"];

/// Metadata document. Each member describes actual behavior: features that the server refuses are not listed.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the standards define these members as booleans"
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ServerMetadata"))]
pub struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: String,
    introspection_endpoint: String,
    userinfo_endpoint: String,
    end_session_endpoint: String,
    jwks_uri: String,
    scopes_supported: Vec<String>,
    response_types_supported: &'static [&'static str],
    response_modes_supported: &'static [&'static str],
    grant_types_supported: Vec<&'static str>,
    token_endpoint_auth_methods_supported: &'static [&'static str],
    revocation_endpoint_auth_methods_supported: &'static [&'static str],
    introspection_endpoint_auth_methods_supported: &'static [&'static str],
    subject_types_supported: &'static [&'static str],
    id_token_signing_alg_values_supported: Vec<&'static str>,
    claim_types_supported: &'static [&'static str],
    claims_supported: Vec<String>,
    code_challenge_methods_supported: &'static [&'static str],
    prompt_values_supported: Vec<&'static str>,
    authorization_response_iss_parameter_supported: bool,
    claims_parameter_supported: bool,
    request_parameter_supported: bool,
    request_uri_parameter_supported: bool,
}

impl Metadata {
    /// Creates the document of the server at `base_url`, which is its issuer, without a trailing slash.
    /// `password_grant` is true if the password grant is enabled. Scopes and claims are the offered ones of the
    /// registry.
    pub fn new(
        base_url: &str,
        password_grant: bool,
        algorithm: SigningAlgorithm,
        registry: &ScopeRegistry,
    ) -> Self {
        let at = |path: &str| format!("{base_url}{path}");
        let is_served = |grant: &&str| password_grant || *grant != PASSWORD_GRANT;
        let in_every_id_token = [
            "iss",
            "sub",
            "aud",
            "exp",
            "iat",
            "nonce",
            "auth_time",
            "sid",
            "at_hash",
        ];
        Self {
            issuer: base_url.to_owned(),
            authorization_endpoint: at(paths::AUTHORIZE),
            token_endpoint: at(paths::TOKEN),
            revocation_endpoint: at(paths::REVOKE),
            introspection_endpoint: at(paths::INTROSPECT),
            userinfo_endpoint: at(paths::USERINFO),
            end_session_endpoint: at(paths::END_SESSION),
            jwks_uri: at(paths::KEYS),
            scopes_supported: registry.open_to_all().map(Scope::to_string).collect(),
            response_types_supported: &["code"],
            response_modes_supported: RESPONSE_MODES,
            grant_types_supported: GRANTS.into_iter().filter(is_served).collect(),
            token_endpoint_auth_methods_supported: CLIENT_METHODS,
            revocation_endpoint_auth_methods_supported: CLIENT_METHODS,
            introspection_endpoint_auth_methods_supported: SECRET_METHODS,
            subject_types_supported: &["public"],
            id_token_signing_alg_values_supported: vec![algorithm.as_str()],
            claim_types_supported: &["normal"],
            claims_supported: in_every_id_token
                .into_iter()
                .chain(claims::names_of(released(registry)))
                .map(str::to_owned)
                .collect(),
            code_challenge_methods_supported: &["S256"],
            prompt_values_supported: Prompt::ALL.map(Prompt::as_str).to_vec(),
            authorization_response_iss_parameter_supported: true,
            claims_parameter_supported: false,
            request_parameter_supported: false,
            request_uri_parameter_supported: false,
        }
    }

    /// Adds the names of further claims, such as those of roles in groups.
    #[must_use]
    pub fn with_claims(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.claims_supported.extend(names);
        self
    }

    /// Adds the client credentials grant, for a host that serves it
    /// ([`ClientCredentialsParameters`](super::token_request::ClientCredentialsParameters)).
    #[must_use]
    pub fn with_client_credentials(mut self) -> Self {
        self.grant_types_supported.push(CLIENT_CREDENTIALS_GRANT);
        self
    }

    /// Returns the issuer: the server's base URL.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }
}

/// Returns the claims that any token can release. The userinfo endpoint returns the profile with `openid` alone.
fn released(registry: &ScopeRegistry) -> ReleasedClaims {
    let offered = registry
        .entries()
        .iter()
        .filter(|entry| entry.is_offered_to_applications());
    let of_openid = ReleasedClaims {
        profile: registry.offered().any(|scope| *scope == Scope::OPENID),
        ..ReleasedClaims::default()
    };
    offered
        .map(ScopeEntry::released)
        .fold(of_openid, ReleasedClaims::or)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::scopes::samples::registry;

    fn document(password_grant: bool) -> Value {
        let metadata = Metadata::new(
            "https://gate.example",
            password_grant,
            SigningAlgorithm::Es256,
            &registry(),
        );
        serde_json::to_value(metadata).unwrap()
    }

    #[test]
    fn every_endpoint_is_below_the_issuer() {
        let document = document(true);
        assert_eq!(document["issuer"], "https://gate.example");
        let members = document.as_object().unwrap();
        let is_address = |name: &str| name.ends_with("_endpoint") || name.ends_with("_uri");
        let addresses: Vec<&str> = members
            .iter()
            .filter(|(name, _)| is_address(name))
            .filter_map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(addresses.len(), 7);
        assert!(
            addresses
                .iter()
                .all(|one| one.starts_with("https://gate.example/oauth/"))
        );
    }

    #[test]
    fn metadata_lists_only_supported_values() {
        assert_eq!(
            document(true)["grant_types_supported"],
            json!(["authorization_code", "refresh_token", "password"])
        );
        let document = document(false);
        assert_eq!(
            document["grant_types_supported"],
            json!(["authorization_code", "refresh_token"])
        );
        assert_eq!(
            document["code_challenge_methods_supported"],
            json!(["S256"])
        );
        assert_eq!(
            document["id_token_signing_alg_values_supported"],
            json!(["ES256"])
        );
        assert_eq!(document["response_types_supported"], json!(["code"]));
        let text = document.to_string();
        assert!(
            !text.contains("device") && !text.contains("implicit"),
            "{text}"
        );
    }

    #[test]
    fn public_clients_and_the_issuer_in_responses_are_listed() {
        let document = document(true);
        assert_eq!(
            document["authorization_response_iss_parameter_supported"],
            true
        );
        assert!(
            document["token_endpoint_auth_methods_supported"]
                .as_array()
                .is_some_and(|methods| methods.contains(&json!("none")))
        );
    }
    #[test]
    fn scopes_and_claims_are_those_of_the_registry() {
        let all = document(true);
        assert_eq!(
            all["scopes_supported"],
            json!(["api", "read_user", "openid", "profile", "email", "groups"])
        );
        let claims = |document: &Value| document["claims_supported"].as_array().unwrap().clone();
        assert!(claims(&all).contains(&json!("groups_direct")));
        let entry = |name: &str| ScopeEntry::new(Scope::parse(name).unwrap(), name, name);
        let of = |entries: Vec<ScopeEntry>| {
            let registry = ScopeRegistry::new(entries).unwrap();
            let metadata = Metadata::new(
                "https://a.example",
                false,
                SigningAlgorithm::Es256,
                &registry,
            );
            serde_json::to_value(metadata).unwrap()
        };
        assert_eq!(
            all["response_modes_supported"],
            json!(["query", "form_post"])
        );
        let invoices = of(vec![
            entry("invoices:read"),
            entry("invoices:write").not_offered(),
        ]);
        assert_eq!(invoices["scopes_supported"], json!(["invoices:read"]));
        assert!(!claims(&invoices).contains(&json!("name")));
        let signing_in = of(vec![entry("openid")]);
        assert!(claims(&signing_in).contains(&json!("name")));
        assert!(!claims(&signing_in).contains(&json!("email")));
    }
}
