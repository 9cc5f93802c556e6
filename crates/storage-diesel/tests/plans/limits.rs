//! What one request may examine.

use alert_intake::model::{AlertFilter, AlertOrder};
use alert_intake::store::{AlertQueries as _, AlertRepository as _};
use api_conventions::page::{OffsetPage, Total};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use storage::{Store as _, StoreErrorKind};

use crate::recorder::Turn;
use crate::stores::{PROJECT, sqlite};

/// One more than one request may examine.
const MANY: i64 = 100_001;

/// Alerts whose titles end in their numbers, and which are all alike otherwise.
const INSERT: &str = "INSERT INTO alerts SELECT value, 1, value, 1, CAST('identity ' || value AS BLOB), value, 0, \
    'Disk ' || value, '', 0, 2, 'service', '', '[]', NULL, value, value, value, 1, 1, '{}', value, value, TRUE FROM \
    (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 100001) SELECT value FROM n);";

#[test]
fn a_list_that_would_examine_too_much_is_refused_and_one_within_the_limit_is_not() {
    let _turn = Turn::take();
    let (store, file, _directory) = sqlite();
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection.batch_execute(INSERT).unwrap();
    let list = |filter: AlertFilter| {
        store
            .read(move |tx| tx.list_alerts(&filter, OffsetPage::new(1, 2)))
            .wait()
    };
    let search = |text: &str, order_by| AlertFilter {
        search: Some(text.to_owned()),
        order_by,
        ..AlertFilter::new(PROJECT)
    };
    let by_update = AlertFilter {
        order_by: AlertOrder::UpdatedAt,
        ..AlertFilter::new(PROJECT)
    };
    let refused = [
        by_update.clone(),
        search("nothing", AlertOrder::Created),
        search("disk", AlertOrder::StartedAt),
        // One hit, which does not fill the page.
        search("Disk 77777", AlertOrder::Created),
    ];
    for filter in refused {
        let refused = list(filter.clone()).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork, "{filter:?}");
    }
    let first = list(search("disk", AlertOrder::Created)).unwrap();
    assert_eq!(first.total, Total::Beyond);
    let some = list(search("Disk 10000", AlertOrder::Created)).unwrap();
    assert_eq!(
        (some.items.len(), some.has_next, some.total),
        (2, true, Total::Uncounted)
    );
    // What no alert has is known from the index, whatever the order.
    let none = AlertFilter {
        statuses: vec![1],
        ..by_update
    };
    assert_eq!(list(none).unwrap().total, Total::Exact(0));
    connection
        .batch_execute(&format!("DELETE FROM alerts WHERE id = {MANY}"))
        .unwrap();
    for filter in [
        search("nothing", AlertOrder::Created),
        search("nothing", AlertOrder::StartedAt),
    ] {
        assert_eq!(list(filter).unwrap().total, Total::Exact(0));
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
        "the last ones are not prepared"
    );
}
