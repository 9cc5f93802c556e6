//! Environments with their alerts, errors and deployments, and old alerts and receipts, among very many rows.

use alert_intake::model::{AlertFilter, AlertOrder, Severity};
use alert_intake::store::{AlertQueries, AlertRepository};
use api_conventions::ids::{AlertId, EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, SortOrder};
use api_conventions::time::Timestamp;
use error_tracking::store::ErrorQueries;
use pipelines::model::EnvironmentState;
use pipelines::store::{DeploymentQueries, EnvironmentQueries};
use projects::NoteRepository;
use storage::{Store, StoreError};

use crate::recorder::{Turn, statements_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, pages_touched, plan_on_sqlite, postgres,
    sqlite,
};

/// Number of rows of each kind: half are of the first project.
const ROWS: i64 = 60_000;
/// Most pages that a statement may read. The counts of the dashboard read up to 100 alerts of each severity of each of nine
/// environments.
const MAX_PAGES: i64 = 9 * 6 * 100 + 1000;

/// Alerts of 20 environments, of which half are open, with receipts; errors; environments with many deployments.
const INSERT: &str = "INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
    description, severity, status, service, monitoring_tool, hosts, environment_name, started_at, last_started_at, ended_at, \
    occurrences, deliveries, payload, created_at, updated_at, last_start_stated, assignee_id, resolved_by_hand) \
    SELECT value, CASE WHEN value % 2 = 0 THEN 1 ELSE 2 + value % 600 END, value, 1, \
    CAST('identity ' || value AS IDENTITY), value, 0, 'Disk ' || value, '', value / 80 % 6, value / 20 % 4, 'service', '', '[]', \
    'env ' || (value % 20), value, value, CASE WHEN value / 20 % 4 = 2 THEN value END, 1, 1, '{}', value, value, TRUE, NULL, FALSE FROM NUMBERS; \
    INSERT INTO alert_receipts (RECEIPT_ID project_id, integration_id, received_at, body_bytes, created, counted, resolved, repeated, \
    truncated_alerts, notes) SELECT RECEIPT_VALUE CASE WHEN value % 2 = 0 THEN 1 ELSE 2 + value % 600 END, 1, value, 1, 1, 0, 0, 0, 0, '[]' \
    FROM NUMBERS; \
    INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, events, users) \
    SELECT 1, value, value % 3, 'error ' || value, '', 40, 'rust', value, value, 1, 1 FROM NUMBERS; \
    INSERT INTO error_keys (project_id, group_key, error_id, explanation, first_seen, events, kept) \
    SELECT 1, CAST('key ' || value AS IDENTITY), value, '{}', value, 1, 1 FROM NUMBERS; \
    INSERT INTO error_tags (key_id, name, value, project_id, events, last_seen) \
    SELECT value, 'environment', 'env ' || (value % 20), 1, 1, 1 FROM NUMBERS; \
    INSERT INTO environments (project_id, name, slug, state, tier, created_at, updated_at) \
    SELECT 1, 'env ' || value, 'env-' || value, value % 2, 4, value, value FROM NUMBERS; \
    INSERT INTO deployments (project_id, iid, environment_id, sha, reference, tag, created_at, status, updated_at, finished_at) \
    SELECT 1, value, 1 + value % 7, 'sha', 'ref ' || value, FALSE, value, value % 5, value, value FROM NUMBERS; \
    INSERT INTO notes (project_id, noteable_type, noteable_id, noteable_iid, author_id, system, internal, created_at, body, \
    updated_at) SELECT 1, 1, value, value, 1, TRUE, FALSE, value, 'x', value FROM NUMBERS;";

/// Filters by environment in every order, with and without a status and a severity.
fn filters() -> Vec<AlertFilter> {
    let mut filters = Vec::new();
    for (statuses, severities) in [
        (vec![], vec![]),
        (vec![0, 1], vec![]),
        (vec![2], vec![Severity::High]),
    ] {
        for order_by in [
            AlertOrder::Created,
            AlertOrder::StartedAt,
            AlertOrder::UpdatedAt,
            AlertOrder::Severity,
            AlertOrder::Occurrences,
        ] {
            for sort in [SortOrder::Ascending, SortOrder::Descending] {
                filters.push(AlertFilter {
                    environment: Some("env 6".to_owned()),
                    statuses: statuses.clone(),
                    severities: severities.clone(),
                    order_by,
                    sort,
                    ..AlertFilter::new(PROJECT)
                });
            }
        }
    }
    filters
}

