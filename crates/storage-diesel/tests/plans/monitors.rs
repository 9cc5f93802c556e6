//! Monitors: each query and each change reads the index that is meant for it, however many monitors there are.

use api_conventions::ids::MonitorId;
use api_conventions::time::Timestamp;
use error_tracking::monitors::{MonitorKey, MonitorState};
use error_tracking::store::{MonitorQueries as _, MonitorRepository};
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Monitors of many projects, of which some are due. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO monitors (project_id, slug, environment, due_at, state) \
    SELECT value % 100 + 1, 'job ' || value, 'live', CASE WHEN value % 50 = 0 THEN value END, '{}' FROM NUMBERS;";
const ROWS: i64 = 3_000;

/// Runs all queries and changes, and returns their statements.
fn statements<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::WriteTx<'t>: MonitorRepository,
{
    let (done, mut texts) = texts_of(turn, || {
        let done = store.write(|tx| {
            let key = MonitorKey {
                project_id: PROJECT,
                slug: "new".to_owned(),
                environment: "live".to_owned(),
            };
            assert_eq!(tx.find_monitor(&key)?, None);
            tx.put_monitor(&key, &MonitorState::default())?;
            assert!(tx.delete_monitor(PROJECT, MonitorId::new(100))?);
            // The states of the rows of this test are unreadable, which is found after the statements ran.
            assert!(tx.list_monitors(PROJECT).is_err());
            let now = Timestamp::from_micros(200).unwrap();
            assert!(tx.list_due_monitors(now, 3).is_err());
            Ok(())
        });
        done.wait()
    });
    let done: Result<(), StoreError> = done;
    done.unwrap();
    texts.retain(|text| text.contains("monitors"));
    assert_eq!(texts.len(), 5, "{texts:#?}");
    texts
}

#[test]
fn monitors_are_found_in_their_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(&file, INSERT, ROWS));
    for query in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_wrong =
            |step: &String| step.starts_with("SCAN monitors") || step.contains("TEMP B-TREE");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn monitors_are_found_in_their_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(&database, INSERT, ROWS));
    for query in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        // The monitors of one project are few to sort.
        let is_sorted = |step: &String| step.contains("Sort") && query.contains("due_at\" <=");
        let is_wrong = |step: &String| step.contains("Seq Scan") || is_sorted(step);
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
