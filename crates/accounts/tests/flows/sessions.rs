//! Lifetime and end of sessions.

use accounts::flow::sessions::{
    end_other_sessions, end_own_session, end_session, list_live_sessions, start_session,
};
use accounts::model::MAX_AGENT_CHARACTERS;
use accounts::{SessionRepository as _, SessionStage};

use crate::support::{Accounts, LIFETIME, browser, now};

#[test]
fn a_session_ends_without_use_and_by_its_age() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let id = accounts.session(ann, "cookie", now());
    assert!(accounts.is_live("cookie", now().plus_seconds(99)));
    assert!(!accounts.is_live("cookie", now().plus_seconds(100)));
    let late = now().plus_seconds(950);
    accounts.write(move |tx| tx.touch_sessions(&[(id, late)]));
    assert!(accounts.is_live("cookie", now().plus_seconds(999)));
    assert!(!accounts.is_live("cookie", now().plus_seconds(1000)));
    assert!(!accounts.is_live("another", now()));
}

#[test]
fn sessions_pending_a_second_factor_expire_early_and_are_not_listed() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let waiting = SessionStage::SecondFactorMissing;
    accounts.write(move |tx| start_session(tx, ann, waiting, &browser("cookie"), LIFETIME, now()));
    assert!(accounts.is_live("cookie", now().plus_seconds(59)));
    assert!(!accounts.is_live("cookie", now().plus_seconds(60)));
    let listed = accounts.write(move |tx| list_live_sessions(tx, ann, LIFETIME, now()));
    assert_eq!(listed, []);
}

#[test]
fn the_list_contains_only_live_sessions() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    accounts.session(ann, "old", now());
    let fresh = accounts.session(ann, "fresh", now().plus_seconds(90));
    let listed =
        accounts.write(move |tx| list_live_sessions(tx, ann, LIFETIME, now().plus_seconds(120)));
    let ids: Vec<_> = listed.iter().map(|session| session.id).collect();
    assert_eq!(ids, [fresh]);
}

#[test]
fn a_browser_with_a_long_name_is_remembered_by_its_beginning() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let mut long = browser("cookie");
    long.user_agent = "ä".repeat(MAX_AGENT_CHARACTERS + 1);
    let signed_in = SessionStage::SignedIn;
    accounts.write(move |tx| start_session(tx, ann, signed_in, &long, LIFETIME, now()));
    let listed = accounts.write(move |tx| list_live_sessions(tx, ann, LIFETIME, now()));
    assert_eq!(listed[0].user_agent, "ä".repeat(MAX_AGENT_CHARACTERS));
}

#[test]
fn a_session_ends_once() {
    let accounts = Accounts::default();
    let (ann, _) = accounts.person("ann");
    let id = accounts.session(ann, "cookie", now());
    assert!(accounts.write(move |tx| end_session(tx, id)));
    assert!(!accounts.is_live("cookie", now()));
    assert!(!accounts.write(move |tx| end_session(tx, id)));
}

#[test]
fn the_sessions_of_others_are_out_of_reach() {
    let accounts = Accounts::default();
    let ((ann, _), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    let id = accounts.session(ann, "cookie", now());
    assert!(!accounts.write(move |tx| end_own_session(tx, bob, id)));
    assert!(accounts.is_live("cookie", now()));
    assert!(accounts.write(move |tx| end_own_session(tx, ann, id)));
    assert!(!accounts.is_live("cookie", now()));
}

#[test]
fn all_others_end_and_nobody_elses() {
    let accounts = Accounts::default();
    let ((ann, _), (bob, _)) = (accounts.person("ann"), accounts.person("bob"));
    let kept = accounts.session(ann, "kept", now());
    accounts.session(ann, "one", now());
    accounts.session(ann, "two", now());
    accounts.session(bob, "bob's", now());
    assert_eq!(
        accounts.write(move |tx| end_other_sessions(tx, ann, kept)),
        2
    );
    let live = ["kept", "one", "two", "bob's"].map(|cookie| accounts.is_live(cookie, now()));
    assert_eq!(live, [true, false, false, true]);
    assert_eq!(
        accounts.write(move |tx| end_other_sessions(tx, ann, kept)),
        0
    );
}
