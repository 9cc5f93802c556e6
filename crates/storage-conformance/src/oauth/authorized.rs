//! Applications that users have authorized.

use api_conventions::ids::ApplicationId;
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use oauth_provider::{AuthorizedApplication, NewGrant, NewTokenPair, TokenSubject};

use super::samples::{Fixture, insert_grant, of_user, read, scopes, write};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::timestamp;

/// Stores a grant created after `given` seconds, and redeems its code `text`.
fn grant_and_redeem(store: &Oauth, fixture: Fixture, text: &str, words: &str, given: i64) {
    let new = NewGrant {
        scopes: scopes(words),
        created_at: timestamp(given),
        ..fixture.grant(text)
    };
    redeem(store, fixture, text, new);
}

fn redeem(store: &Oauth, fixture: Fixture, text: &str, new: NewGrant) {
    let code = new.code.expect("the grant has a code").0;
    let id = insert_grant(store, new);
    let pair = NewTokenPair {
        subject: TokenSubject::user(fixture.ann, fixture.app),
        ..fixture.pair(id, text)
    };
    write(store, move |tx| {
        tx.redeem_code(&code, &pair, timestamp(500))
    });
}

fn authorized_applications(
    store: &Oauth,
    fixture: Fixture,
    now: Timestamp,
) -> Vec<AuthorizedApplication> {
    read(store, move |tx| {
        tx.list_authorized_applications(fixture.ann, now)
    })
}

/// The last timestamp before this second.
fn just_before(seconds: i64) -> Timestamp {
    Timestamp::from_micros(timestamp(seconds).as_micros() - 1).unwrap()
}

pub(super) fn o10_live_grants_authorize_an_application(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    insert_grant(store, fixture.grant("issued"));
    let without = NewGrant {
        code: None,
        subject: of_user(fixture.ann),
        ..fixture.grant("")
    };
    insert_grant(store, without);
    let bens = Fixture {
        ann: fixture.ben,
        ..fixture
    };
    grant_and_redeem(store, bens, "another user's", "api", 3);
    assert_eq!(authorized_applications(store, fixture, timestamp(10)), []);

    grant_and_redeem(store, fixture, "first", "read_user", 5);
    grant_and_redeem(store, fixture, "second", "openid read_user", 8);
    grant_and_redeem(store, fixture, "third", "email", 6);
    let ended = NewGrant {
        scopes: scopes("api"),
        created_at: timestamp(9),
        expires_at: timestamp(10),
        ..fixture.grant("ended")
    };
    redeem(store, fixture, "ended", ended);
    grant_and_redeem(store, fixture, "revoked", "sudo", 9);
    write(store, |tx| {
        let code = super::samples::digest("revoked");
        let id = tx.find_grant_by_code(&code)?.expect("the row exists").id;
        tx.revoke_grant(id, timestamp(600))
    });
    let application = read(store, move |tx| tx.find_application(fixture.app));
    let application = application.expect("the row exists");
    let expected = |words, given| AuthorizedApplication {
        application: application.clone(),
        scopes: scopes(words),
        authorized_at: timestamp(given),
    };
    let now = authorized_applications(store, fixture, timestamp(10));
    assert_eq!(now, [expected("openid read_user email", 8)]);
    let earlier = authorized_applications(store, fixture, just_before(10));
    assert_eq!(earlier, [expected("api openid read_user email", 9)]);
    assert_eq!(
        authorized_applications(store, fixture, timestamp(1_000)),
        [],
        "all grants have ended"
    );
}

pub(super) fn o11_authorized_applications_are_listed_the_newest_first(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let [third, fourth]: [ApplicationId; 2] = write(store, |tx| {
        let [third, fourth] = ["third", "fourth"].map(|uid| super::samples::application(uid, None));
        Ok([
            tx.insert_application(&third)?,
            tx.insert_application(&fourth)?,
        ])
    });
    let order = [
        (third, 5),
        (fixture.app, 5),
        (fixture.other_app, 5),
        (fourth, 1),
        (fixture.app, 2),
    ];
    for (number, (app, given)) in order.into_iter().enumerate() {
        grant_and_redeem(
            store,
            Fixture { app, ..fixture },
            &format!("grant {number}"),
            "api",
            given,
        );
    }
    let listed = |now| {
        let listed = authorized_applications(store, fixture, now);
        let ids = listed.iter().map(|one| one.application.id);
        ids.collect::<Vec<_>>()
    };
    // Ties in time are broken by the greater id first.
    let expected = [third, fixture.other_app, fixture.app, fourth];
    assert_eq!(listed(timestamp(10)), expected);
    grant_and_redeem(
        store,
        Fixture {
            app: fourth,
            ..fixture
        },
        "the last",
        "api",
        6,
    );
    let expected = [fourth, third, fixture.other_app, fixture.app];
    assert_eq!(listed(timestamp(10)), expected);
}

pub(super) fn o12_consent_is_for_exactly_these_scopes(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let consented = |fixture: Fixture, set: &ScopeSet, now| {
        let set = set.clone();
        read(store, move |tx| {
            tx.has_consented(fixture.ann, fixture.app, &set, now)
        })
    };
    let set = scopes("openid read_user");
    let issued = NewGrant {
        scopes: set.clone(),
        ..fixture.grant("issued")
    };
    let id = insert_grant(store, issued);
    assert!(
        !consented(fixture, &set, timestamp(2)),
        "its code was not redeemed"
    );
    grant_and_redeem(store, fixture, "given", "openid read_user", 0);
    assert!(consented(fixture, &set, timestamp(2)));
    for words in ["openid", "read_user", "openid read_user email", ""] {
        assert!(
            !consented(fixture, &scopes(words), timestamp(2)),
            "{words:?}"
        );
    }
    let elsewhere = Fixture {
        app: fixture.other_app,
        ..fixture
    };
    let others = Fixture {
        ann: fixture.ben,
        ..fixture
    };
    assert!(!consented(elsewhere, &set, timestamp(2)));
    assert!(!consented(others, &set, timestamp(2)));
    assert!(consented(fixture, &set, just_before(1_000)));
    assert!(
        !consented(fixture, &set, timestamp(1_000)),
        "the grant has ended"
    );
    write(store, move |tx| {
        tx.revoke_grants_of_user(fixture.ann, None, timestamp(3))
    });
    assert!(
        !consented(fixture, &set, timestamp(2)),
        "it was revoked, like {id}"
    );
}
