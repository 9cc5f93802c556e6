//! Pages of a large PostgreSQL database that each statement of a page or a write touches: the actual statements with
//! the actual values, planned for these values and for any values, before and after the server has analyzed its rows.
//!
//! These tests find plans that only look right: a read through an index whose first column the statement does not name
//! looks like an index scan and reads the whole index for each row.

use alert_intake::model::{AlertFilter, AlertOrder, AlertStatus, StatusChange};
use alert_intake::store::{AlertQueries as _, AlertRepository as _};
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::page::{OffsetPage, SortOrder};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::PgConnection;
use diesel::connection::SimpleConnection as _;
use events::{Action, AuthorFilter, Days, EventFilter, EventQueries, EventRepository, FeedRights};
use pipelines::flow::{ReportedStatus, set_commit_status};
use pipelines::model::CiStatus;
use pipelines::store::PipelineRepository as _;
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::recorder::{Turn, statements_of};
use crate::stores::{PROJECT, create_project, fill_postgres, pages_touched, postgres};

/// A project with receipts but no alerts.
const ONLY_RECEIPTS: ProjectId = ProjectId::new(2);

/// Rows of each table, nearly all of one project, one user, one branch and one commit.
const ROWS: i64 = 60_000;

const INSERT: &str = "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, audience, created_at) \
    SELECT 1, 1, 1 + value % 5, 1, value, value, 30, value FROM NUMBERS; \
    INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
    description, severity, status, service, monitoring_tool, hosts, environment_name, started_at, last_started_at, ended_at, \
    occurrences, deliveries, payload, created_at, updated_at, last_start_stated) \
    SELECT value, 1, value, 1, decode(md5(value::text), 'hex'), value, 0, 'Disk ' || value, '', value % 6, 2, \
    'service', '', '[]', NULL, value, value, value, 1 + value % 9, 1, '{}', value, value, TRUE FROM NUMBERS; \
    INSERT INTO alert_receipts (project_id, integration_id, received_at, body_bytes, created, counted, resolved, repeated, \
    truncated_alerts, notes) SELECT 2, 1, value, 1, 1, 0, 0, 0, 0, '[]' FROM NUMBERS; \
    INSERT INTO ci_counters (project_id, last_deployment, last_pipeline) VALUES (1, 0, 60000); \
    INSERT INTO alert_counters (project_id, next_iid) VALUES (1, 60001) ON CONFLICT (project_id) DO UPDATE SET next_iid = 60001; \
    INSERT INTO pipelines (project_id, iid, reference, tag, source, user_id, created_at, sha, status, updated_at) \
    SELECT 1, value, CASE WHEN value % 2 = 0 THEN 'main' ELSE 'ref ' || value END, FALSE, 0, 1, value, \
    CASE WHEN value % 2 = 0 THEN 'sha ' || value ELSE '0000000000000000000000000000000000000001' END, 1, value FROM NUMBERS; \
    INSERT INTO ci_jobs (project_id, pipeline_id, sha, reference, tag, name, stage, created_at, status, updated_at) \
    SELECT 1, 1 + value % 7, 'sha ' || value % 7, 'main', FALSE, 'job ' || value, 'test', value, 1, value FROM NUMBERS;";

/// Returns the pages of memory that a statement may touch: if it counts, those of 10,001 counted rows.
fn allowed(statement: &str) -> i64 {
    if statement.contains("COUNT(") {
        25_000
    } else {
        1_200
    }
}

/// Checks every statement of `work` against its limit.
fn check(turn: &Turn, connection: &mut PgConnection, name: &str, work: impl FnOnce()) -> usize {
    let ((), statements) = statements_of(turn, work);
    let mut checked = 0;
    for (text, values) in &statements {
        let verb = text
            .trim_start_matches('(')
            .split(' ')
            .next()
            .unwrap_or_default();
        if !["SELECT", "UPDATE", "DELETE"].contains(&verb) || text.contains("COMMIT") {
            continue;
        }
        checked += 1;
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let (touched, plan) = pages_touched(connection, text, values, mode);
            assert!(
                touched <= allowed(text),
                "{name}, {mode}: {touched} pages\n{text}\n{plan:#?}"
            );
        }
    }
    checked
}

#[test]
fn no_page_of_a_feed_touches_more_than_its_rows() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let mut connection = fill_postgres(&database, INSERT, ROWS);
    let page = OffsetPage::new(2, 100);
    for is_fresh in [true, false] {
        look_at_rows(&mut connection, is_fresh);
        let mut checked = 0;
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            // All of them, searched by day.
            let days = Days {
                before: CalendarDate::parse("2024-06-01"),
                after: CalendarDate::parse("1969-12-01"),
            };
            let filter = AuthorFilter {
                author_id: UserId::new(1),
                days,
                sort,
                after_id: None,
            };
            checked += check(&turn, &mut connection, "feed of a person", || {
                let listed = store.read(move |tx| tx.list_author_events(&filter, 250));
                assert_eq!(listed.wait().unwrap().len(), 250);
            });
            for action in [None, Some(Action::Created)] {
                let filter = EventFilter {
                    before: days.before,
                    after: days.after,
                    action,
                    sort,
                    ..EventFilter::new(PROJECT, FeedRights::ALL)
                };
                checked += check(&turn, &mut connection, "feed of a project", || {
                    let listed = store.read(move |tx| tx.list_project_events(&filter, page));
                    assert_eq!(listed.wait().unwrap().items.len(), 100);
                });
            }
        }
        assert!(checked > 20, "{checked}");
    }
}

