//! `/oauth/discovery/keys`, and the id tokens that are signed with those keys (`OAUTH-16`).

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::Digest as _;

use crate::oauth::support::{IssuedTokens, OauthFixture};
use crate::support::TestServer;
use crate::support::rows::change;

const KEYS: &str = "/oauth/discovery/keys";

fn decoded(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

fn part(token: &str, number: usize) -> Value {
    let part = token.split('.').nth(number).unwrap();
    serde_json::from_slice(&decoded(part)).unwrap()
}

/// Claims of an id token, without verification.
pub(super) fn claims(id_token: &str) -> Value {
    part(id_token, 1)
}

/// The published keys.
fn published(server: &TestServer) -> Vec<Value> {
    let document = server.anonymous().get(KEYS).expect(200);
    document["keys"].as_array().unwrap().clone()
}

/// Verifies an id token as an application does: with the published key named in its header, and with the algorithm of
/// that key, whatever the header says. Returns the claims.
#[track_caller]
fn verified(server: &TestServer, id_token: &str) -> Value {
    let header = part(id_token, 0);
    let keys = published(server);
    let key = keys.iter().find(|key| key["kid"] == header["kid"]);
    let key = key.unwrap_or_else(|| panic!("{header} names no published key"));
    assert_eq!(header["alg"], key["alg"]);
    assert_eq!(key["use"], "sig");
    let (signed, signature) = id_token.rsplit_once('.').unwrap();
    let (signed, signature) = (signed.as_bytes(), decoded(signature));
    let member = |name: &str| decoded(key[name].as_str().unwrap());
    let checked = match key["alg"].as_str().unwrap() {
        "RS256" => RsaPublicKeyComponents {
            n: member("n"),
            e: member("e"),
        }
        .verify(&RSA_PKCS1_2048_8192_SHA256, signed, &signature),
        "ES256" => {
            let point = [vec![4], member("x"), member("y")].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, &signature)
        }
        "EdDSA" => UnparsedPublicKey::new(&ED25519, member("x")).verify(signed, &signature),
        other => panic!("{other}"),
    };
    checked.expect("the signature is the key's");
    claims(id_token)
}

/// Requests an id token; also returns the tokens of the response.
pub(super) fn id_token(fixture: &mut OauthFixture, scope: &str) -> (String, IssuedTokens) {
    let request = fixture
        .client
        .authorization_request()
        .with("scope", scope)
        .with("nonce", "n-1");
    let code = fixture.land(&request).code();
    let tokens = IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    let id_token = tokens.body["id_token"].as_str().unwrap().to_owned();
    (id_token, tokens)
}

/// OAUTH-16. Each algorithm can be configured; its key is published, and verifies its signatures.
#[test]
fn signatures_of_every_algorithm_verify_with_the_published_key() {
    for (algorithm, members) in [
        ("RS256", &["alg", "e", "kid", "kty", "n", "use"][..]),
        ("ES256", &["alg", "crv", "kid", "kty", "use", "x", "y"]),
        ("EdDSA", &["alg", "crv", "kid", "kty", "use", "x"]),
    ] {
        let setting = format!("[oauth]\nsigning_algorithm = \"{algorithm}\"");
        let mut fixture = OauthFixture::configured(&setting);
        let keys = published(&fixture.server);
        assert_eq!(keys.len(), 1, "{algorithm}");
        let found: Vec<&String> = keys[0].as_object().unwrap().keys().collect();
        assert_eq!(found, members, "nothing of the private half");
        let (id_token, tokens) = id_token(&mut fixture, "openid");
        let claims = verified(&fixture.server, &id_token);
        let header = part(&id_token, 0);
        assert_eq!(header["alg"], algorithm);
        let hash = if algorithm == "EdDSA" {
            sha2::Sha512::digest(&tokens.access).to_vec()
        } else {
            sha2::Sha256::digest(&tokens.access).to_vec()
        };
        let half = URL_SAFE_NO_PAD.encode(&hash[..hash.len() / 2]);
        assert_eq!(claims["at_hash"], half, "{algorithm}");
    }
}

