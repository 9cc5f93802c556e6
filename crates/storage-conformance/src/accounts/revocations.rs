//! Revocations, as other processes read them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use accounts::{Revocation, RevocationSubject};
use api_conventions::ids::{
    ApplicationId, GrantId, IntegrationId, ProjectId, SessionId, TokenId, UserId,
};
use storage::StoreExt as _;

use crate::areas::{Accounts, AreaHarness};
use crate::probe_rows::refusal;

/// Returns the current epoch, and all recorded revocations after `epoch`.
fn recorded_after(store: &Accounts, epoch: i64) -> (i64, Vec<Revocation>) {
    let seen =
        store.query(move |tx| Ok((tx.auth_epoch()?, tx.list_revocations_after(epoch, 1_000)?)));
    seen.wait().unwrap()
}

/// Raises the epoch for these revocations.
fn revoke(store: &Accounts, revoked: &[RevocationSubject]) -> i64 {
    let revoked = revoked.to_vec();
    let raised = store.change(move |tx| tx.raise_auth_epoch(&revoked));
    raised.wait().unwrap()
}

/// Revocations recorded under an epoch, in any order.
fn recorded_under(recorded: &[Revocation], epoch: i64) -> BTreeSet<RevocationSubject> {
    let its = recorded.iter().filter(|recorded| recorded.epoch == epoch);
    its.map(|recorded| recorded.revoked).collect()
}

fn user(id: i64) -> RevocationSubject {
    RevocationSubject::User(UserId::new(id))
}

pub(super) fn a30_revocations_are_stored_under_the_new_epoch(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let (before, _) = recorded_after(store, 0);
    let of_each_kind = [
        RevocationSubject::Everything,
        user(1),
        RevocationSubject::Session(SessionId::new(1)),
        RevocationSubject::Token(TokenId::new(1)),
        RevocationSubject::Grant(GrantId::new(1)),
        RevocationSubject::Application(ApplicationId::new(1)),
        RevocationSubject::Endpoint(IntegrationId::new(i64::MAX)),
        RevocationSubject::Paths,
        RevocationSubject::ErrorTracking(ProjectId::new(i64::MAX)),
    ];
    let first = revoke(store, &of_each_kind);
    let second = revoke(store, &[user(1)]);
    // Many at once, as when a directory of users is emptied.
    let many: Vec<RevocationSubject> = (0..900).map(user).collect();
    let third = revoke(store, &many);
    let (epoch, recorded) = recorded_after(store, before);
    assert_eq!(epoch, third);
    assert_eq!(recorded.len(), of_each_kind.len() + 1 + many.len());
    assert!(
        recorded.is_sorted_by_key(|recorded| recorded.epoch),
        "{recorded:?}"
    );
    assert_eq!(
        recorded_under(&recorded, first),
        BTreeSet::from(of_each_kind)
    );
    assert_eq!(recorded_under(&recorded, second), BTreeSet::from([user(1)]));
    assert_eq!(recorded_under(&recorded, third), many.into_iter().collect());
}

pub(super) fn a31_the_list_begins_after_an_epoch_and_is_bounded(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let epochs: Vec<i64> = (1..=4).map(|id| revoke(store, &[user(id)])).collect();
    for (passed, epoch) in epochs.iter().enumerate() {
        let (_, recorded) = recorded_after(store, *epoch);
        let seen: Vec<i64> = recorded.iter().map(|recorded| recorded.epoch).collect();
        assert_eq!(seen, epochs[passed + 1..], "after {epoch}");
    }
    let before = epochs[0] - 1;
    for limit in 0..=5 {
        let listed = store.query(move |tx| tx.list_revocations_after(before, limit));
        let listed = listed.wait().unwrap();
        let seen: Vec<i64> = listed.iter().map(|recorded| recorded.epoch).collect();
        assert_eq!(seen, epochs[..limit.min(4)], "the first {limit}");
    }
    let (_, later) = recorded_after(store, i64::MAX);
    assert_eq!(later, []);
}

pub(super) fn a32_deleted_revocations_are_not_listed_and_the_epoch_stays(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let first = revoke(store, &[user(1), user(2)]);
    let second = revoke(store, &[user(1)]);
    let third = revoke(store, &[user(3)]);
    for (count, rest) in [(3, vec![third]), (0, vec![third])] {
        let forgotten = store.change(move |tx| tx.forget_revocations_through(second));
        assert_eq!(forgotten.wait().unwrap(), count);
        let (epoch, recorded) = recorded_after(store, first - 1);
        let seen: Vec<i64> = recorded.iter().map(|recorded| recorded.epoch).collect();
        assert_eq!((epoch, seen), (third, rest));
    }
}

pub(super) fn a33_a_refused_write_keeps_no_revocation(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let first = revoke(store, &[user(1)]);
    let refused = store.change(move |tx| {
        tx.raise_auth_epoch(&[user(2)])?;
        tx.forget_revocations_through(first)?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let (epoch, recorded) = recorded_after(store, first - 1);
    assert_eq!((epoch, recorded.len()), (first, 1));
    let second = revoke(store, &[user(3)]);
    let (_, recorded) = recorded_after(store, first);
    assert_eq!(
        (second, recorded_under(&recorded, second)),
        (first + 1, [user(3)].into())
    );
}

pub(super) fn a34_a_reader_of_an_epoch_sees_all_revocations_up_to_it(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let (before, _) = recorded_after(store, 0);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut known = before;
            let mut is_last = false;
            while !is_last {
                is_last = done.load(Ordering::Acquire);
                let (epoch, recorded) = recorded_after(store, known);
                let seen: Vec<i64> = recorded.iter().map(|recorded| recorded.epoch).collect();
                let expected: Vec<i64> = (known + 1..=epoch).collect();
                assert_eq!(seen, expected, "after {known}");
                known = epoch;
            }
            known
        });
        let writers = [1, 2, 3, 4].map(|writer| {
            scope.spawn(move || {
                for _ in 0..15 {
                    revoke(store, &[user(writer)]);
                }
            })
        });
        let written = writers.map(thread::ScopedJoinHandle::join);
        done.store(true, Ordering::Release);
        assert!(written.iter().all(Result::is_ok), "{written:?}");
        assert_eq!(reader.join().unwrap(), before + 60);
    });
}
