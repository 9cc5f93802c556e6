//! Requests that wait for consent.

use api_conventions::time::Timestamp;
use oauth_provider::AuthorizationRequest;
use oauth_provider::rules::pkce::CodeChallenge;
use storage::StoreErrorKind;

use super::samples::{Cast, ask, change, digest, scopes};
use crate::Harness;
use crate::reach::Oauth;
use crate::samples::{HOSTILE, moment, race};

fn insert(store: &impl Oauth, handle: &'static str, request: AuthorizationRequest) {
    change(store, move |tx| {
        tx.insert_authorization_request(&digest(handle), &request)
    });
}

fn found(store: &impl Oauth, handle: &'static str) -> Option<AuthorizationRequest> {
    ask(store, move |tx| {
        tx.find_authorization_request(&digest(handle))
    })
}

/// Takes the request in Ann's browser.
fn take(
    store: &impl Oauth,
    cast: Cast,
    handle: &'static str,
    now: Timestamp,
) -> Option<AuthorizationRequest> {
    change(store, move |tx| {
        tx.take_authorization_request(&digest(handle), cast.session, now)
    })
}

pub(super) fn o20_a_request_comes_back_as_it_was_written<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    let odd = AuthorizationRequest {
        redirect_uri: format!("https://app.example/{HOSTILE}"),
        scopes: scopes("api sudo openid profile email"),
        state: Some(HOSTILE.repeat(20)),
        nonce: Some(HOSTILE.to_owned()),
        challenge: CodeChallenge::parse(&"x".repeat(42).chars().chain(['0']).collect::<String>()),
        auth_time: Timestamp::MIN,
        created_at: Timestamp::from_micros(1).unwrap(),
        expires_at: Timestamp::MAX,
        ..cast.request()
    };
    assert!(odd.challenge.is_some());
    let empty = AuthorizationRequest {
        state: Some(String::new()),
        nonce: Some(String::new()),
        ..cast.request()
    };
    for (handle, request) in [("odd", odd), ("empty", empty), ("plain", cast.request())] {
        insert(store, handle, request.clone());
        assert_eq!(found(store, handle).as_ref(), Some(&request));
        assert_eq!(
            found(store, handle).as_ref(),
            Some(&request),
            "looking is not taking"
        );
        assert_eq!(take(store, cast, handle, moment(5)), Some(request));
    }
}

pub(super) fn o21_a_handle_is_unique<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    insert(store, "handle", cast.request());
    let second = AuthorizationRequest {
        scopes: scopes("sudo"),
        ..cast.request()
    };
    let again =
        store.change_oauth(move |tx| tx.insert_authorization_request(&digest("handle"), &second));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    assert_eq!(found(store, "handle"), Some(cast.request()));
}

pub(super) fn o22_a_request_is_taken_once<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    insert(store, "handle", cast.request());
    insert(store, "other", cast.request());
    assert_eq!(take(store, cast, "handle", moment(1)), Some(cast.request()));
    assert_eq!(take(store, cast, "handle", moment(1)), None);
    assert_eq!(found(store, "handle"), None);
    assert_eq!(found(store, "other"), Some(cast.request()));
}

pub(super) fn o23_a_request_is_taken_by_its_own_session_and_in_time<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    for handle in ["first", "second"] {
        insert(store, handle, cast.request());
    }
    let stranger = Cast {
        session: cast.other_session,
        ..cast
    };
    assert_eq!(take(store, stranger, "first", moment(1)), None);
    assert_eq!(found(store, "first"), Some(cast.request()), "it stays");
    assert_eq!(take(store, cast, "second", moment(100)), None);
    assert_eq!(take(store, cast, "second", moment(101)), None);
    let last = Timestamp::from_micros(moment(100).as_micros() - 1).unwrap();
    assert_eq!(take(store, cast, "first", last), Some(cast.request()));
}

pub(super) fn o24_one_of_many_racing_answers_gets_the_request<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    for handle in ["first", "second", "third"] {
        insert(store, handle, cast.request());
        let taken = race(16, |_| take(store, cast, handle, moment(1)));
        let winners = taken.iter().flatten().count();
        assert_eq!(winners, 1, "{handle}");
    }
}
