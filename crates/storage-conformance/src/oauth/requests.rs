//! Authorization requests that wait for consent.

use api_conventions::time::Timestamp;
use oauth_provider::rules::pkce::CodeChallenge;
use oauth_provider::{AuthorizationRequest, ResponseMode};
use storage::{StoreErrorKind, StoreExt as _};

use super::samples::{Fixture, digest, read, scopes, write};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::{HOSTILE, race, timestamp};

fn insert(store: &Oauth, handle: &'static str, request: AuthorizationRequest) {
    write(store, move |tx| {
        tx.insert_authorization_request(&digest(handle), &request)
    });
}

fn find_request(store: &Oauth, handle: &'static str) -> Option<AuthorizationRequest> {
    read(store, move |tx| {
        tx.find_authorization_request(&digest(handle))
    })
}

/// Takes the pending request of Ann's browser.
fn take_request(
    store: &Oauth,
    fixture: Fixture,
    handle: &'static str,
    now: Timestamp,
) -> Option<AuthorizationRequest> {
    write(store, move |tx| {
        tx.take_authorization_request(&digest(handle), fixture.session, now)
    })
}

pub(super) fn o20_a_request_comes_back_as_it_was_written(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let odd = AuthorizationRequest {
        redirect_uri: format!("https://app.example/{HOSTILE}"),
        scopes: scopes("api sudo openid profile email"),
        state: Some(HOSTILE.repeat(20)),
        nonce: Some(HOSTILE.to_owned()),
        challenge: CodeChallenge::parse(&"x".repeat(42).chars().chain(['0']).collect::<String>()),
        response_mode: ResponseMode::FormPost,
        auth_time: Timestamp::MIN,
        created_at: Timestamp::from_micros(1).unwrap(),
        expires_at: Timestamp::MAX,
        ..fixture.request()
    };
    assert!(odd.challenge.is_some());
    let empty = AuthorizationRequest {
        state: Some(String::new()),
        nonce: Some(String::new()),
        ..fixture.request()
    };
    for (handle, request) in [("odd", odd), ("empty", empty), ("plain", fixture.request())] {
        insert(store, handle, request.clone());
        assert_eq!(find_request(store, handle).as_ref(), Some(&request));
        assert_eq!(
            find_request(store, handle).as_ref(),
            Some(&request),
            "reading does not redeem"
        );
        assert_eq!(
            take_request(store, fixture, handle, timestamp(5)),
            Some(request)
        );
    }
}

pub(super) fn o21_a_handle_is_unique(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    insert(store, "handle", fixture.request());
    let second = AuthorizationRequest {
        scopes: scopes("sudo"),
        ..fixture.request()
    };
    let again = store.change(move |tx| tx.insert_authorization_request(&digest("handle"), &second));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    assert_eq!(find_request(store, "handle"), Some(fixture.request()));
}

pub(super) fn o22_an_authorization_request_is_consumed_once(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    insert(store, "handle", fixture.request());
    insert(store, "other", fixture.request());
    assert_eq!(
        take_request(store, fixture, "handle", timestamp(1)),
        Some(fixture.request())
    );
    assert_eq!(take_request(store, fixture, "handle", timestamp(1)), None);
    assert_eq!(find_request(store, "handle"), None);
    assert_eq!(find_request(store, "other"), Some(fixture.request()));
}

pub(super) fn o23_an_authorization_request_is_consumed_only_by_its_session_before_expiry(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    for handle in ["first", "second"] {
        insert(store, handle, fixture.request());
    }
    let stranger = Fixture {
        session: fixture.other_session,
        ..fixture
    };
    assert_eq!(take_request(store, stranger, "first", timestamp(1)), None);
    assert_eq!(
        find_request(store, "first"),
        Some(fixture.request()),
        "the request is unchanged"
    );
    assert_eq!(take_request(store, fixture, "second", timestamp(100)), None);
    assert_eq!(take_request(store, fixture, "second", timestamp(101)), None);
    let last = Timestamp::from_micros(timestamp(100).as_micros() - 1).unwrap();
    assert_eq!(
        take_request(store, fixture, "first", last),
        Some(fixture.request())
    );
}

pub(super) fn o24_exactly_one_concurrent_answer_consumes_the_authorization_request(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    for handle in ["first", "second", "third"] {
        insert(store, handle, fixture.request());
        let taken = race(16, |_| take_request(store, fixture, handle, timestamp(1)));
        let winners = taken.iter().flatten().count();
        assert_eq!(winners, 1, "{handle}");
    }
}
