//! What users permitted applications.

use api_conventions::ids::ApplicationId;
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use oauth_provider::{AuthorizedApplication, NewGrant, NewTokenPair};

use super::samples::{Cast, ask, change, insert_grant, scopes};
use crate::Harness;
use crate::reach::Oauth;
use crate::samples::moment;

/// Stores a grant that was given so many seconds later, and redeems its code, which is `text`.
fn give(store: &impl Oauth, cast: Cast, text: &str, words: &str, given: i64) {
    let new = NewGrant {
        scopes: scopes(words),
        created_at: moment(given),
        ..cast.grant(text)
    };
    redeem(store, cast, text, new);
}

fn redeem(store: &impl Oauth, cast: Cast, text: &str, new: NewGrant) {
    let code = new.code.expect("the grant has a code").0;
    let id = insert_grant(store, new);
    let pair = NewTokenPair {
        user_id: cast.ann,
        application_id: Some(cast.app),
        ..cast.pair(id, text)
    };
    change(store, move |tx| tx.redeem_code(&code, &pair, moment(500)));
}

fn authorized(store: &impl Oauth, cast: Cast, now: Timestamp) -> Vec<AuthorizedApplication> {
    ask(store, move |tx| {
        tx.list_authorized_applications(cast.ann, now)
    })
}

/// The last moment before so many seconds.
fn just_before(seconds: i64) -> Timestamp {
    Timestamp::from_micros(moment(seconds).as_micros() - 1).unwrap()
}

pub(super) fn o10_live_grants_authorize_an_application<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    insert_grant(store, cast.grant("issued"));
    let without = NewGrant {
        code: None,
        application_id: None,
        ..cast.grant("")
    };
    insert_grant(store, without);
    let bens = Cast {
        ann: cast.ben,
        ..cast
    };
    give(store, bens, "another user's", "api", 3);
    assert_eq!(authorized(store, cast, moment(10)), []);

    give(store, cast, "first", "read_user", 5);
    give(store, cast, "second", "openid read_user", 8);
    give(store, cast, "third", "email", 6);
    let ended = NewGrant {
        scopes: scopes("api"),
        created_at: moment(9),
        expires_at: moment(10),
        ..cast.grant("ended")
    };
    redeem(store, cast, "ended", ended);
    give(store, cast, "revoked", "sudo", 9);
    change(store, |tx| {
        let code = super::samples::digest("revoked");
        let id = tx.find_grant_by_code(&code)?.expect("it is there").id;
        tx.revoke_grant(id, moment(600))
    });
    let application = ask(store, move |tx| tx.find_application(cast.app));
    let application = application.expect("it is there");
    let wanted = |words, given| AuthorizedApplication {
        application: application.clone(),
        scopes: scopes(words),
        authorized_at: moment(given),
    };
    let now = authorized(store, cast, moment(10));
    assert_eq!(now, [wanted("openid read_user email", 8)]);
    let earlier = authorized(store, cast, just_before(10));
    assert_eq!(earlier, [wanted("api openid read_user email", 9)]);
    assert_eq!(authorized(store, cast, moment(1_000)), [], "all have ended");
}

pub(super) fn o11_authorized_applications_are_listed_the_newest_first<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    let [third, fourth]: [ApplicationId; 2] = change(store, |tx| {
        let [third, fourth] = ["third", "fourth"].map(|uid| super::samples::application(uid, None));
        Ok([
            tx.insert_application(&third)?,
            tx.insert_application(&fourth)?,
        ])
    });
    let order = [
        (third, 5),
        (cast.app, 5),
        (cast.other_app, 5),
        (fourth, 1),
        (cast.app, 2),
    ];
    for (number, (app, given)) in order.into_iter().enumerate() {
        give(
            store,
            Cast { app, ..cast },
            &format!("grant {number}"),
            "api",
            given,
        );
    }
    let listed = |now| {
        let listed = authorized(store, cast, now);
        let ids = listed.iter().map(|one| one.application.id);
        ids.collect::<Vec<_>>()
    };
    // The greater id comes first where the moment is the same.
    let wanted = [third, cast.other_app, cast.app, fourth];
    assert_eq!(listed(moment(10)), wanted);
    give(
        store,
        Cast {
            app: fourth,
            ..cast
        },
        "the last",
        "api",
        6,
    );
    let wanted = [fourth, third, cast.other_app, cast.app];
    assert_eq!(listed(moment(10)), wanted);
}

pub(super) fn o12_consent_is_for_exactly_these_scopes<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    let consented = |cast: Cast, set: ScopeSet, now| {
        ask(store, move |tx| {
            tx.has_consented(cast.ann, cast.app, set, now)
        })
    };
    let set = scopes("openid read_user");
    let issued = NewGrant {
        scopes: set,
        ..cast.grant("issued")
    };
    let id = insert_grant(store, issued);
    assert!(
        !consented(cast, set, moment(2)),
        "its code was not redeemed"
    );
    give(store, cast, "given", "openid read_user", 0);
    assert!(consented(cast, set, moment(2)));
    for words in ["openid", "read_user", "openid read_user email", ""] {
        assert!(!consented(cast, scopes(words), moment(2)), "{words:?}");
    }
    let elsewhere = Cast {
        app: cast.other_app,
        ..cast
    };
    let others = Cast {
        ann: cast.ben,
        ..cast
    };
    assert!(!consented(elsewhere, set, moment(2)));
    assert!(!consented(others, set, moment(2)));
    assert!(consented(cast, set, just_before(1_000)));
    assert!(!consented(cast, set, moment(1_000)), "it has ended");
    change(store, move |tx| {
        tx.revoke_grants_of_user(cast.ann, None, moment(3))
    });
    assert!(
        !consented(cast, set, moment(2)),
        "it was revoked, as was {id}"
    );
}
