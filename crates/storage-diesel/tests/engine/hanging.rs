//! Servers that do not answer, or accept no writes.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use accounts::AccountQueries as _;
use storage::{Lane, Store as _, StoreError, StoreErrorKind};

use crate::databases::{TestSettings, postgres};
use crate::support::insert;

/// Short, so that the test is short; the limited work is not timed.
const LIMIT: Duration = Duration::from_secs(1);

#[test]
fn a_server_that_hangs_leaves_nobody_without_an_answer() {
    let settings = TestSettings {
        deadline: LIMIT,
        read_limit: LIMIT,
        ..TestSettings::default()
    };
    let Some((store, database)) = postgres(settings) else {
        return;
    };
    store.write(|tx| insert(tx, "before")).wait().unwrap();
    // Every reader opens its connection, so that none is opened while the server hangs.
    for (lane, readers) in [(Lane::Shared, 8), (Lane::Check, 2)] {
        let meet = Arc::new(Barrier::new(readers));
        let all: Vec<_> = (0..readers)
            .map(|_| {
                let meet = Arc::clone(&meet);
                store.read_in(lane, move |tx| {
                    meet.wait();
                    tx.auth_epoch()
                })
            })
            .collect();
        for read in all {
            read.wait().unwrap();
        }
    }
    let paused = database.pause();
    let writes: Vec<_> = (0..4)
        .map(|number| store.write(move |tx| insert(tx, &format!("u{number}"))))
        .collect();
    let reads: Vec<_> = [Lane::Check, Lane::Shared, Lane::Caller(1)]
        .into_iter()
        .cycle()
        .take(24)
        .map(|lane| store.read_in(lane, |tx| tx.auth_epoch()))
        .collect();
    let proof = store.health_check();
    let fails = |error: StoreError| assert!(error.is_retryable(), "{error}");
    for write in writes {
        fails(write.wait().unwrap_err());
    }
    for read in reads {
        fails(read.wait().unwrap_err());
    }
    fails(proof.wait().unwrap_err());
    drop(paused);
    // The pending write may be finished by now; later writes succeed once the writer is free again.
    while store.write(|tx| insert(tx, "after")).wait().is_err() {}
    store.read(|tx| tx.auth_epoch()).wait().unwrap();
}

#[test]
fn a_server_that_was_read_only_is_written_to_again() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    database.set_default("default_transaction_read_only", "on");
    database.disconnect_all();
    for _ in 0..2 {
        let refused = store.write(|tx| insert(tx, "ann")).wait().unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "{refused}");
    }
    store.health_check().wait().unwrap_err();
    database.set_default("default_transaction_read_only", "off");
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
    store.health_check().wait().unwrap();
}
