//! Checksums at the end of tokens, keys and secrets, computed here without the code of the server.

use std::fmt::Write as _;

use api_conventions::secret::SecretDigest;
use serde_json::json;

use crate::support::relying_party::RelyingPartyTokens;
use crate::support::{TestCaller, TestServer, rows};

const USER: &str = "/api/v4/user";

/// CRC-32 as in gzip and PNG, bit by bit.
fn crc32(text: &str) -> u32 {
    let mut register = u32::MAX;
    for byte in text.bytes() {
        register ^= u32::from(byte);
        for _ in 0..8 {
            let is_odd = register & 1 == 1;
            register >>= 1;
            if is_odd {
                register ^= 0xEDB8_8320;
            }
        }
    }
    !register
}

/// Number with these base62 digits.
fn base62(digits: &str) -> u64 {
    let order = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    digits.chars().fold(0_u64, |number, digit| {
        number * 62 + u64::try_from(order.find(digit).unwrap()).unwrap()
    })
}

/// Asserts that a secret has this prefix and ends with the checksum of everything before it.
#[track_caller]
fn assert_has_checksum(secret: &str, prefix: &str) {
    assert!(secret.starts_with(prefix), "{secret}");
    let (head, checksum) = secret.split_at(secret.len() - 6);
    assert_eq!(base62(checksum), u64::from(crc32(head)), "{secret}");
}

#[test]
fn the_checksum_of_this_test_is_crc_32() {
    assert_eq!(crc32("123456789"), 0xCBF4_3926);
}

#[test]
fn each_kind_of_secret_ends_with_its_checksum() {
    let server = TestServer::start();
    let user = server.developer().get(USER).expect(200)["id"].clone();
    let token = json!({ "name": "x", "scopes": ["read_user"] });
    let deploy_token = json!({ "name": "x", "scopes": ["read_repository"] });
    for (path, fields, prefix) in [
        (
            format!("/api/v4/users/{user}/personal_access_tokens"),
            &token,
            "ghat_",
        ),
        (
            format!("/api/v4/users/{user}/impersonation_tokens"),
            &token,
            "ghat_",
        ),
        (server.below_project("/access_tokens"), &token, "ghat_"),
        (
            "/api/v4/groups/acme/access_tokens".to_owned(),
            &token,
            "ghat_",
        ),
        (
            server.below_project("/deploy_tokens"),
            &deploy_token,
            "ghdt_",
        ),
        (
            "/api/v4/groups/acme/deploy_tokens".to_owned(),
            &deploy_token,
            "ghdt_",
        ),
        (
            "/api/v4/user/runners".to_owned(),
            &json!({ "runner_type": "instance_type" }),
            "ghrt_",
        ),
        (
            server.below_project("/alert_management/integrations"),
            &json!({ "name": "x" }),
            "ghak_",
        ),
    ] {
        let created = server.admin().post(&path, fields).expect(201);
        assert_has_checksum(created["token"].as_str().unwrap(), prefix);
    }
    let application = crate::applications::create(&server, "x");
    assert_has_checksum(application["secret"].as_str().unwrap(), "ghos_");
}

/// Tokens after a refresh are derived from the previous ones.
#[test]
fn codes_and_tokens_of_applications_end_with_their_checksums() {
    let server = TestServer::start();
    let shop = server.relying_party("Shop");
    let code = shop.code(&mut server.signed_in("developer"));
    assert_has_checksum(&code, "ghoc_");
    let mut tokens = RelyingPartyTokens::of(&shop.redeem(&code));
    for _ in 0..3 {
        assert_has_checksum(&tokens.access, "ghoa_");
        assert_has_checksum(&tokens.refresh, "ghor_");
        tokens = RelyingPartyTokens::of(&shop.refresh(&tokens.refresh));
    }
    shop.call(&tokens.access).assert_ok();
}

/// Changes a digest in the database to the one of a secret without its checksum, as older versions issued them, and
/// returns that secret.
fn in_old_form<'s>(server: &TestServer, secret: &'s str, table: &str, column: &str) -> &'s str {
    let (old, _) = secret.split_at(secret.len() - 6);
    let mut digest = String::new();
    for byte in SecretDigest::of(old).as_bytes() {
        write!(digest, "{byte:02x}").unwrap();
    }
    let newest = format!("SELECT max(id) FROM {table}");
    let change = format!("UPDATE {table} SET {column} = x'{digest}' WHERE id = ({newest})");
    rows::change(server, &change);
    old
}

#[test]
fn secrets_without_a_checksum_stay_valid() {
    let server = TestServer::start();
    let token = server.token("dev", "read_user");
    let token = in_old_form(&server, &token, "access_tokens", "digest");
    let caller = TestCaller::new(server.base_url(), Some(token));
    caller.get(USER).assert_ok();

    let shop = server.relying_party("Shop");
    let tokens = shop.tokens(&mut server.signed_in("developer"));
    let refresh = in_old_form(
        &server,
        &tokens.refresh,
        "oauth_token_pairs",
        "refresh_digest",
    );
    let next = RelyingPartyTokens::of(&shop.refresh(refresh));
    shop.call(&next.access).assert_ok();
    // An older version may have sent this response before, so the next tokens have no checksums either.
    assert_eq!(next.access.len(), "ghoa_".len() + 8 + 1 + 43);
    shop.refresh(&next.refresh).assert_ok();
}
