//! Lists of rows that need somebody, in very many projects, and the contributions of a year.

use alert_intake::model::{OpenAlertFilter, OpenAlertPosition, OpenStatus, Severity};
use alert_intake::store::AlertQueries;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::store::ErrorQueries;
use events::{ContributionFilter, EventQueries};
use storage::{Store, StoreError};

use crate::recorder::{Turn, statements_of};
use crate::stores::{fill_postgres, fill_sqlite, pages_touched, plan_on_sqlite, postgres, sqlite};

/// Number of projects in the set.
const PROJECTS: i64 = 5000;

/// Number of alerts, and of errors: half are of the first project, and some are of projects outside of the set.
const ROWS: i64 = 60_000;

/// Every 50th alert is triggered, and so are all of the first project. Errors regress once in a hundred times.
const INSERT: &str = "INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
    description, severity, status, service, monitoring_tool, hosts, environment_name, started_at, last_started_at, ended_at, \
    occurrences, deliveries, payload, created_at, updated_at, last_start_stated, assignee_id, resolved_by_hand) \
    SELECT value, CASE WHEN value % 2 = 0 THEN 1 ELSE 2 + value % 6000 END, value, 1, \
    CAST('identity ' || value AS IDENTITY), value, 0, 'Disk ' || value, '', value % 6, \
    CASE WHEN value % 2 = 0 OR value % 25 = 0 THEN 0 ELSE 2 END, 'service', '', '[]', NULL, value, value, NULL, 1, 1, \
    '{}', value, value, TRUE, NULL, FALSE FROM NUMBERS; \
    INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, events, users, \
    regressed_at) SELECT CASE WHEN value % 2 = 0 THEN 1 ELSE 2 + value % 6000 END, value, value % 3, 'error ' || value, '', 40, \
    'rust', value, value, 1, 1, CASE WHEN value % 100 < 2 AND value % 3 = 0 THEN value + 1000000 END FROM NUMBERS; \
    INSERT INTO contributions (user_id, day, project_id, audience, is_push, count) \
    SELECT 1 + value % 3, value / 30, value, 0, value % 2 = 0, 1 FROM NUMBERS;";

fn run<S, T: Send + 'static>(
    turn: &Turn,
    store: &S,
    work: impl for<'t> Fn(&mut S::ReadTx<'t>) -> Result<T, StoreError> + Send + 'static,
) -> (T, Vec<(String, String)>)
where
    S: Store,
{
    let (listed, statements) = statements_of(turn, || store.read(work).wait());
    let of_lists = statements.into_iter().filter(|(text, _)| {
        let tables = [
            "FROM alerts",
            "FROM errors",
            "JOIN errors",
            "JOIN alerts",
            "contributions",
        ];
        tables.iter().any(|table| text.contains(table))
    });
    (listed.unwrap(), of_lists.collect())
}

/// Runs all lists, and returns their statements with their values.
fn statements_of_lists<S>(turn: &Turn, store: &S) -> Vec<(String, String)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AlertQueries + ErrorQueries + EventQueries,
{
    let projects: Vec<ProjectId> = (1..=PROJECTS).map(ProjectId::new).collect();
    let of_alerts = OpenAlertFilter {
        projects: projects.clone(),
        status: Some(OpenStatus::Triggered),
        ..OpenAlertFilter::default()
    };
    let requested = of_alerts.clone();
    let (alerts, mut all) = run(turn, store, move |tx| tx.list_open_alerts(&requested, 7));
    let iids: Vec<i64> = alerts.iter().map(|alert| alert.iid.get()).collect();
    // Of those that are critical, which every sixth is, the earliest.
    assert_eq!(iids, [6, 12, 18, 24, 30, 36, 42]);
    let behind = OpenAlertFilter {
        status: None,
        after: alerts.first().map(OpenAlertPosition::of),
        ..of_alerts.clone()
    };
    let of_severities = OpenAlertFilter {
        severities: vec![Severity::Critical, Severity::Low],
        ..behind.clone()
    };
    for filter in [behind, of_severities] {
        let (found, statements) = run(turn, store, move |tx| tx.list_open_alerts(&filter, 7));
        assert_eq!(found.len(), 7);
        all.extend(statements);
    }
    let since = Timestamp::from_micros(1_030_000).unwrap();
    let (errors, statements) = run(turn, store, move |tx| {
        tx.list_recent_errors(&projects, since, 7)
    });
    let is_recent = |iid: &i64| iid % 3 == 0 && iid % 100 < 2 && *iid >= 30_000;
    let is_in_set = |iid: &i64| iid % 2 == 0 || 2 + iid % 6000 <= PROJECTS;
    let expected = (1..=ROWS).rev().filter(is_recent).filter(is_in_set);
    let expected: Vec<i64> = expected.take(7).collect();
    let iids: Vec<i64> = errors.iter().map(|error| error.iid.get()).collect();
    assert_eq!(iids, expected);
    all.extend(statements);
    let filter = ContributionFilter {
        user_id: UserId::new(2),
        from: CalendarDate::from_days(500).unwrap(),
        to: CalendarDate::from_days(599).unwrap(),
    };
    let (groups, statements) = run(turn, store, move |tx| tx.list_contributions(&filter, 5000));
    assert_eq!(groups.len(), 1000);
    all.extend(statements);
    assert!(all.len() >= 6, "{all:#?}");
    all
}

#[test]
fn lists_of_what_needs_somebody_read_one_place_of_an_index_for_each_project_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, &INSERT.replace("IDENTITY", "BLOB"), ROWS);
    for (query, _) in statements_of_lists(&turn, &store) {
        for step in plan_on_sqlite(&file, &query) {
            // The list of ids, and the rows found in it.
            let is_few = ["SCAN p ", "SCAN f", "SCAN of_"]
                .iter()
                .any(|few| step.starts_with(few));
            let is_search = [
                "(project_id=? AND status=?",
                "(rowid=?)",
                "(user_id=? AND day>",
            ];
            let is_search = is_search.iter().any(|found| step.contains(found));
            let is_of_rows = step.starts_with("SCAN") || step.starts_with("SEARCH");
            assert!(!is_of_rows || is_few || is_search, "{query}\n{step}");
        }
    }
}

#[test]
fn lists_of_what_needs_somebody_read_one_place_of_an_index_for_each_project_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    let statements = INSERT.replace("IDENTITY", "BYTEA");
    let mut connection = fill_postgres(&database, &statements, ROWS);
    for (query, values) in statements_of_lists(&turn, &store) {
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let (touched, plan) = pages_touched(&mut connection, &query, &values, mode);
            // A few pages for each project, however many rows it has.
            assert!(touched <= 8 * PROJECTS, "{touched}\n{query}\n{plan:#?}");
            let is_scan = |line: &String| line.contains("Seq Scan on");
            assert!(!plan.iter().any(is_scan), "{query}\n{plan:#?}");
        }
    }
}
