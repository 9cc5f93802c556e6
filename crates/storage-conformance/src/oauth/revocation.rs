//! Revocation of grants, alone and in groups, also during concurrent use.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use api_conventions::ids::GrantId;
use api_conventions::time::Timestamp;
use oauth_provider::{
    AuthorizationRequest, GrantState, NewGrant, Redemption, Rotation, TokenPairState, TokenSubject,
};

use super::samples::{
    Fixture, digest, find_grant, find_pair, insert_grant, of_user, pair, read, refresh, seed,
    state_of, write,
};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::{SetOnDrop, race, timestamp};

fn revoked(seconds: i64) -> (GrantState, TokenPairState) {
    let at = timestamp(seconds);
    (GrantState::Revoked { at }, TokenPairState::Revoked { at })
}

fn revoke(store: &Oauth, id: GrantId, seconds: i64) -> bool {
    write(store, move |tx| tx.revoke_grant(id, timestamp(seconds)))
}

pub(super) fn o50_a_grant_ends_once_with_all_its_tokens(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "rotated");
    let kept = fixture.redeemed(store, "kept");
    write(store, move |tx| {
        let next = fixture.pair(id, "current");
        tx.rotate_pair(&refresh("rotated"), seed(1), &next, timestamp(5))
    });
    let issued = insert_grant(store, fixture.grant("issued"));
    assert!(revoke(store, id, 20) && revoke(store, issued, 21));
    assert!(!revoke(store, id, 30) && !revoke(store, issued, 31));
    let (grant, pair) = revoked(20);
    assert_eq!(
        find_grant(store, id).state,
        grant,
        "the first timestamp stays"
    );
    assert_eq!(find_grant(store, issued).state, revoked(21).0);
    // Rotated pairs are revoked as well: no retry gets their successors.
    for text in ["rotated", "current"] {
        assert_eq!(state_of(store, text), pair, "{text}");
    }
    assert_eq!(state_of(store, "kept"), TokenPairState::Current);
    let redeemed = GrantState::Redeemed { at: timestamp(1) };
    assert_eq!(find_grant(store, kept).state, redeemed);
    // Of racing revocations, one succeeds.
    let ended = race(16, |_| revoke(store, kept, 40));
    assert_eq!(ended.iter().filter(|ended| **ended).count(), 1);
    assert_eq!(state_of(store, "kept"), revoked(40).1);
}

pub(super) fn u08_the_grants_of_a_user_are_deleted_in_steps_with_their_tokens(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let bens = Fixture {
        ann: fixture.ben,
        ..fixture
    };
    for text in ["one", "two", "three"] {
        fixture.redeemed(store, text);
    }
    bens.redeemed(store, "ben's");
    let ann = fixture.ann;
    for expected in [2, 1, 0] {
        let deleted = write(store, move |tx| tx.delete_grants_of_user(ann, 2));
        assert_eq!(deleted, expected);
    }
    for text in ["one", "two", "three"] {
        assert!(find_pair(store, text).is_none(), "{text}");
    }
    assert_eq!(state_of(store, "ben's"), TokenPairState::Current);
}

pub(super) fn o51_the_grants_of_a_user_end_together(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let elsewhere = Fixture {
        app: fixture.other_app,
        ..fixture
    };
    let bens = Fixture {
        ann: fixture.ben,
        ..fixture
    };
    fixture.redeemed(store, "here");
    let issued = insert_grant(store, fixture.grant("issued"));
    elsewhere.redeemed(store, "there");
    bens.redeemed(store, "ben's");
    let by_password = NewGrant {
        code: None,
        subject: of_user(fixture.ann),
        ..fixture.grant("")
    };
    let by_password = insert_grant(store, by_password);
    write(store, move |tx| {
        tx.insert_pair(&pair(by_password, of_user(fixture.ann), "by password"))
    });
    let end = |app, seconds| {
        write(store, move |tx| {
            tx.revoke_grants_of_user(fixture.ann, app, timestamp(seconds))
        })
    };
    assert_eq!(end(Some(fixture.app), 20), 2);
    assert_eq!(end(Some(fixture.app), 21), 0);
    assert_eq!(state_of(store, "here"), revoked(20).1);
    assert_eq!(find_grant(store, issued).state, revoked(20).0);
    assert_eq!(state_of(store, "there"), TokenPairState::Current);
    assert_eq!(state_of(store, "by password"), TokenPairState::Current);
    assert_eq!(end(None, 30), 2);
    assert_eq!(end(None, 31), 0);
    assert_eq!(
        state_of(store, "here"),
        revoked(20).1,
        "the first timestamp stays"
    );
    assert_eq!(state_of(store, "there"), revoked(30).1);
    assert_eq!(state_of(store, "by password"), revoked(30).1);
    assert_eq!(state_of(store, "ben's"), TokenPairState::Current);
}