/// Runs everything that the dashboard and the cleanup read, and returns the statements with their values.
fn statements<S>(turn: &Turn, store: &S) -> Vec<(String, String)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AlertQueries + ErrorQueries + EnvironmentQueries + DeploymentQueries,
    for<'t> S::WriteTx<'t>: AlertRepository + NoteRepository,
{
    let read = || {
        store
            .read(|tx| {
                for filter in filters() {
                    let page = tx.list_alerts(&filter, OffsetPage::new(2, 5))?;
                    assert_eq!(page.items.len(), 5, "{filter:?}");
                }
                let names = tx.list_alert_environments(PROJECT, "env 1", 21)?;
                let places: Vec<(ProjectId, String)> =
                    names.into_iter().map(|name| (PROJECT, name)).collect();
                // The alerts of the first project have even numbers, and those of each environment have every status in turn.
                assert_eq!(places.len(), 9, "{places:?}");
                let counts = tx.count_open_alerts(&places)?;
                assert!(counts.iter().any(|counts| counts.worst().is_some()));
                let oldest = tx.find_oldest_resolved(Some(ProjectId::new(0)))?;
                assert!(oldest.and_then(|oldest| oldest.updated_at).is_some());
                let before = Timestamp::from_micros(30_000).unwrap();
                assert_eq!(tx.list_resolved_before(PROJECT, before, 50)?.len(), 50);
                assert!(tx.find_oldest_receipt(Some(PROJECT))?.is_some());
                let since = Timestamp::from_micros(1000).unwrap();
                let errors = tx.count_new_errors_by_environment(PROJECT, since, 50)?;
                assert_eq!(errors.iter().map(|(_, count)| count).sum::<i64>(), 50);
                let state = EnvironmentState::Available;
                let listed = tx.list_environments_by_name(PROJECT, state, "env 2", 20)?;
                assert_eq!(listed.len(), 20);
                let registered: Vec<String> = places.into_iter().map(|(_, name)| name).collect();
                assert_eq!(tx.list_environments_named(PROJECT, &registered)?.len(), 9);
                let ids: Vec<EnvironmentId> = (1..9).map(EnvironmentId::new).collect();
                assert_eq!(tx.list_last_deployments(&ids)?.len(), 7);
                Ok::<_, StoreError>(())
            })
            .wait()
    };
    let (outcome, mut all) = statements_of(turn, read);
    outcome.unwrap();
    let write = || {
        store
            .write(|tx| {
                let before = Timestamp::from_micros(30_000).unwrap();
                let old: Vec<AlertId> = tx.list_resolved_before(PROJECT, before, 20)?;
                assert_eq!(tx.delete_notes_on_alerts(&old, 50)?, 20);
                assert_eq!(tx.delete_resolved_alerts(PROJECT, &old)?, 20);
                assert_eq!(tx.delete_unused_search_parts(PROJECT, 50)?, 0);
                assert_eq!(tx.delete_receipts_before(PROJECT, before, 50)?, 50);
                Ok::<_, StoreError>(())
            })
            .wait()
    };
    let (outcome, texts) = statements_of(turn, write);
    outcome.unwrap();
    all.extend(texts);
    let is_statement = |text: &str| {
        ["SELECT", "WITH", "DELETE", "("]
            .iter()
            .any(|word| text.trim_start().starts_with(word))
    };
    all.retain(|(text, _)| is_statement(text));
    assert!(all.len() > 50, "{}", all.len());
    all
}

#[test]
fn the_dashboard_and_the_cleanup_read_places_of_an_index_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    let insert = INSERT.replace("IDENTITY", "BLOB");
    let insert = insert
        .replace("RECEIPT_ID ", "id, ")
        .replace("RECEIPT_VALUE ", "value, ");
    drop(fill_sqlite(&file, &insert, ROWS));
    for (query, _) in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_whole = |step: &String| {
            let step = step.split(" USING ").next().unwrap_or_default();
            let tables = [
                "alerts",
                "a",
                "alert_receipts",
                "alert_search",
                "environments",
                "deployments",
                "d",
                "errors",
                "k",
                "t",
                "notes",
            ];
            step.strip_prefix("SCAN ")
                .is_some_and(|table| tables.contains(&table))
        };
        // Of the alerts of a project in one status, only those of one environment are read.
        let is_wide = |step: &String| {
            step.contains(" alerts USING") && step.ends_with("(project_id=? AND status=?)")
        };
        assert!(
            !plan.iter().any(|step| is_whole(step) || is_wide(step)),
            "{query}\n{plan:#?}"
        );
    }
}

#[test]
fn the_dashboard_and_the_cleanup_read_places_of_an_index_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let insert = INSERT.replace("IDENTITY", "BYTEA");
    let insert = insert
        .replace("RECEIPT_ID ", "")
        .replace("RECEIPT_VALUE ", "");
    let mut connection = fill_postgres(&database, &insert, ROWS);
    for (query, values) in statements(&turn, &store) {
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let (touched, plan) = pages_touched(&mut connection, &query, &values, mode);
            assert!(touched <= MAX_PAGES, "{touched}\n{query}\n{plan:#?}");
            let is_scan = |line: &String| line.contains("Seq Scan on");
            assert!(!plan.iter().any(is_scan), "{query}\n{plan:#?}");
        }
    }
}
