//! Sessions.

use accounts::{NewSession, Session, SessionStage, UserActivity};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{StoreErrorKind, StoreExt as _};

use super::{insert_user, read, session, write};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::{HOSTILE, timestamp};

/// Inserts a session that was last used, and expires, at these seconds.
fn start(store: &Accounts, user_id: UserId, cookie: &str, used: i64, ends: i64) -> SessionId {
    let new = NewSession {
        authenticated_at: timestamp(used),
        expires_at: timestamp(ends),
        ..session(user_id, cookie)
    };
    write(store, move |tx| tx.insert_session(&new))
}

fn found(store: &Accounts, cookie: &str) -> Option<Session> {
    let digest = SecretDigest::of(cookie);
    read(store, move |tx| tx.find_session(&digest))
}

/// Ids of a user's sessions in the order of the list.
fn listed(store: &Accounts, user: UserId) -> Vec<SessionId> {
    let sessions = read(store, move |tx| tx.list_sessions(user));
    sessions.iter().map(|session| session.id).collect()
}

pub(super) fn c30_a_session_comes_back_as_it_was_written(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let first = NewSession {
        stage: SessionStage::SecondFactorMissing,
        user_agent: HOSTILE.to_owned(),
        address: "2001:db8::1".to_owned(),
        authenticated_at: Timestamp::MIN,
        expires_at: Timestamp::MAX,
        ..session(ann, "first")
    };
    let second = NewSession {
        user_agent: String::new(),
        address: String::new(),
        ..session(ann, "second")
    };
    for new in [first, second] {
        let written = new.clone();
        let id = write(store, move |tx| tx.insert_session(&written));
        let found = read(store, move |tx| tx.find_session(&new.digest));
        let expected = Session {
            id,
            user_id: ann,
            stage: new.stage,
            user_agent: new.user_agent,
            address: new.address,
            authenticated_at: new.authenticated_at,
            last_seen_at: new.authenticated_at,
            expires_at: new.expires_at,
        };
        assert_eq!(found.as_ref(), Some(&expected));
        let listed = read(store, move |tx| tx.list_sessions(ann));
        assert!(listed.contains(&expected), "{listed:?}");
    }
}

pub(super) fn c31_the_digest_of_a_session_is_unique(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| insert_user(store, name));
    let first = start(store, ann, "cookie", 0, 100);
    let second = start(store, ben, "another", 0, 100);
    let same = session(ben, "cookie");
    let again = store.change(move |tx| tx.insert_session(&same));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    let renewed =
        store.change(move |tx| tx.renew_session(second, &SecretDigest::of("cookie"), timestamp(1)));
    let error = renewed.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    assert_eq!(found(store, "cookie").map(|one| one.id), Some(first));
    assert_eq!(found(store, "another").map(|one| one.id), Some(second));
    assert_eq!(listed(store, ben), [second]);
}

pub(super) fn c32_a_renewed_session_has_another_digest(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let waiting = NewSession {
        stage: SessionStage::SecondFactorMissing,
        ..session(ann, "old")
    };
    let id = write(store, move |tx| tx.insert_session(&waiting));
    let other = start(store, ann, "other", 0, 100);
    let before = found(store, "old").expect("the row exists");
    let renew = |cookie: &str, seconds| {
        let digest = SecretDigest::of(cookie);
        write(store, move |tx| {
            tx.renew_session(id, &digest, timestamp(seconds))
        })
    };
    assert!(renew("new", 50));
    assert_eq!(found(store, "old"), None, "the old cookie is not valid");
    let expected = Session {
        authenticated_at: timestamp(50),
        last_seen_at: timestamp(50),
        ..before
    };
    assert_eq!(found(store, "new"), Some(expected));
    assert_eq!(listed(store, ann), [id, other]);
    let untouched = found(store, "other").expect("the row exists");
    assert_eq!(untouched.authenticated_at, timestamp(0));
    write(store, move |tx| tx.touch_sessions(&[(id, timestamp(70))]));
    assert!(renew("newer", 60));
    let seen = found(store, "newer").expect("the row exists");
    assert_eq!(seen.authenticated_at, timestamp(60));
    assert_eq!(
        seen.last_seen_at,
        timestamp(70),
        "the last use never moves back"
    );
}

pub(super) fn c33_the_time_of_last_use_only_moves_forward(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let id = start(store, ann, "cookie", 0, 100);
    let other = start(store, ann, "other", 3, 100);
    for (seconds, noted) in [(10, 10), (5, 10), (10, 10), (11, 11)] {
        let unknown = SessionId::new(i64::MAX);
        let used = [
            (unknown, timestamp(seconds)),
            (id, timestamp(seconds)),
            (other, timestamp(2)),
        ];
        write(store, move |tx| tx.touch_sessions(&used));
        let session = found(store, "cookie").expect("the row exists");
        assert_eq!(session.last_seen_at, timestamp(noted));
        assert_eq!(session.authenticated_at, timestamp(0));
        assert_eq!(session.expires_at, timestamp(100));
        let other = found(store, "other").expect("the row exists");
        assert_eq!(other.last_seen_at, timestamp(3));
    }
    write(store, |tx| tx.touch_sessions(&[]));
}

pub(super) fn c34_sessions_are_listed_the_last_used_first(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| insert_user(store, name));
    let first = start(store, ann, "first", 5, 100);
    let second = start(store, ann, "second", 9, 100);
    let third = start(store, ann, "third", 5, 100);
    let foreign = start(store, ben, "foreign", 7, 100);
    // Of sessions last used at the same time, the one that began last comes first.
    assert_eq!(listed(store, ann), [second, third, first]);
    write(store, move |tx| {
        tx.touch_sessions(&[(first, timestamp(20))])
    });
    assert_eq!(listed(store, ann), [first, second, third]);
    assert_eq!(listed(store, ben), [foreign]);
}