#[test]
fn no_page_of_alerts_touches_more_than_its_rows() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let mut connection = fill_postgres(&database, INSERT, ROWS);
    let page = OffsetPage::new(2, 100);
    for is_fresh in [true, false] {
        look_at_rows(&mut connection, is_fresh);
        let mut checked = 0;
        for order_by in AlertOrder::NAMES {
            for sort in [SortOrder::Ascending, SortOrder::Descending] {
                let filter = AlertFilter {
                    order_by: AlertOrder::parse(order_by).unwrap(),
                    sort,
                    ..AlertFilter::new(PROJECT)
                };
                checked += check(&turn, &mut connection, order_by, || {
                    let listed = store.read(move |tx| tx.list_alerts(&filter, page));
                    let listed: Result<_, StoreError> = listed.wait();
                    assert_eq!(listed.unwrap().items.len(), 100);
                });
            }
        }
        assert!(checked > 20, "{checked}");
    }
}

/// Has the server analyze its rows, or forget its statistics.
fn look_at_rows(connection: &mut PgConnection, is_fresh: bool) {
    let text = if is_fresh {
        "DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace); \
         UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = 'public'::regnamespace"
    } else {
        "ANALYZE"
    };
    connection.batch_execute(text).unwrap();
}

fn report(name: &str, sha: &str, reference: Option<&str>) -> ReportedStatus {
    ReportedStatus {
        sha: sha.to_owned(),
        reference: reference.map(str::to_owned),
        default_branch: None,
        name: name.to_owned(),
        stage: "test".to_owned(),
        status: CiStatus::Success,
        target_url: None,
        description: None,
        coverage: None,
        pipeline_id: None,
        user_id: None,
    }
}

#[test]
fn reads_within_writes_do_not_grow_with_table_size() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let mut connection = fill_postgres(&database, INSERT, ROWS);
    let one = "0000000000000000000000000000000000000001";
    for is_fresh in [true, false] {
        look_at_rows(&mut connection, is_fresh);
        // A commit with many pipelines, on a branch with many: neither may be scanned in full.
        for (name, (sha, reference)) in [
            (
                "unknown commit of a branch",
                ("0000000000000000000000000000000000000002", Some("main")),
            ),
            ("commit of an unknown branch", (one, Some("nowhere"))),
            ("commit", (one, None)),
        ] {
            let checked = check(&turn, &mut connection, name, || {
                // A repeated report of the same status writes nothing, so each report is of a new job.
                let report = report(&format!("{name} {is_fresh}"), sha, reference);
                let now = Timestamp::from_micros(1_000_000).unwrap();
                let written = store.write(move |tx| {
                    set_commit_status(tx, PROJECT, &report, now).map_err(|error| {
                        let failure = StoreError::new(StoreErrorKind::Internal, "report");
                        failure.with_detail(format!("{error:?}"))
                    })
                });
                written.wait().unwrap();
            });
            assert!(checked >= 3, "{name}: {checked}");
        }
        let checked = check(&turn, &mut connection, "status of an alert", || {
            let change = StatusChange {
                project_id: PROJECT,
                iid: AlertIid::new(30_000),
                status: AlertStatus::Triggered,
                at: Timestamp::MIN,
            };
            let written = store.write(move |tx| tx.set_alert_status(&change));
            written.wait().unwrap();
        });
        assert!(checked >= 3, "{checked}");
        let checked = check(
            &turn,
            &mut connection,
            "entries of a project that goes",
            || {
                let written = store.write(move |tx| tx.delete_events_of(PROJECT, 100));
                assert_eq!(written.wait().unwrap(), 100);
            },
        );
        assert!(checked >= 2, "{checked}");
        let checked = check(&turn, &mut connection, "old entries", || {
            let before = Timestamp::MAX;
            let written = store.write(move |tx| tx.delete_events_before(PROJECT, before, 100));
            assert_eq!(written.wait().unwrap(), 100);
        });
        assert!(checked >= 2, "{checked}");
        let checked = check(&turn, &mut connection, "alerts and reports that go", || {
            let written: Result<_, StoreError> = store
                .write(|tx| {
                    let alerts = tx.delete_alerts_of(PROJECT, 100)?;
                    let receipts = tx.delete_alerts_of(ONLY_RECEIPTS, 100)?;
                    Ok([alerts, receipts, tx.delete_reports_of(PROJECT, 100)?])
                })
                .wait();
            assert_eq!(written.unwrap(), [100; 3]);
        });
        assert!(checked >= 2, "{checked}");
    }
}
