//! Both databases end in the same state as an in-memory one. With PostgreSQL, the transaction of a group defers its
//! writes and prefetches rows, which must not be observable.

use std::collections::BTreeMap;

use alert_intake::flow::receive::AlertChangeKind;
use alert_intake::model::AlertStatus;
use api_conventions::ids::AlertId;
use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use test_databases::TestDatabase;

use super::*;

impl ObservedRows {
    /// Numbers the ids of alerts from 1: there may be gaps between them.
    fn counted(mut self) -> Self {
        let mut ids: Vec<i64> = self.alerts.iter().map(|alert| alert.id.get()).collect();
        ids.sort_unstable();
        let places: BTreeMap<i64, i64> = ids.into_iter().zip(1..).collect();
        for alert in &mut self.alerts {
            alert.id = AlertId::new(places[&alert.id.get()]);
        }
        for outcome in self.answers.iter_mut().flatten() {
            for change in &mut outcome.changes {
                change.alert_id = AlertId::new(places[&change.alert_id.get()]);
            }
        }
        for target in self
            .events
            .iter_mut()
            .filter_map(|event| event.target.as_mut())
            .filter(|target| target.kind == TargetType::Alert)
        {
            target.id = places[&target.id];
        }
        self
    }
}

fn on_sqlite(groups: &[&[Post]]) -> ObservedRows {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    test_databases::prepared_file(&file, |path| {
        let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
        store.migrate().unwrap();
        store.close();
    });
    let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
    run_on(&store, groups.iter().copied()).counted()
}

fn server(url: &str) -> PostgresStore {
    PostgresStore::open(url, PostgresOptions::default()).unwrap()
}

/// Runs on PostgreSQL; `None` if there is no server.
fn on_postgres(groups: &[&[Post]]) -> Option<ObservedRows> {
    let database = TestDatabase::prepared(|url| server(url).migrate().unwrap())?;
    Some(run_on(&server(database.url()), groups.iter().copied()).counted())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn both_databases_match_the_in_memory_result(
        posts in posts(), marks in proptest::collection::vec(any::<bool>(), 9),
    ) {
        let groups = split(&posts, &marks);
        let expected = run_fresh(groups.iter().copied()).counted();
        prop_assert_eq!(&on_sqlite(&groups), &expected);
        if let Some(seen) = on_postgres(&groups) {
            prop_assert_eq!(&seen, &expected);
        }
    }
}

/// An alert that ends and a new one of the same identity compete for the same place in an index.
#[test]
fn resolving_and_refiring_in_one_batch_creates_a_new_alert() {
    let post = |second, start, end| Post {
        project: PROJECTS[0],
        author: 1,
        second,
        key: None,
        alerts: vec![alert(1, Source::Metrics, Some(start), end)],
        acknowledged: None,
    };
    let groups: [&[Post]; 2] = [
        &[post(10, 10, None)],
        &[
            post(20, 10, Some(15)),
            post(30, 25, None),
            post(40, 25, Some(35)),
            post(50, 45, None),
        ],
    ];
    let expected = run_fresh(groups).counted();
    let open = expected
        .alerts
        .iter()
        .filter(|alert| alert.status == AlertStatus::Triggered);
    assert_eq!((expected.alerts.len(), open.count()), (3, 1));
    let changes = expected
        .answers
        .iter()
        .flatten()
        .flat_map(|outcome| &outcome.changes);
    let ends = changes.filter(|change| change.kind == AlertChangeKind::Resolved);
    assert_eq!(ends.count(), 2);
    assert_eq!(on_sqlite(&groups), expected);
    if let Some(seen) = on_postgres(&groups) {
        assert_eq!(seen, expected);
    }
}

/// More new alerts in one POST than a transaction defers at once.
#[test]
fn a_large_post_is_stored_whole() {
    let alerts = (0..90_u32).map(|number| {
        let mut alert = alert(0, Source::Generic, None, None);
        let mut identity = [0; 32];
        identity[..4].copy_from_slice(&number.to_be_bytes());
        alert.identity = AlertIdentity::from_bytes(identity);
        alert.payload = "x".repeat(20_000);
        alert
    });
    let post = Post {
        project: PROJECTS[0],
        author: 1,
        second: 10,
        key: Some(("k", "b")),
        alerts: alerts.collect(),
        acknowledged: None,
    };
    let groups: [&[Post]; 1] = [&[post]];
    let expected = run_fresh(groups).counted();
    assert_eq!(on_sqlite(&groups), expected);
    if let Some(seen) = on_postgres(&groups) {
        assert_eq!(seen, expected);
    }
}
