//! Transactions that conflict with each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use accounts::CredentialRepository as _;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{Store as _, StoreError};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::databases::migrate;
use crate::support::insert;

/// Two closures lock the same two rows, each in another order, and meet in between.
#[test]
fn closures_that_deadlock_are_run_again_and_nobody_is_reported() {
    let Some(database) = TestDatabase::prepared(migrate) else {
        return;
    };
    let store = PostgresStore::open(database.url(), PostgresOptions::default()).unwrap();
    let keys = ["ann", "bob"].map(SecretDigest::of);
    let runs = Arc::new(AtomicUsize::new(0));
    let meet = Arc::new(Barrier::new(2));
    let lock = |order: [usize; 2]| {
        let (runs, meet) = (Arc::clone(&runs), Arc::clone(&meet));
        store.write(move |tx| {
            tx.count_failure(&keys[order[0]], 60, Timestamp::MIN)?;
            if runs.fetch_add(1, Ordering::SeqCst) < 2 {
                meet.wait();
            }
            tx.count_failure(&keys[order[1]], 60, Timestamp::MIN)?;
            Ok::<_, StoreError>(())
        })
    };
    let both = [lock([0, 1]), lock([1, 0])];
    for one in both {
        one.wait().unwrap();
    }
    assert!(
        runs.load(Ordering::SeqCst) > 2,
        "no transaction was retried"
    );
}

/// With one transaction for several closures, these would hold each other's locks.
#[test]
fn closures_that_lock_one_row_each_never_wait_for_each_other_in_a_circle() {
    let Some(database) = TestDatabase::prepared(migrate) else {
        return;
    };
    let store = PostgresStore::open(database.url(), PostgresOptions::default()).unwrap();
    let users = ["ann", "bob"].map(|name| store.write(move |tx| insert(tx, name)).wait().unwrap());
    let runs = Arc::new(AtomicUsize::new(0));
    let all: Vec<_> = (0..200)
        .map(|number| {
            let runs = Arc::clone(&runs);
            let user = users[(number + number / 2) % 2];
            store.write(move |tx| {
                runs.fetch_add(1, Ordering::SeqCst);
                assert!(tx.lock_user(user)?);
                Ok::<_, StoreError>(())
            })
        })
        .collect();
    assert!(all.into_iter().all(|one| one.wait().is_ok()));
    assert_eq!(
        runs.load(Ordering::SeqCst),
        200,
        "no transaction was retried"
    );
}
