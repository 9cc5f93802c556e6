//! Tests of sign-out requests.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::SignedIn;
use oauth_provider::flow::end_session::{
    EndSession, EndSessionParameters, EndSessionRefusal, EndSessionRequest, SessionHint, check,
};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{ApplicationRepository as _, ClientType, NewApplication};

use crate::support::{TestProvider, ann, application, at, changed};

const BYE: &str = "https://app.example/bye";
const LOOPBACK: &str = "http://127.0.0.1/bye";

/// Creates a provider with one more application, which has redirect URIs after sign-out.
fn provider() -> TestProvider {
    let provider = TestProvider::new();
    let new = NewApplication {
        post_logout_redirect_uris: [BYE, LOOPBACK]
            .map(|text| RedirectUri::register_post_logout(text, false).unwrap())
            .to_vec(),
        ..application("leaving", ClientType::Public)
    };
    provider.write(move |tx| tx.insert_application(&new));
    provider
}

fn hint(audience: &[&str], auth_time: Option<i64>) -> SessionHint {
    SessionHint::IdToken {
        user_id: ann().user_id,
        auth_time,
        audience: audience.iter().map(|&uid| uid.to_owned()).collect(),
    }
}

fn checked(
    provider: &TestProvider,
    pairs: &[(&str, &str)],
    hint: SessionHint,
) -> Result<EndSessionRequest, EndSessionRefusal> {
    let parameters = EndSessionParameters::from_pairs(pairs.iter().copied()).unwrap();
    provider.write(move |tx| check(tx, &parameters, hint.clone()))
}

#[test]
fn sign_out_redirects_to_a_registered_uri_with_the_state() {
    let provider = provider();
    let by_name = [
        ("client_id", "leaving"),
        ("post_logout_redirect_uri", BYE),
        ("state", "a b&c"),
    ];
    let request = checked(&provider, &by_name, SessionHint::None).unwrap();
    let expected = "https://app.example/bye?state=a+b%26c";
    assert_eq!(request.return_to().as_deref(), Some(expected));
    let by_hint = [("post_logout_redirect_uri", BYE)];
    let request = checked(&provider, &by_hint, hint(&["leaving"], None)).unwrap();
    assert_eq!(request.return_to().as_deref(), Some(BYE));
    let nowhere = checked(&provider, &[("state", "x")], SessionHint::None).unwrap();
    assert_eq!((nowhere.return_to(), nowhere.application), (None, None));
}

#[test]
fn sign_out_redirects_only_to_byte_identical_registered_uris() {
    let provider = provider();
    for address in [
        "https://app.example/bye?x=1",
        "https://app.example/Bye",
        "https://evil.example/bye",
        // A redirect URI for sign-in is not valid after sign-out.
        "https://app.example/cb",
        // A client may wait for a code at any port, but after sign-out no client waits.
        "http://127.0.0.1:9/bye",
        "urn:ietf:wg:oauth:2.0:oob",
    ] {
        let pairs = [
            ("client_id", "leaving"),
            ("post_logout_redirect_uri", address),
        ];
        let refused = checked(&provider, &pairs, SessionHint::None);
        assert!(refused.is_err(), "{address}: {refused:?}");
    }
    for pairs in [
        &[("post_logout_redirect_uri", BYE)][..],
        &[("client_id", "public"), ("post_logout_redirect_uri", BYE)],
        &[("client_id", "nobody")],
        &[("client_id", "nobody"), ("post_logout_redirect_uri", BYE)],
    ] {
        let refused = checked(&provider, pairs, SessionHint::None);
        assert!(refused.is_err(), "{pairs:?}: {refused:?}");
    }
    let two = checked(
        &provider,
        &[("post_logout_redirect_uri", BYE)],
        hint(&["leaving", "public"], None),
    );
    assert!(two.is_err(), "{two:?}");
    let long = "x".repeat(4097);
    assert!(checked(&provider, &[("state", &long)], SessionHint::None).is_err());
}

#[test]
fn a_hint_that_proves_nothing_or_is_another_applications_is_refused() {
    let provider = provider();
    assert!(checked(&provider, &[], SessionHint::Invalid).is_err());
    let named = [("client_id", "leaving")];
    assert!(checked(&provider, &named, hint(&["public"], None)).is_err());
    assert!(checked(&provider, &named, hint(&["public", "leaving"], None)).is_ok());
}

#[test]
fn only_the_id_token_of_this_very_session_ends_it_without_a_question() {
    let provider = provider();
    let signed_in = at(0).as_unix_seconds();
    let decided = |hint: SessionHint, user: Option<SignedIn>| {
        let request = checked(&provider, &[], hint).unwrap();
        request.decide(user.as_ref())
    };
    let at_timestamp = |auth_time: Timestamp| {
        Some(changed(ann(), |it| {
            it.auth_time = auth_time;
        }))
    };
    let good = hint(&["leaving"], Some(signed_in));
    assert_eq!(decided(good.clone(), None), EndSession::NotSignedIn);
    assert_eq!(decided(SessionHint::None, None), EndSession::NotSignedIn);
    assert_eq!(decided(good.clone(), Some(ann())), EndSession::Now);
    let later = at_timestamp(at(1));
    let other = Some(changed(ann(), |it| {
        it.user_id = UserId::new(2);
    }));
    for (hint, user) in [
        (SessionHint::None, Some(ann())),
        (hint(&["leaving"], None), Some(ann())),
        (hint(&["leaving"], Some(signed_in - 1)), Some(ann())),
        (good.clone(), later),
        (good, other),
    ] {
        assert_eq!(decided(hint.clone(), user), EndSession::Ask, "{hint:?}");
    }
}
