//! Recovery from a server that goes down and comes back.

use accounts::{AccountQueries as _, AccountRepository as _, NewToken, TokenKind};
use api_conventions::ids::UserId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::databases::{TestSettings, postgres};
use crate::support::{BlockedWriters, insert};

#[test]
fn a_lost_connection_fails_running_work_and_the_writer_recovers() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    let blocked = BlockedWriters::of(&store);
    let queued = store.write(|tx| insert(tx, "queued"));
    database.disconnect_all();
    // The blocked closure is in a transaction that the server has ended, so it must not be acknowledged.
    let outcome = blocked.release_and_wait();
    assert_eq!(outcome.unwrap_err().kind(), StoreErrorKind::Unavailable);
    // The work that was queued in the meantime had not begun. It may use the lost connection or the new one, but its
    // answer is correct.
    let acknowledged = queued.wait().is_ok();
    let found =
        store.write(|tx| Ok::<_, StoreError>(tx.find_user_by_username("queued")?.is_some()));
    assert_eq!(found.wait().unwrap(), acknowledged);
    store.write(|tx| insert(tx, "afterwards")).wait().unwrap();
}

#[test]
fn a_connection_lost_inside_a_transaction_undoes_all_of_it() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    let outcome = store.write(move |tx| {
        insert(tx, "before")?;
        database.disconnect_all();
        insert(tx, "after")?;
        Ok::<_, StoreError>(())
    });
    assert_eq!(
        outcome.wait().unwrap_err().kind(),
        StoreErrorKind::Unavailable
    );
}

#[test]
fn reads_go_on_after_all_connections_were_lost() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    let epochs: Vec<_> = (0..32).map(|_| store.read(|tx| tx.auth_epoch())).collect();
    assert!(epochs.into_iter().all(|epoch| epoch.wait().is_ok()));
    database.disconnect_all();
    let epochs: Vec<_> = (0..32).map(|_| store.read(|tx| tx.auth_epoch())).collect();
    for epoch in epochs {
        assert_eq!(epoch.wait().unwrap(), 1);
    }
}

#[test]
fn a_closure_that_overlooks_a_failed_statement_is_not_acknowledged() {
    let Some((store, _database)) = postgres(TestSettings::default()) else {
        return;
    };
    let overlook = || {
        store.write(|tx| {
            insert(tx, "half")?;
            let nobody = NewToken {
                user_id: UserId::new(-1),
                name: String::new(),
                kind: TokenKind::Personal,
                family_id: None,
                scopes: ScopeSet::default(),
                digest: SecretDigest::of("x"),
                expires_on: CalendarDate::parse("2024-05-01").unwrap(),
                creator_id: None,
                created_at: Timestamp::MIN,
            };
            tx.insert_token(&nobody).unwrap_err();
            Ok::<_, StoreError>(())
        })
    };
    assert!(overlook().wait().is_err(), "alone in its transaction");
    let blocked = BlockedWriters::of(&store);
    let beside_others = overlook();
    let other = store.write(|tx| insert(tx, "other"));
    blocked.release_and_wait().ok();
    assert!(beside_others.wait().is_err());
    let other_was_stored = other.wait().is_ok();
    let found = store.read(|tx| {
        let half = tx.find_user_by_username("half")?.is_some();
        Ok::<_, StoreError>((half, tx.find_user_by_username("other")?.is_some()))
    });
    assert_eq!(found.wait().unwrap(), (false, other_was_stored));
}
