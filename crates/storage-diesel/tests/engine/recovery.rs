//! A server that goes away and comes back.

use accounts::AccountQueries as _;
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::databases::{Settings, postgres};
use crate::support::{Hold, insert};

#[test]
fn a_lost_connection_fails_what_ran_and_the_writer_recovers() {
    let Some((store, database)) = postgres(Settings::default()) else {
        return;
    };
    let hold = Hold::writer_of(&store);
    let queued = store.write(|tx| insert(tx, "queued"));
    database.disconnect_all();
    // The held closure is in a transaction that the server has ended, so it must not be acknowledged.
    let held = hold.release_and_wait();
    assert_eq!(held.unwrap_err().kind(), StoreErrorKind::Unavailable);
    // What was queued meanwhile had not begun. It may run into the lost connection or find the new one, but
    // its answer is the truth.
    let acknowledged = queued.wait().is_ok();
    let found =
        store.write(|tx| Ok::<_, StoreError>(tx.find_user_by_username("queued")?.is_some()));
    assert_eq!(found.wait().unwrap(), acknowledged);
    store.write(|tx| insert(tx, "afterwards")).wait().unwrap();
}

#[test]
fn a_connection_lost_inside_a_transaction_undoes_all_of_it() {
    let Some((store, database)) = postgres(Settings::default()) else {
        return;
    };
    let outcome = store.write(move |tx| {
        insert(tx, "before")?;
        database.disconnect_all();
        insert(tx, "after")?;
        Ok::<_, StoreError>(database)
    });
    assert_eq!(
        outcome.wait().unwrap_err().kind(),
        StoreErrorKind::Unavailable
    );
}