pub(super) fn o52_ending_a_session_revokes_unredeemed_grants_and_deletes_pending_requests(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let there = Fixture {
        session: fixture.other_session,
        ..fixture
    };
    fixture.redeemed(store, "redeemed");
    let [first, second] = ["first", "second"].map(|code| insert_grant(store, fixture.grant(code)));
    let before = insert_grant(store, fixture.grant("revoked before"));
    assert!(revoke(store, before, 10));
    let elsewhere = insert_grant(store, there.grant("elsewhere"));
    write(store, move |tx| {
        tx.insert_authorization_request(&digest("waiting"), &fixture.request())?;
        tx.insert_authorization_request(&digest("elsewhere"), &there.request())
    });
    let end = move |seconds| {
        write(store, move |tx| {
            tx.revoke_unredeemed(fixture.session, timestamp(seconds))
        })
    };
    assert_eq!(end(20), 2);
    assert_eq!(end(21), 0);
    for id in [first, second] {
        assert_eq!(find_grant(store, id).state, revoked(20).0);
    }
    assert_eq!(find_grant(store, before).state, revoked(10).0);
    assert_eq!(find_grant(store, elsewhere).state, GrantState::Issued);
    assert_eq!(state_of(store, "redeemed"), TokenPairState::Current);
    read(store, |tx| {
        let waiting = tx.find_authorization_request(&digest("waiting"))?;
        assert_eq!(waiting, None);
        let elsewhere = tx.find_authorization_request(&digest("elsewhere"))?;
        assert!(elsewhere.is_some(), "another session's request is kept");
        Ok(())
    });
}

pub(super) fn o53_no_rotation_outruns_the_end_of_its_grant(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    for round in 0..10 {
        let name = |number: usize| format!("{round}, {number}");
        let id = fixture.redeemed(store, &name(0));
        let (issued, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
        race(3, |thread| {
            if thread == 0 {
                // The other threads run until the flag is raised, so it is also raised when this fails.
                let raised = SetOnDrop(&ended);
                let mut patience = 1_000_000;
                while issued.load(Ordering::SeqCst) < round {
                    std::thread::yield_now();
                    patience -= 1;
                    assert!(patience > 0, "no pair is rotated");
                }
                assert!(revoke(store, id, 20));
                drop(raised);
                return;
            }
            // Each of the other threads rotates for as long as it can, and once more after the revocation.
            loop {
                let last_try = ended.load(Ordering::SeqCst);
                let last = issued.load(Ordering::SeqCst);
                let (old, next) = (refresh(&name(last)), fixture.pair(id, &name(last + 1)));
                let outcome = write(store, move |tx| {
                    tx.rotate_pair(&old, seed(1), &next, timestamp(9))
                });
                assert_ne!(outcome, Rotation::Unknown, "pair {last} no longer exists");
                if matches!(outcome, Rotation::Rotated(_)) {
                    issued.store(last + 1, Ordering::SeqCst);
                }
                if last_try {
                    break;
                }
                std::thread::yield_now();
            }
        });
        for number in 0..=issued.load(Ordering::SeqCst) {
            let state = state_of(store, &name(number));
            assert_eq!(state, revoked(20).1, "round {round}, pair {number}");
        }
    }
}

pub(super) fn o54_no_redemption_outruns_the_end_of_its_grant(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    for round in 0..10 {
        let text = format!("round {round}");
        let id = insert_grant(store, fixture.grant(&text));
        let outcomes = race(2, |thread| {
            if thread == 0 {
                assert!(revoke(store, id, 20));
                return None;
            }
            let (code, new) = (digest(&text), fixture.pair(id, &text));
            Some(write(store, move |tx| {
                tx.redeem_code(&code, &new, timestamp(9))
            }))
        });
        assert_eq!(find_grant(store, id).state, revoked(20).0);
        let state = find_pair(store, &text).map(|pair| pair.state);
        match outcomes[1] {
            Some(Redemption::Redeemed(_)) => assert_eq!(state, Some(revoked(20).1), "{text}"),
            _ => assert_eq!(state, None, "{text}"),
        }
    }
}

pub(super) fn o55_spent_grants_and_late_requests_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    for (text, ends) in [
        ("spent", 99),
        ("spent too", 50),
        ("spent long ago", 10),
        ("ends now", 100),
    ] {
        let id = insert_grant(store, ending(fixture.grant(text), ends));
        let new = fixture.pair(id, text);
        write(store, move |tx| tx.insert_pair(&new));
    }
    let kept = fixture.redeemed(store, "revoked");
    assert!(revoke(store, kept, 20));
    for (handle, ends) in [("late", 99), ("later", 98), ("in time", 100)] {
        write(store, move |tx| {
            let request = AuthorizationRequest {
                expires_at: timestamp(ends),
                ..fixture.request()
            };
            tx.insert_authorization_request(&digest(handle), &request)
        });
    }
    let delete =
        |before: Timestamp, limit| write(store, move |tx| tx.delete_spent_grants(before, limit));
    assert_eq!(delete(timestamp(100), 0), 0);
    assert_eq!(delete(timestamp(100), 1), 2, "one of each kind");
    assert_eq!(delete(timestamp(100), 10), 3);
    assert_eq!(delete(timestamp(100), 10), 0);
    for gone in ["spent", "spent too", "spent long ago"] {
        assert_eq!(find_pair(store, gone), None, "{gone}");
        let grant = read(store, move |tx| tx.find_grant_by_code(&digest(gone)));
        assert_eq!(grant, None, "{gone}");
    }
    assert_eq!(state_of(store, "ends now"), TokenPairState::Current);
    // A revoked grant stays until it expires, so that the reuse of its tokens is recognised.
    assert_eq!(state_of(store, "revoked"), revoked(20).1);
    read(store, |tx| {
        assert_eq!(tx.find_authorization_request(&digest("late"))?, None);
        let in_time = tx.find_authorization_request(&digest("in time"))?;
        assert!(in_time.is_some());
        Ok(())
    });
    assert_eq!(delete(Timestamp::MAX, 10), 3);
    assert_eq!(find_pair(store, "revoked"), None);
}