/// OAUTH-16. Audience, subject, order of the claims, and lifetime.
#[test]
fn an_id_token_claims_who_signed_in_where_and_when() {
    let mut fixture = OauthFixture::web();
    let (id_token, _) = id_token(&mut fixture, "openid profile email");
    let text = String::from_utf8(decoded(id_token.split('.').nth(1).unwrap())).unwrap();
    let claims = verified(&fixture.server, &id_token);
    let seconds = |name: &str| claims[name].as_i64().unwrap();
    assert_eq!(seconds("exp") - seconds("iat"), 600);
    assert!((0..60).contains(&(seconds("iat") - seconds("auth_time"))));
    let mut shown = text
        .replace(fixture.server.base_url(), "{base}")
        .replace(&fixture.client.id, "UID")
        .replace(claims["at_hash"].as_str().unwrap(), "AT_HASH")
        .replace(claims["sid"].as_str().unwrap(), "SID");
    for name in ["exp", "iat", "auth_time"] {
        shown = shown.replace(
            &format!("\"{name}\":{}", seconds(name)),
            &format!("\"{name}\":0"),
        );
    }
    assert_snapshot!(shown, @r#"{"iss":"{base}","sub":"2","aud":"UID","exp":0,"iat":0,"nonce":"n-1","auth_time":0,"sid":"SID","at_hash":"AT_HASH","name":"Dana Developer","nickname":"dev","preferred_username":"dev","profile":"{base}/dev","email":"dev@example.com","email_verified":true}"#);
    let user = fixture.server.developer().get("/api/v4/user").expect(200);
    assert_eq!(
        claims["sub"],
        json!(user["id"].to_string()),
        "the id, as text"
    );
    assert_eq!(part(&id_token, 0)["typ"], "JWT");
}

/// OAUTH-16. Each claim needs its scope, and a nonce is returned only if one was sent.
#[test]
fn an_id_token_has_no_claims_beyond_its_scopes() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid");
    let claims = verified(&fixture.server, tokens.body["id_token"].as_str().unwrap());
    let names: Vec<&String> = claims.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "at_hash",
            "aud",
            "auth_time",
            "exp",
            "iat",
            "iss",
            "sid",
            "sub"
        ]
    );
}

/// OAUTH-16 (OpenID Connect Core 1.0, section 12.2). A refresh returns an id token for the same sign-in, signed anew.
/// The nonce belongs to the authorization response, so it is not repeated.
#[test]
fn a_refreshed_id_token_describes_the_same_sign_in() {
    let mut fixture = OauthFixture::web();
    let (first, tokens) = id_token(&mut fixture, "openid");
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    let second = verified(&fixture.server, next.body["id_token"].as_str().unwrap());
    let first = verified(&fixture.server, &first);
    for name in ["iss", "sub", "aud", "auth_time"] {
        assert_eq!(second[name], first[name], "{name}");
    }
    assert_eq!(
        (&first["nonce"], second.get("nonce")),
        (&json!("n-1"), None)
    );
    assert_ne!(second["at_hash"], first["at_hash"]);
}

/// API-15. Clients cache the key set and revalidate it.
#[test]
fn the_key_set_is_cacheable_and_revalidated_by_etag() {
    let server = TestServer::start();
    let whole = server.anonymous().get(KEYS);
    let etag = whole.header("etag").unwrap().to_owned();
    let caching = whole.header("cache-control").unwrap();
    assert!(
        caching.contains("public") && caching.contains("max-age="),
        "{caching}"
    );
    let same = server.anonymous().with("If-None-Match", &etag).get(KEYS);
    assert_eq!((same.status, same.text().as_str()), (304, ""));
    assert_eq!(same.header("etag"), Some(etag.as_str()));
    let other = server.anonymous().with("If-None-Match", "\"x\"").get(KEYS);
    assert_eq!((other.status, other.body), (200, whole.body));
}

