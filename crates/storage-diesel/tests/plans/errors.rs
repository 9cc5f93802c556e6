//! Lists of errors: each order is read from its own index, in both directions, for one state and for all.

use api_conventions::page::{OffsetPage, SortOrder};
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName};
use error_tracking::store::{ErrorQueries, EventPosition};
use storage::Store;

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Errors of the project in all states, and events of the first one.
const INSERT: &str = "INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, \
    events, users) SELECT 1, value, value % 3, 'error ' || value, '', 40, 'rust', value, 9000 - value, value, value FROM NUMBERS; \
    INSERT INTO error_keys (project_id, error_id, group_key, explanation, first_seen, events, kept) \
    SELECT 1, 1, CAST('key' AS IDENTITY), '{}', 0, 3000, 3000; \
    INSERT INTO error_events (project_id, key_id, event_id, number, received_at, occurred_at, title, level, body) \
    SELECT 1, 1, CAST((10000000 + value) || 'abcdefgh' AS IDENTITY), value, value, value, 'error', 40, CAST('x' AS IDENTITY) FROM NUMBERS;";
const ROWS: i64 = 3_000;

/// Returns the queries of first pages in all orders, and those of a page about one error.
fn queries<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ErrorQueries,
{
    let mut all = Vec::new();
    for status in [None, Some(StatusName::Unresolved)] {
        for order_by in ErrorOrder::ALL {
            for sort in [SortOrder::Ascending, SortOrder::Descending] {
                let mut filter = ErrorFilter::new(PROJECT);
                (filter.status, filter.order_by, filter.sort) = (status, *order_by, sort);
                let listed = || {
                    let filter = filter.clone();
                    let page = OffsetPage::new(1, 20);
                    store.read(move |tx| tx.list_errors(&filter, page)).wait()
                };
                let (page, queries) = queries_of(turn, listed);
                let page: Result<_, storage::StoreError> = page;
                assert_eq!(page.unwrap().items.len(), 20);
                all.extend(queries);
            }
        }
    }
    let read = || {
        let read = store.read(|tx| {
            let error = tx
                .find_error(PROJECT, api_conventions::ids::ErrorIid::new(1))?
                .unwrap();
            let event = tx
                .find_error_event(error.id, EventPosition::Latest)?
                .unwrap();
            tx.find_event_neighbours(error.id, event.summary.id)?;
            tx.find_error_event(error.id, EventPosition::Oldest)?;
            Ok::<_, storage::StoreError>(error.iid.get())
        });
        read.wait()
    };
    let (iid, queries) = queries_of(turn, read);
    assert_eq!(iid.unwrap(), 1);
    all.extend(queries);
    all
}

#[test]
fn lists_are_read_in_the_index_of_their_order_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(
        &file,
        &INSERT.replace("IDENTITY", "BLOB"),
        ROWS,
    ));
    for query in queries(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // Rows of a subquery in an outer query are not a table.
        let is_table = |step: &str| step.ends_with(" e") || step.contains("error");
        // A page of all states merges the first rows of each state, which are few to sort.
        let is_merged = query.contains("UNION ALL");
        let is_bad = |step: &String| {
            (step.contains("TEMP B-TREE") && !is_merged)
                || (step.starts_with("SCAN") && is_table(step))
        };
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_are_read_in_the_index_of_their_order_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(
        &database,
        &INSERT.replace("IDENTITY", "BYTEA"),
        ROWS,
    ));
    for query in queries(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_bad = |step: &String| step.contains("Seq Scan") || step.trim().ends_with("Sort");
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}