/// The grant, which expires at this second.
fn ending(new: NewGrant, seconds: i64) -> NewGrant {
    NewGrant {
        expires_at: timestamp(seconds),
        ..new
    }
}

pub(super) fn o56_a_grant_of_an_application_ends_by_itself_or_with_the_application(
    harness: &mut AreaHarness<Oauth>,
) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let issue = |application, text: &'static str| {
        let subject = TokenSubject::Application(application);
        let new = NewGrant {
            code: None,
            subject,
            ..fixture.grant("")
        };
        write(store, move |tx| {
            let id = tx.insert_grant(&new)?;
            tx.insert_pair(&pair(id, subject, text))?;
            Ok(id)
        })
    };
    let first = issue(fixture.app, "first");
    issue(fixture.app, "second");
    issue(fixture.other_app, "other");
    fixture.redeemed(store, "ann's");
    // Users have authorized nothing by these grants, and cannot revoke them.
    let (ann, app) = (fixture.ann, fixture.app);
    let listed = read(store, move |tx| {
        tx.list_authorized_applications(ann, timestamp(2))
    });
    assert_eq!(listed.len(), 1, "the applications that Ann authorized");
    for user in [fixture.ann, fixture.ben] {
        write(store, move |tx| {
            tx.revoke_grants_of_user(user, Some(app), timestamp(10))
        });
        write(store, move |tx| {
            tx.revoke_grants_of_user(user, None, timestamp(10))
        });
    }
    assert_eq!(state_of(store, "ann's"), revoked(10).1);
    assert_eq!(state_of(store, "first"), TokenPairState::Current);
    assert!(write(store, move |tx| tx.revoke_grant(first, timestamp(20))));
    assert_eq!(find_grant(store, first).state, revoked(20).0);
    assert_eq!(state_of(store, "first"), revoked(20).1);
    assert_eq!(state_of(store, "second"), TokenPairState::Current);
    assert!(write(store, move |tx| tx.delete_application(app)));
    assert_eq!(find_pair(store, "second"), None);
    assert_eq!(state_of(store, "other"), TokenPairState::Current);
}