/// OAUTH-16. A key is published before its first signature, and after its last one.
#[test]
fn keys_follow_one_another_without_a_gap() {
    let mut fixture = OauthFixture::configured("[oauth]\nsigning_algorithm = \"ES256\"");
    let (before, _) = id_token(&mut fixture, "openid");
    let moved = |server: &mut TestServer, days: i64| {
        let micros = days * 86_400_000_000;
        let past = format!(
            "UPDATE oauth_signing_keys SET created_at = created_at - {micros}, signs_from = signs_from - {micros}"
        );
        server.kill();
        change(server, &past);
        server.restart();
    };
    moved(&mut fixture.server, 89);
    assert_eq!(
        published(&fixture.server).len(),
        2,
        "the next one is published"
    );
    let (still, _) = id_token(&mut fixture, "openid");
    assert_eq!(part(&still, 0)["kid"], part(&before, 0)["kid"]);
    moved(&mut fixture.server, 1);
    let (after, _) = id_token(&mut fixture, "openid");
    assert_ne!(part(&after, 0)["kid"], part(&before, 0)["kid"]);
    for id_token in [&before, &still, &after] {
        verified(&fixture.server, id_token);
    }
    moved(&mut fixture.server, 3);
    let kids: Vec<Value> = published(&fixture.server)
        .iter()
        .map(|key| key["kid"].clone())
        .collect();
    assert_eq!(
        kids,
        [part(&after, 0)["kid"].clone()],
        "the spent one is gone"
    );
}

/// OAUTH-16. The new algorithm signs at once, and signatures of the old one can still be verified.
#[test]
fn another_algorithm_takes_over_at_once() {
    let mut fixture = OauthFixture::configured("[oauth]\nsigning_algorithm = \"EdDSA\"");
    let (before, _) = id_token(&mut fixture, "openid");
    fixture.server.kill();
    let file = fixture.server.data().join("gatehouse.toml");
    std::fs::write(file, "[oauth]\nsigning_algorithm = \"ES256\"").unwrap();
    fixture.server.restart();
    let (after, _) = id_token(&mut fixture, "openid");
    assert_eq!(part(&after, 0)["alg"], "ES256");
    verified(&fixture.server, &before);
    verified(&fixture.server, &after);
}

/// Lesson 31. A token without a signature, or with a foreign one, is not an access token and has no effect.
#[test]
fn signed_and_unsigned_id_tokens_revoke_nothing() {
    let mut fixture = OauthFixture::web();
    let (id_token, tokens) = id_token(&mut fixture, "openid api");
    let payload = id_token.split('.').nth(1).unwrap();
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#);
    let unsigned = format!("{header}.{payload}.");
    for forged in [&unsigned, &id_token] {
        let form = fixture.client.form("x").with("token", forged);
        form.post(&fixture.server, "/oauth/revoke")
            .assert_is(200, &json!({}));
        assert_eq!(fixture.use_token(forged).status, 401);
    }
    fixture.use_token(&tokens.access).assert_ok();
}

/// Keys are encrypted with a secret of the machine, which the configuration may set, so that nodes can share them.
#[test]
fn keys_open_under_their_secret_key_alone() {
    let with = |byte: &str| format!("[security]\nsecret_key = \"{}\"", byte.repeat(32));
    let mut fixture = OauthFixture::configured(&with("a1"));
    assert!(!fixture.server.data().join("secret.key").exists());
    let (before, _) = id_token(&mut fixture, "openid");
    fixture.server.kill_and_restart();
    verified(&fixture.server, &before);
    fixture.server.kill();
    std::fs::write(fixture.server.data().join("gatehouse.toml"), with("b2")).unwrap();
    // With another secret it could sign nothing, so it does not start.
    let refused = fixture
        .server
        .command(&["serve", "--listen", "127.0.0.1:0"]);
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{complaint}");
    let part = "the secret key in security.secret_key is not the one that secrets in the database are encrypted with";
    assert!(complaint.contains(part), "{complaint}");
    std::fs::write(fixture.server.data().join("gatehouse.toml"), with("a1")).unwrap();
    fixture.server.restart();
    verified(&fixture.server, &before);
}
