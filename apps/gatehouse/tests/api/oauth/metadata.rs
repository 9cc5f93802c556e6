//! `/.well-known`: the server's advertised features (`OAUTH-16`).

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::TestServer;

const OPENID: &str = "/.well-known/openid-configuration";
const OAUTH: &str = "/.well-known/oauth-authorization-server";

/// The metadata document.
pub(super) fn metadata(server: &TestServer) -> Value {
    server.anonymous().get(OPENID).expect(200)
}

/// The strings of a member.
pub(super) fn words(metadata: &Value, member: &str) -> Vec<String> {
    let values = metadata[member].as_array();
    let values = values.unwrap_or_else(|| panic!("no {member}"));
    values
        .iter()
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

/// OAUTH-16, D8. The whole document. Unimplemented features are not in it: no devices, no assertions, no proofs of
/// possession.
#[test]
fn the_metadata_document_lists_the_implemented_features() {
    let server = TestServer::start();
    let metadata = metadata(&server);
    let members = metadata.as_object().unwrap().iter();
    let lines = members.map(|(name, value)| format!("{name}: {value}\n"));
    let text = lines
        .collect::<String>()
        .replace(server.base_url(), "{base}");
    assert_snapshot!(text, @r#"
    authorization_endpoint: "{base}/oauth/authorize"
    authorization_response_iss_parameter_supported: true
    claim_types_supported: ["normal"]
    claims_parameter_supported: false
    claims_supported: ["iss","sub","aud","exp","iat","nonce","auth_time","sid","at_hash","name","nickname","preferred_username","profile","email","email_verified","groups","groups_direct","https://service.org/claims/groups/owner","https://service.org/claims/groups/maintainer","https://service.org/claims/groups/developer"]
    code_challenge_methods_supported: ["S256"]
    end_session_endpoint: "{base}/oauth/end_session"
    grant_types_supported: ["authorization_code","refresh_token","password"]
    id_token_signing_alg_values_supported: ["RS256"]
    introspection_endpoint: "{base}/oauth/introspect"
    introspection_endpoint_auth_methods_supported: ["client_secret_basic","client_secret_post"]
    issuer: "{base}"
    jwks_uri: "{base}/oauth/discovery/keys"
    prompt_values_supported: ["none","login","consent","select_account"]
    request_parameter_supported: false
    request_uri_parameter_supported: false
    response_modes_supported: ["query","form_post"]
    response_types_supported: ["code"]
    revocation_endpoint: "{base}/oauth/revoke"
    revocation_endpoint_auth_methods_supported: ["client_secret_basic","client_secret_post","none"]
    scopes_supported: ["api","read_api","read_user","read_repository","write_repository","openid","profile","email","groups"]
    subject_types_supported: ["public"]
    token_endpoint: "{base}/oauth/token"
    token_endpoint_auth_methods_supported: ["client_secret_basic","client_secret_post","none"]
    userinfo_endpoint: "{base}/oauth/userinfo"
    "#);
    for absent in [
        "device",
        "jwt",
        "dpop",
        "implicit",
        "registration",
        "plain",
        "token id",
        "mtls",
    ] {
        assert!(!text.to_lowercase().contains(absent), "{absent}");
    }
}

/// OAUTH-16. Both standards find the same document, which can be cached and revalidated.
#[test]
fn both_addresses_give_the_same_document() {
    let server = TestServer::start();
    let (openid, oauth) = (
        server.anonymous().get(OPENID),
        server.anonymous().get(OAUTH),
    );
    assert_eq!(openid.body, oauth.body);
    let etag = openid.header("etag").unwrap();
    let same = server.anonymous().with("If-None-Match", etag).get(OAUTH);
    assert_eq!(same.status, 304);
}

/// OAUTH-16. This server is the issuer for every user, whatever name is requested; the response does not reveal whether
/// the user exists.
#[test]
fn webfinger_links_to_the_issuer() {
    let server = TestServer::start();
    let webfinger = |query: &str| {
        server
            .anonymous()
            .get(&format!("/.well-known/webfinger{query}"))
    };
    for account in ["acct:dev@gate.example", "acct:nobody@gate.example"] {
        let issuer = "http://openid.net/specs/connect/1.0/issuer";
        let expected = json!({
            "subject": account,
            "links": [{ "rel": issuer, "href": server.base_url() }],
        });
        webfinger(&format!("?resource={account}")).assert_is(200, &expected);
        webfinger(&format!("?resource={account}&rel={issuer}")).assert_is(200, &expected);
        let other = webfinger(&format!("?resource={account}&rel=me")).expect(200);
        assert_eq!(other["links"], json!([]));
    }
    assert_eq!(webfinger("").expect(400)["error"], "invalid_request");
}
