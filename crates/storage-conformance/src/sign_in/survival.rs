//! Rows that survive a restart of the store.

use accounts::UserState;
use accounts::password::PasswordHash;
use api_conventions::secret::SecretDigest;

use super::{insert_user, read, session, write};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::timestamp;

pub(super) fn c40_credentials_and_sessions_outlive_the_store(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ann = insert_user(store, "ann");
    let code = SecretDigest::of("code");
    let blocked = UserState::Blocked { at: timestamp(1) };
    let password = PasswordHash::from_stored("$argon2id$stored".to_owned());
    let written = password.clone();
    let id = write(store, move |tx| {
        assert!(tx.set_password(ann, &written, None)?);
        assert!(tx.set_user_state(ann, blocked)?);
        assert!(tx.put_second_factor(ann, b"sealed", 1, &[code], timestamp(0))?);
        assert!(tx.take_time_step(ann, 5)?);
        assert!(tx.take_recovery_code(ann, &code)?);
        tx.count_failure(&SecretDigest::of("key"), 60, timestamp(0))?;
        tx.insert_session(&session(ann, "cookie"))
    });
    harness.reopen();
    let store = harness.store();
    let found = read(store, move |tx| tx.find_credentials_of(ann)).expect("the row exists");
    assert_eq!(
        (found.password, found.user.state),
        (Some(password), blocked)
    );
    let factor = found.second_factor.expect("the second factor is on");
    assert_eq!((factor.last_step, factor.recovery_codes_left), (5, 0));
    let session = read(store, |tx| tx.find_session(&SecretDigest::of("cookie")));
    assert_eq!(session.map(|session| session.id), Some(id));
    // A used code stays used, and the count continues.
    assert!(!write(store, move |tx| tx.take_time_step(ann, 5)));
    assert!(!write(store, move |tx| tx.take_recovery_code(ann, &code)));
    let again = write(store, |tx| {
        tx.count_failure(&SecretDigest::of("key"), 60, timestamp(1))
    });
    assert_eq!((again.count, again.since), (2, timestamp(0)));
}
