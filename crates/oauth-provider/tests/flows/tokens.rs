//! Tests of client authentication, token lookup and revocation.

use api_conventions::ids::UserId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use oauth_provider::TokenSubject;
use oauth_provider::flow::authenticate::{TokenOutcome, authenticate};
use oauth_provider::flow::client::{ClientOutcome, authenticate_client};
use oauth_provider::flow::introspect::{TokenHalf, introspect};
use oauth_provider::flow::password::{PasswordGrant, grant_by_password};
use oauth_provider::flow::revoke::{RevokeOutcome, revoke};

use crate::support::{TestProvider, at, scopes};

fn proven(provider: &TestProvider, uid: &'static str, secret: Option<&'static str>) -> bool {
    let outcome = provider
        .write(move |tx| authenticate_client(tx, uid, secret.map(PlainSecret::new).as_ref()));
    matches!(outcome, ClientOutcome::Authenticated(_))
}

#[test]
fn a_confidential_client_needs_its_secret_and_a_public_one_none() {
    let provider = TestProvider::new();
    let cases = [
        ("confidential", Some("the secret"), true),
        ("confidential", Some("another"), false),
        ("confidential", Some(""), false),
        ("confidential", None, false),
        ("public", None, true),
        ("public", Some("the secret"), true),
        ("public", Some("another"), false),
        ("nobody", None, false),
        ("nobody", Some("the secret"), false),
        ("no\0body", None, false),
    ];
    for (uid, secret, expected) in cases {
        assert_eq!(proven(&provider, uid, secret), expected, "{uid} {secret:?}");
    }
}

#[test]
fn an_access_token_is_usable_then_expired_or_revoked() {
    let provider = TestProvider::new();
    provider.grant("api");
    let checked = |token: &'static str, now| {
        provider.write(move |tx| authenticate(tx, &SecretDigest::of(token), now))
    };
    assert!(matches!(checked("access", at(30)), TokenOutcome::Usable(_)));
    assert_eq!(checked("refresh", at(30)), TokenOutcome::Unknown);
    assert_eq!(checked("access", at(7220)), TokenOutcome::Expired);
    provider.refresh("refresh", 1, at(30));
    assert_eq!(checked("access", at(30)), TokenOutcome::Revoked);
}

#[test]
fn either_half_ends_the_whole_grant() {
    for half in ["access", "refresh"] {
        let provider = TestProvider::new();
        let grant = provider.grant("api");
        let owner = provider.confidential;
        let revoked =
            |caller| provider.write(move |tx| revoke(tx, &SecretDigest::of(half), caller, at(30)));
        assert_eq!(revoked(None), RevokeOutcome::OtherApplication);
        assert_eq!(
            revoked(Some(provider.public)),
            RevokeOutcome::OtherApplication
        );
        assert!(provider.is_usable("access", at(30)));
        assert_eq!(revoked(Some(owner)), RevokeOutcome::Revoked(grant.id));
        assert!(!provider.is_usable("access", at(30)));
        assert_eq!(revoked(Some(owner)), RevokeOutcome::Revoked(grant.id));
    }
}

#[test]
fn an_unknown_token_is_as_good_as_ended() {
    let provider = TestProvider::new();
    let outcome = provider.write(|tx| revoke(tx, &SecretDigest::of("unknown"), None, at(30)));
    assert_eq!(outcome, RevokeOutcome::Unknown);
}

#[test]
fn a_token_without_an_application_is_ended_by_anyone_who_holds_it() {
    let provider = TestProvider::new();
    let policy = provider.policy.clone();
    let request = PasswordGrant::new(
        UserId::new(1),
        None,
        scopes("api"),
        SecretDigest::of("by password"),
        at(0),
    );
    provider.write(move |tx| grant_by_password(tx, &request, &policy));
    assert!(provider.is_usable("by password", at(7199)));
    let pair = provider.pair("by password").unwrap();
    let subject = TokenSubject::User {
        user_id: UserId::new(1),
        application_id: None,
    };
    assert_eq!((pair.refresh_expires_at, pair.subject), (None, subject));
    let outcome = provider.write(|tx| revoke(tx, &SecretDigest::of("by password"), None, at(30)));
    assert_eq!(outcome, RevokeOutcome::Revoked(pair.grant_id));
}

#[test]
fn introspection_returns_access_and_refresh_tokens_only_to_their_owner() {
    let provider = TestProvider::new();
    provider.grant("api");
    let (owner, stranger) = (provider.confidential, provider.public);
    let introspected = |token: &'static str, caller, now| {
        provider.write(move |tx| introspect(tx, &SecretDigest::of(token), caller, now))
    };
    let access = introspected("access", owner, at(30)).unwrap();
    assert_eq!(
        (access.half, access.expires_at()),
        (TokenHalf::Access, at(7220))
    );
    let refresh = introspected("refresh", owner, at(8000)).unwrap();
    assert_eq!(
        (refresh.half, refresh.expires_at()),
        (TokenHalf::Refresh, at(20 + 90 * 86_400))
    );
    assert_eq!(introspected("access", stranger, at(30)), None);
    assert_eq!(introspected("access", owner, at(7220)), None);
    assert_eq!(introspected("unknown", owner, at(30)), None);
    provider.refresh("refresh", 1, at(30));
    assert_eq!(introspected("access", owner, at(30)), None);
    assert_eq!(introspected("refresh", owner, at(30)), None);
}
