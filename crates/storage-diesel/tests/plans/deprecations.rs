//! Uses of deprecated features: each list, the sum and the deletion read their own index, and no more of it than they
//! need.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use deprecations::{UseQueries as _, UseRepository};
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Uses of 30 records by 100 users.
const INSERT: &str = "INSERT INTO deprecation_uses (record, user_id, holder, holder_id, uses, first_at, last_at) \
    SELECT 'record ' || (value % 30), 1 + value % 100, 1, value, 1, value, value FROM NUMBERS;";
const ROWS: i64 = 3_000;

/// Returns the statements over uses in `work`, in order.
fn statements_of<T>(turn: &Turn, work: impl FnOnce() -> Result<T, StoreError>) -> (T, Vec<String>) {
    let (outcome, mut texts) = texts_of(turn, work);
    texts.retain(|text| text.contains("deprecation_uses"));
    (outcome.unwrap(), texts)
}

/// Returns the statements of each method, with the index that each should read.
fn statements<S>(turn: &Turn, store: &S) -> Vec<(String, &'static str)>
where
    S: Store,
    for<'t> S::WriteTx<'t>: UseRepository,
{
    let user = UserId::new(1);
    let (listed, of_user) = statements_of(turn, || {
        store.write(move |tx| tx.list_uses_of_user(user, 20)).wait()
    });
    assert_eq!(listed.len(), 20);
    let (listed, of_record) = statements_of(turn, || {
        let listed = store.write(|tx| tx.list_uses_of_record("record 1", 20));
        listed.wait()
    });
    assert_eq!(listed.len(), 20);
    let (sum, summed) = statements_of(turn, || {
        store.write(|tx| tx.sum_uses_of_record("record 1")).wait()
    });
    assert_eq!(sum.unwrap().uses, 100);
    let (deleted, old) = statements_of(turn, || {
        let before = Timestamp::from_micros(ROWS).unwrap();
        let deleted = store.write(move |tx| tx.delete_uses_before(before, 3));
        deleted.wait()
    });
    assert_eq!(deleted, 3);
    let all = [of_user, of_record, summed, old].concat();
    let indexes = [
        "deprecation_uses_user",
        "deprecation_uses_record",
        "deprecation_uses_record",
        "deprecation_uses_last",
        "deprecation_uses_pkey",
    ];
    assert_eq!(all.len(), indexes.len(), "{all:#?}");
    all.into_iter().zip(indexes).collect()
}

#[test]
fn uses_are_found_in_their_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    drop(fill_sqlite(&file, INSERT, ROWS));
    for (query, index) in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // A row with an id is looked up in the table itself.
        let index = match index {
            "deprecation_uses_pkey" => "INTEGER PRIMARY KEY",
            index => index,
        };
        let is_bad = |step: &String| {
            step.contains("TEMP B-TREE") || step.starts_with("SCAN deprecation_uses")
        };
        assert!(
            plan.iter().any(|step| step.contains(index)),
            "{query}\n{plan:#?}"
        );
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}

#[test]
fn uses_are_found_in_their_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    drop(fill_postgres(&database, INSERT, ROWS));
    for (query, index) in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_bad = |step: &String| step.contains("Seq Scan") || step.trim().ends_with("Sort");
        assert!(
            plan.iter().any(|step| step.contains(index)),
            "{query}\n{plan:#?}"
        );
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}
