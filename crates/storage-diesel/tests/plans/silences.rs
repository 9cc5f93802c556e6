//! Silences and expiries: each query and each change reads the index that is meant for it, however many there are.

use alert_intake::model::{AlertExpiry, AlertIdentity};
use alert_intake::store::SilenceRepository;
use api_conventions::ids::{AlertId, IntegrationId, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, insert_alerts, plan_on_postgres,
    plan_on_sqlite, postgres, sqlite,
};

/// Silences of a hundred projects, of which some are due, and an expiry of each alert. `NUMBERS` marks the place where the
/// database counts, and `BYTES` that of an identity.
const INSERT: &str = "INSERT INTO alert_silences (project_id, matchers, starts_at, ends_at, created_by, comment, updated_at, \
    due_at) SELECT value % 100 + 1, '[]', 0, value, '', '', 0, CASE WHEN value % 50 = 0 THEN value END FROM NUMBERS; \
    INSERT INTO alert_expiries (project_id, identity, integration_id, expires_at) \
    SELECT value % 100 + 1, BYTES, 1, value FROM NUMBERS;";

const ROWS: i64 = 5_000;

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

/// Runs all queries, and the changes that look for rows.
fn work<Tx: SilenceRepository + ?Sized>(tx: &mut Tx) -> Result<(), StoreError> {
    let ids: Vec<AlertId> = (1..20).map(AlertId::new).collect();
    assert_eq!(tx.list_alerts_with_payloads(&ids)?.len(), 19);
    assert_eq!(tx.find_silence(PROJECT, SilenceId::new(100_000))?, None);
    assert_eq!(tx.list_silences(&[PROJECT], at(0), 10)?.len(), 10);
    let projects = [PROJECT, ProjectId::new(3)];
    assert_eq!(tx.list_silences(&projects, at(ROWS - 300), 10)?.len(), 6);
    assert_eq!(tx.list_due_silences(at(500), 3)?.len(), 3);
    assert_eq!(tx.delete_silences_before(at(100), 10)?, 10);
    assert_eq!(tx.list_due_expiries(at(40), 7)?.len(), 7);
    let expiry = AlertExpiry {
        project_id: PROJECT,
        identity: AlertIdentity::from_bytes([7; 32]),
        integration_id: IntegrationId::new(1),
        expires_at: at(1),
    };
    tx.put_expiries(&[expiry])?;
    tx.delete_expiries(&[(PROJECT, expiry.identity)])?;
    tx.postpone_expiries(at(5))?;
    tx.delete_silences_of(PROJECT, 10).map(drop)
}

fn statements<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::WriteTx<'t>: SilenceRepository,
{
    let (done, mut texts) = texts_of(turn, || store.write(|tx| work(tx)).wait());
    done.unwrap();
    texts.retain(|text| text.contains("alert_") || text.contains("FROM \"alerts\""));
    assert!(texts.len() > 10, "{texts:#?}");
    texts
}

#[test]
fn silences_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    insert_alerts(&store, 100);
    let insert = INSERT.replace("BYTES", "CAST(printf('%032d', value) AS BLOB)");
    fill_sqlite(&file, &insert, ROWS);
    for statement in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &statement);
        let is_scan = |step: &String| step.starts_with("SCAN ") && !step.contains("json_each");
        assert!(!plan.iter().any(is_scan), "{statement}\n{plan:#?}");
    }
}

#[test]
fn silences_are_read_from_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    insert_alerts(&store, 100);
    let insert = INSERT.replace("BYTES", "CAST(lpad(CAST(value AS TEXT), 32, '0') AS BYTEA)");
    fill_postgres(&database, &insert, ROWS);
    for statement in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &statement);
        let is_scan = |line: &String| {
            line.contains("Seq Scan on alert_silences")
                || line.contains("Seq Scan on alert_expiries")
        };
        assert!(!plan.iter().any(is_scan), "{statement}\n{plan:#?}");
    }
}
