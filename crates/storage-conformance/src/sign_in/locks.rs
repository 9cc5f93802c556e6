//! Locks on users and sessions, which protect rights.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use accounts::UserState;
use accounts::password::PasswordHash;
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use storage::StoreError;

use super::{insert_user, read, session, write};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::timestamp;
use accounts::AccountWriteTx;

/// Time in which the transaction that holds the lock watches for one that does not wait. A correct store lets it pass
/// in full.
const TIMEOUT: Duration = Duration::from_millis(50);

/// The locked rows.
#[derive(Debug, Clone, Copy)]
struct LockedRows {
    user: UserId,
    session: SessionId,
}

impl LockedRows {
    /// A user with this name, in a session.
    fn of(store: &Accounts, name: &'static str) -> Self {
        let user = insert_user(store, name);
        let new = session(user, name);
        let session = write(store, move |tx| tx.insert_session(&new));
        Self { user, session }
    }
}

/// A step on the locked rows. True if they exist.
type LockedStep = fn(&mut dyn AccountWriteTx, LockedRows) -> Result<bool, StoreError>;

/// Checks that `changing` waits for a transaction that took `lock`, and sees its writes.
#[track_caller]
fn assert_waits(store: &Accounts, rows: LockedRows, lock: LockedStep, changing: LockedStep) {
    let key = SecretDigest::of(&format!("written while {} was locked", rows.session));
    let (locks, is_locked) = channel();
    let (changes, is_changed) = channel();
    let (was_overtaken, seen) = thread::scope(|scope| {
        let locker = scope.spawn(move || {
            write(store, move |tx| {
                assert!(lock(tx, rows)?, "the row exists");
                locks.send(()).unwrap();
                let was_overtaken = is_changed.recv_timeout(TIMEOUT).is_ok();
                tx.count_failure(&key, 100, timestamp(0))?;
                Ok(was_overtaken)
            })
        });
        is_locked.recv().expect("the row was locked");
        let seen = write(store, move |tx| {
            assert!(changing(tx, rows)?, "the row exists");
            // The receiver is gone once the other transaction has continued.
            let _ = changes.send(());
            tx.find_failures(&key)
        });
        (locker.join().unwrap(), seen)
    });
    assert!(!was_overtaken, "the row changed while it was locked");
    assert!(
        seen.is_some(),
        "the writes of the other transaction are not visible"
    );
}

pub(super) fn c50_locking_an_existing_user_or_session_succeeds_and_changes_nothing(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let rows = LockedRows::of(store, "ann");
    let state = move || {
        read(store, move |tx| {
            let user = tx.find_user(rows.user)?;
            Ok((user, tx.list_sessions(rows.user)?, tx.auth_epoch()?))
        })
    };
    let before = state();
    write(store, move |tx| {
        assert!(tx.lock_user(rows.user)? && tx.lock_session(rows.session)?);
        // Locks again in the same transaction, in the other order, and then unknown users and sessions.
        assert!(tx.lock_session(rows.session)? && tx.lock_user(rows.user)?);
        for unknown in [i64::MIN, -1, 0, i64::MAX] {
            assert!(!tx.lock_user(UserId::new(unknown))?, "user {unknown}");
            assert!(
                !tx.lock_session(SessionId::new(unknown))?,
                "session {unknown}"
            );
        }
        Ok(())
    });
    assert_eq!(state(), before, "locking changes nothing");
    write(store, move |tx| {
        assert!(tx.delete_session(rows.session)?);
        assert!(!tx.lock_session(rows.session)?, "the session has ended");
        Ok(())
    });
    assert!(!write(store, move |tx| tx.lock_session(rows.session)));
    assert!(write(store, move |tx| tx.lock_user(rows.user)));
}

pub(super) fn c51_ending_or_renewing_a_session_waits_for_the_session_lock(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let lock: LockedStep = |tx, rows| tx.lock_session(rows.session);
    let ends: [(&str, LockedStep); 3] = [
        ("alone", |tx, rows| tx.delete_session(rows.session)),
        ("with-others", |tx, rows| {
            Ok(tx.delete_sessions_of(rows.user, None)? == 1)
        }),
        ("for-its-old-cookie", |tx, rows| {
            tx.renew_session(rows.session, &SecretDigest::of("new"), timestamp(1))
        }),
    ];
    for (name, end) in ends {
        assert_waits(store, LockedRows::of(store, name), lock, end);
    }
}

pub(super) fn c52_changes_of_password_state_or_second_factor_wait_for_the_user_lock(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let lock: LockedStep = |tx, rows| tx.lock_user(rows.user);
    let changes: [(&str, LockedStep); 3] = [
        ("blocked", |tx, rows| {
            tx.set_user_state(rows.user, UserState::Blocked { at: timestamp(1) })
        }),
        ("password", |tx, rows| {
            let other = PasswordHash::from_stored("$argon2id$other".to_owned());
            tx.set_password(rows.user, &other, None)
        }),
        ("factor", |tx, rows| {
            tx.put_second_factor(rows.user, b"sealed", 1, &[], timestamp(1))
        }),
    ];
    for (name, change) in changes {
        assert_waits(store, LockedRows::of(store, name), lock, change);
    }
}
