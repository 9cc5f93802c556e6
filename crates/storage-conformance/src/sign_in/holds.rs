//! Holding what power follows from.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use accounts::UserState;
use accounts::password::PasswordHash;
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use storage::StoreError;

use super::{ask, change, insert_user, session};
use crate::Harness;
use crate::reach::{SignIn, SignInRepositories};
use crate::samples::moment;

/// How long a holder listens for somebody who does not wait for it. A store that keeps the promise is silent.
const A_WHILE: Duration = Duration::from_millis(50);

/// What is held.
#[derive(Debug, Clone, Copy)]
struct Held {
    user: UserId,
    session: SessionId,
}

impl Held {
    /// A user with this name, in a session.
    fn of(store: &impl SignIn, name: &'static str) -> Self {
        let user = insert_user(store, name);
        let new = session(user, name);
        let session = change(store, move |tx| tx.insert_session(&new));
        Self { user, session }
    }
}

/// Something done to what is held; `true` when it was there.
type Step = fn(&mut dyn SignInRepositories, Held) -> Result<bool, StoreError>;

/// Checks that `ending` waits for a transaction that did `holding`, and sees what that one wrote.
#[track_caller]
fn waits(store: &(impl SignIn + Sync), held: Held, holding: Step, ending: Step) {
    let key = SecretDigest::of(&format!("written while {} was held", held.session));
    let (holds, is_held) = channel();
    let (ends, is_ended) = channel();
    let (was_overtaken, seen) = thread::scope(|scope| {
        let holder = scope.spawn(move || {
            change(store, move |tx| {
                assert!(holding(tx, held)?, "it is there");
                holds.send(()).unwrap();
                let was_overtaken = is_ended.recv_timeout(A_WHILE).is_ok();
                tx.count_failure(&key, 100, moment(0))?;
                Ok(was_overtaken)
            })
        });
        is_held.recv().expect("somebody holds it");
        let seen = change(store, move |tx| {
            assert!(ending(tx, held)?, "it is there");
            // Nobody listens any more once the holder has gone on.
            let _ = ends.send(());
            tx.find_failures(&key)
        });
        (holder.join().unwrap(), seen)
    });
    assert!(!was_overtaken, "it ended while somebody held it");
    assert!(seen.is_some(), "what the holder wrote is overlooked");
}

pub(super) fn c50_what_is_there_is_held_and_nothing_else<H: Harness>(harness: &mut H)
where
    H::Store: SignIn,
{
    let store = harness.store();
    let held = Held::of(store, "ann");
    let standing = move || {
        ask(store, move |tx| {
            let user = tx.find_user(held.user)?;
            Ok((user, tx.list_sessions(held.user)?, tx.auth_epoch()?))
        })
    };
    let before = standing();
    change(store, move |tx| {
        assert!(tx.hold_user(held.user)? && tx.hold_session(held.session)?);
        // Again in the same transaction, and both with others of either kind.
        assert!(tx.hold_session(held.session)? && tx.hold_user(held.user)?);
        for unknown in [i64::MIN, -1, 0, i64::MAX] {
            assert!(!tx.hold_user(UserId::new(unknown))?, "user {unknown}");
            assert!(
                !tx.hold_session(SessionId::new(unknown))?,
                "session {unknown}"
            );
        }
        Ok(())
    });
    assert_eq!(standing(), before, "holding changes nothing");
    change(store, move |tx| {
        assert!(tx.delete_session(held.session)?);
        assert!(!tx.hold_session(held.session)?, "it has just ended");
        Ok(())
    });
    assert!(!change(store, move |tx| tx.hold_session(held.session)));
    assert!(change(store, move |tx| tx.hold_user(held.user)));
}

pub(super) fn c51_whoever_ends_a_session_waits_for_its_holder<H: Harness>(harness: &mut H)
where
    H::Store: SignIn,
{
    let store = harness.store();
    let hold: Step = |tx, held| tx.hold_session(held.session);
    let ends: [(&str, Step); 3] = [
        ("alone", |tx, held| tx.delete_session(held.session)),
        ("with-others", |tx, held| {
            Ok(tx.delete_sessions_of(held.user, None)? == 1)
        }),
        ("for-its-old-cookie", |tx, held| {
            tx.renew_session(held.session, &SecretDigest::of("new"), moment(1))
        }),
    ];
    for (name, end) in ends {
        waits(store, Held::of(store, name), hold, end);
    }
}

pub(super) fn c52_whoever_changes_a_user_waits_for_its_holder<H: Harness>(harness: &mut H)
where
    H::Store: SignIn,
{
    let store = harness.store();
    let hold: Step = |tx, held| tx.hold_user(held.user);
    let changes: [(&str, Step); 3] = [
        ("blocked", |tx, held| {
            tx.set_user_state(held.user, UserState::Blocked { at: moment(1) })
        }),
        ("password", |tx, held| {
            let other = PasswordHash::from_stored("$argon2id$other".to_owned());
            tx.set_password(held.user, &other)
        }),
        ("factor", |tx, held| {
            tx.put_second_factor(held.user, b"sealed", 1, &[], moment(1))
        }),
    ];
    for (name, change) in changes {
        waits(store, Held::of(store, name), hold, change);
    }
}