pub(super) fn c35_a_session_ends_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let id = start(store, ann, "cookie", 0, 100);
    let other = start(store, ann, "other", 0, 100);
    assert!(write(store, move |tx| tx.delete_session(id)));
    assert!(!write(store, move |tx| tx.delete_session(id)));
    assert_eq!(found(store, "cookie"), None);
    assert_eq!(listed(store, ann), [other]);
    let renewed = write(store, move |tx| {
        tx.renew_session(id, &SecretDigest::of("cookie"), timestamp(1))
    });
    assert!(!renewed, "an ended session is not renewed");
    write(store, move |tx| tx.touch_sessions(&[(id, timestamp(1))]));
    assert_eq!(found(store, "cookie"), None);
    assert_ne!(start(store, ann, "cookie", 0, 100), id);
}

pub(super) fn c36_the_sessions_of_a_user_end_together(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| insert_user(store, name));
    let [_, kept, _] = ["a", "b", "c"].map(|cookie| start(store, ann, cookie, 0, 100));
    let foreign = start(store, ben, "foreign", 0, 100);
    let ended = write(store, move |tx| tx.delete_sessions_of(ann, Some(kept)));
    assert_eq!(ended, 2);
    assert_eq!(listed(store, ann), [kept]);
    // Another user's session cannot be spared.
    let ended = write(store, move |tx| tx.delete_sessions_of(ann, Some(foreign)));
    assert_eq!(ended, 1);
    assert_eq!(listed(store, ann), []);
    assert_eq!(listed(store, ben), [foreign]);
    let ended = write(store, move |tx| tx.delete_sessions_of(ben, None));
    assert_eq!((ended, listed(store, ben)), (1, vec![]));
    let ended = write(store, move |tx| tx.delete_sessions_of(ben, None));
    assert_eq!(ended, 0);
}

pub(super) fn c37_ended_and_unused_sessions_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    for (cookie, used, ends) in [
        ("ended", 50, 99),
        ("ends now", 50, 100),
        ("unused", 39, 500),
        ("used just in time", 40, 500),
        ("both", 1, 2),
        ("alive", 80, 500),
    ] {
        start(store, ann, cookie, used, ends);
    }
    let delete = |limit| {
        write(store, move |tx| {
            tx.delete_ended_sessions(timestamp(100), timestamp(40), limit)
        })
    };
    assert_eq!(delete(0), 0);
    assert_eq!(delete(2), 2);
    assert_eq!(listed(store, ann).len(), 4);
    assert_eq!(delete(2), 1);
    assert_eq!(delete(2), 0);
    for alive in ["ends now", "used just in time", "alive"] {
        assert!(found(store, alive).is_some(), "{alive}");
    }
    for gone in ["ended", "unused", "both"] {
        assert_eq!(found(store, gone), None, "{gone}");
    }
}

pub(super) fn c38_the_id_of_a_session_is_not_given_again(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let mut given = Vec::new();
    for _ in 0..5 {
        let id = start(store, ann, "cookie", 0, 100);
        assert!(!given.contains(&id), "{id} was the id of another session");
        given.push(id);
        assert!(write(store, move |tx| tx.delete_session(id)));
    }
}

pub(super) fn c39_sign_ins_and_uses_show_when_a_user_was_last_active(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben, cleo] = ["ann", "ben", "cleo"].map(|name| insert_user(store, name));
    let unknown = UserId::new(cleo.get() + 1000);
    let of = |ids: Vec<UserId>| {
        let mut found = read(store, move |tx| tx.list_user_activity(&ids));
        found.sort_by_key(|(id, _)| *id);
        found
    };
    let nothing = UserActivity::default();
    assert_eq!(of(vec![ann, unknown]), [(ann, nothing)]);
    assert_eq!(of(vec![]), []);
    let note = |user, at| write(store, move |tx| tx.note_sign_in(user, timestamp(at)));
    assert!(note(ann, 10) && !note(unknown, 10));
    let mut expected = nothing;
    expected.sign_in(timestamp(10));
    assert_eq!(expected.last_sign_in_at, Some(timestamp(10)));
    assert_eq!(of(vec![ann, ben]), [(ann, expected), (ben, nothing)]);
    assert!(note(ann, 20));
    expected.sign_in(timestamp(20));
    assert_eq!(
        (expected.last_sign_in_at, expected.sign_in_count),
        (Some(timestamp(10)), 2)
    );
    assert_eq!(of(vec![ann]), [(ann, expected)]);
    // The latest use counts, and a session that waits for the second factor does not.
    start(store, ann, "early", 15, 100);
    start(store, ben, "one", 5, 100);
    start(store, ben, "two", 7, 100);
    let pending = NewSession {
        stage: SessionStage::SecondFactorMissing,
        authenticated_at: timestamp(9),
        expires_at: timestamp(100),
        ..session(cleo, "pending")
    };
    write(store, move |tx| tx.insert_session(&pending));
    let seen = UserActivity {
        last_seen_at: Some(timestamp(7)),
        ..nothing
    };
    assert_eq!(
        of(vec![ann, ben, cleo]),
        [(ann, expected), (ben, seen), (cleo, nothing)]
    );
    let used = write(store, move |tx| {
        let token = tx.insert_token(&crate::accounts::tokens::token(ben, "ben's"))?;
        tx.touch_tokens(&[(token, timestamp(30))])?;
        tx.list_user_activity(&[ben])
    });
    let seen = UserActivity {
        last_seen_at: Some(timestamp(30)),
        ..nothing
    };
    assert_eq!(used, [(ben, seen)]);
}
