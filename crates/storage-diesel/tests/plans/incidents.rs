//! Incidents of alerts: the settings, the links and the alerts of an incident are read from their indexes.

use alert_intake::store::IncidentQueries;
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Total};
use storage::Store;

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, insert_alerts, plan_on_postgres,
    plan_on_sqlite, postgres, sqlite,
};

/// Links of all alerts to a hundred incidents, and settings of as many projects as there are alerts. `NUMBERS` marks the
/// place where the database counts.
const INSERT: &str = "INSERT INTO alert_incidents (alert_id, project_id, issue_id) \
    SELECT value, 1, value % 100 + 1 FROM NUMBERS; \
    INSERT INTO incident_settings (project_id, create_incidents, severities, template, close_incidents) \
    SELECT value, TRUE, 63, '', TRUE FROM NUMBERS;";

const ROWS: i64 = 3_000;
/// Incident whose alerts are triggered.
const INCIDENT: IssueId = IssueId::new(5);

/// Runs all queries, and returns their statements.
fn reads<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: IncidentQueries,
{
    let (listed, queries) = queries_of(turn, || {
        let listed = store.read(|tx| {
            tx.list_incident_settings(&[PROJECT, ProjectId::new(9)])?;
            tx.list_incident_links(&[AlertId::new(5), AlertId::new(6)])?;
            tx.list_alerts_of_incident_after(INCIDENT, AlertId::new(100), 10)?;
            let open = tx.list_incidents_with_open_alerts(&[INCIDENT])?;
            let page = tx.list_alerts_of_incident(INCIDENT, OffsetPage::new(2, 10))?;
            Ok::<_, storage::StoreError>((open.len(), page.total))
        });
        listed.wait()
    });
    assert_eq!(listed.unwrap(), (1, Total::Exact(30)));
    queries
}

#[test]
fn incidents_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    insert_alerts(&store, ROWS);
    fill_sqlite(&file, INSERT, ROWS);
    for query in reads(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // The rows of a count are those of a search in an index, up to its limit.
        let scans = |step: &String| {
            step.starts_with("SCAN ") && step != "SCAN counted" && !step.contains("json_each")
        };
        let is_wrong = |step: &String| step.contains("TEMP B-TREE") || scans(step);
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn incidents_are_read_from_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    insert_alerts(&store, ROWS);
    fill_postgres(&database, INSERT, ROWS);
    for query in reads(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Sort") || line.contains("Seq Scan");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
