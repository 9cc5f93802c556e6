//! Limits on the rows that one request may examine.

use alert_intake::model::{AlertFilter, AlertOrder};
use alert_intake::search::PART;
use alert_intake::store::{AlertQueries, AlertRepository};
use api_conventions::page::{OffsetPage, SortOrder, Total};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use projects::ProjectRepository;
use storage::{Store, StoreError};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, insert_alerts, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Number of rows, one more than one request may examine.
const MANY: i64 = 100_001;

/// Alerts whose titles end in their numbers, and which are otherwise identical.
const INSERT: &str = "INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
    description, severity, status, service, monitoring_tool, hosts, started_at, last_started_at, ended_at, occurrences, \
    deliveries, payload, created_at, updated_at) \
    SELECT value, 1, value, 1, CAST('identity ' || value AS BLOB), value, 0, \
    'Disk ' || value, '', 0, 2, 'service', '', '[]', value, value, value, 1, 1, '{}', value, value FROM \
    (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 100001) SELECT value FROM n);";

#[test]
fn a_search_over_the_limit_returns_its_hits_and_a_cursor_to_continue() {
    let _turn = Turn::take();
    let (store, file, _directory) = sqlite();
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection.batch_execute(INSERT).unwrap();
    let list = |filter: &AlertFilter| {
        let filter = filter.clone();
        let listed = store.read(move |tx| tx.list_alerts(&filter, OffsetPage::new(1, 2)));
        listed.wait().unwrap()
    };
    let search = |text: &str, order_by| AlertFilter {
        search: Some(text.to_owned()),
        order_by,
        ..AlertFilter::new(PROJECT)
    };
    for order_by in AlertOrder::NAMES {
        let order_by = AlertOrder::parse(order_by).unwrap();
        // No order is refused, however many alerts there are.
        let whole = AlertFilter {
            order_by,
            ..AlertFilter::new(PROJECT)
        };
        assert_eq!(list(&whole).total, Total::Beyond, "{order_by:?}");
        // A term that every alert contains fills a page at once.
        let often = list(&search("disk", order_by));
        assert_eq!(
            (often.items.len(), often.has_next),
            (2, true),
            "{order_by:?}"
        );
        for (text, hits) in [("Disk 77777", vec![77_777]), ("nothing", vec![])] {
            // Alternating directions are enough, because another order covers the other direction.
            let sorts = [SortOrder::Descending, SortOrder::Ascending];
            let is_down = order_by as usize % 2 == hits.len() % 2;
            for sort in sorts.into_iter().skip(usize::from(is_down)).take(1) {
                let mut filter = AlertFilter {
                    sort,
                    ..search(text, order_by)
                };
                let (mut found, mut parts) = (Vec::new(), 0);
                loop {
                    let page = list(&filter);
                    found.extend(page.items.iter().map(|alert| alert.iid.get()));
                    parts += 1;
                    let Total::Unfinished(position) = page.total else {
                        assert!(!page.has_next, "{filter:?}");
                        break;
                    };
                    assert!(
                        page.has_next && filter.after != Some(position),
                        "{filter:?}"
                    );
                    filter.after = Some(position);
                }
                assert_eq!(found, hits, "{filter:?}");
                assert!((2..=6).contains(&parts), "{parts} {filter:?}");
            }
        }
    }
    let some = list(&search("Disk 10000", AlertOrder::Created));
    assert_eq!(
        (some.items.len(), some.has_next, some.total),
        (2, true, Total::Uncounted)
    );
    // The index shows that no alert matches, whatever the order.
    let none = AlertFilter {
        statuses: vec![1],
        order_by: AlertOrder::UpdatedAt,
        ..AlertFilter::new(PROJECT)
    };
    assert_eq!(list(&none).total, Total::Exact(0));
    connection
        .batch_execute(&format!("DELETE FROM alerts WHERE id = {MANY}"))
        .unwrap();
    for order_by in [AlertOrder::Created, AlertOrder::StartedAt] {
        assert_eq!(list(&search("nothing", order_by)).total, Total::Exact(0));
    }
}

#[test]
fn a_search_over_prepared_alerts_examines_only_those_that_may_be_hits() {
    let _turn = Turn::take();
    let (store, file, _directory) = sqlite();
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection.batch_execute(INSERT).unwrap();
    connection
        .batch_execute(&format!(
            "PRAGMA foreign_keys = OFF; INSERT INTO alert_counters VALUES (1, {});",
            MANY + 1
        ))
        .unwrap();
    let mut prepared = 0;
    while let Some(part) = store.read(|tx| tx.find_search_part()).wait().unwrap() {
        assert!(
            store
                .write(move |tx| tx.insert_search_part(&part))
                .wait()
                .unwrap()
        );
        prepared += 1;
    }
    assert_eq!(prepared, MANY / 4096);
    let search = |text: &str| {
        let filter = AlertFilter {
            search: Some(text.to_owned()),
            order_by: AlertOrder::UpdatedAt,
            ..AlertFilter::new(PROJECT)
        };
        let found = store.read(move |tx| tx.list_alerts(&filter, OffsetPage::default()));
        let found = found.wait().unwrap();
        found
            .items
            .iter()
            .map(|alert| alert.iid.get())
            .collect::<Vec<i64>>()
    };
    assert_eq!(search("nothing"), [0; 0]);
    assert_eq!(
        search("dISK 7777"),
        [
            77_779, 77_778, 77_777, 77_776, 77_775, 77_774, 77_773, 77_772, 77_771, 77_770, 7777
        ]
    );
    assert_eq!(
        search("disk 100001"),
        [100_001],
        "the last ones are not indexed"
    );
}

/// Indexes alerts, and returns the queries for those whose texts changed since: of a search, and of the next indexing.
fn queries_for_changed_texts<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AlertQueries,
    for<'t> S::WriteTx<'t>: AlertRepository + accounts::AccountRepository + ProjectRepository,
{
    create_project(store);
    insert_alerts(store, PART + 8);
    while let Some(part) = store.read(|tx| tx.find_search_part()).wait().unwrap() {
        let kept = store.write(move |tx| tx.insert_search_part(&part));
        assert!(kept.wait().unwrap());
    }
    let filter = AlertFilter {
        search: Some("zzqqxx".to_owned()),
        ..AlertFilter::new(PROJECT)
    };
    let work = || {
        let read = store.read(move |tx| {
            assert_eq!(tx.list_alerts(&filter, OffsetPage::default())?.items, []);
            assert_eq!(tx.find_search_part()?, None);
            Ok::<_, StoreError>(())
        });
        read.wait().unwrap();
    };
    let ((), mut queries) = queries_of(turn, work);
    queries.retain(|query| query.contains("texts_changed"));
    assert_eq!(queries.len(), 2, "{queries:#?}");
    queries
}

#[test]
fn alerts_with_changed_texts_are_found_in_an_index_of_their_own() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    for query in queries_for_changed_texts(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query).join("\n");
        assert!(
            plan.contains("USING INDEX alerts_texts_"),
            "{query}\n{plan}"
        );
    }
}

#[test]
fn alerts_with_changed_texts_are_found_in_an_index_of_their_own_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    for query in queries_for_changed_texts(&turn, &store) {
        let mut connection = PgConnection::establish(database.url()).unwrap();
        connection.batch_execute("ANALYZE alerts").unwrap();
        let plan = plan_on_postgres(database.url(), &query).join("\n");
        assert!(plan.contains("alerts_texts_"), "{query}\n{plan}");
    }
}
