//! Alerts, their endpoints, receipts and idempotency records.

mod changes;
mod deletion;
mod queries;

use alert_intake::model::{
    AlertIdentity, AlertSummary, Heartbeat, IdempotencyRecord, Integration, KnownAlert, Receipt,
    ReportDigest, ReportState, Severity,
};
use api_conventions::ids::{AlertIid, ProjectId, ReceiptId};
use redb::WriteTransaction;
use serde::{Deserialize, Serialize};
use storage::StoreError;

use crate::tables::{NumberKey, RowTable, TextKey};
use crate::transaction::RedbTx;

/// Alerts without their payloads, which lists need not read.
const ALERTS: RowTable<NumberKey, AlertRecord> = RowTable::new("alerts");
/// Payloads, by the keys of their alerts.
const PAYLOADS: RowTable<NumberKey, String> = RowTable::new("alert_payloads");
/// Payloads of newest reports that say something else than the first one, by the keys of their alerts.
const LATEST_PAYLOADS: RowTable<NumberKey, String> = RowTable::new("alert_latest_payloads");
/// Project and number of each alert, by its id.
const ALERT_KEYS: RowTable<i64, (ProjectId, AlertIid)> = RowTable::new("alert_places");
/// Open and last alert of each identity.
const IDENTITIES: RowTable<TextKey, IdentityAlerts> = RowTable::new("alert_identities");
/// Endpoints, by their identifiers.
const ENDPOINTS: RowTable<TextKey, Integration> = RowTable::new("alert_integrations");
/// Heartbeats, by project and endpoint.
const HEARTBEATS: RowTable<NumberKey, Heartbeat> = RowTable::new("alert_heartbeats");
const RECEIPTS: RowTable<NumberKey, Receipt> = RowTable::new("alert_receipts");
/// Receipts of refused POSTs, by endpoint, time and id.
const REFUSED: RowTable<(i64, i64, i64), ReceiptId> = RowTable::new("alert_refused");
/// Idempotency records, by endpoint and key.
const IDEMPOTENCY_RECORDS: RowTable<TextKey, IdempotencyRecord> =
    RowTable::new("alert_kept_answers");

/// Names of the counters.
const IDS: &str = "alerts";
const IIDS: &str = "alerts of a project";
const ENDPOINT_IDS: &str = "endpoints";
const RECEIPT_IDS: &str = "receipts";
/// Project id of counters whose numbers are unique across projects.
const EVERY_PROJECT: i64 = 0;

pub(crate) fn create_tables(tx: &WriteTransaction) -> Result<(), StoreError> {
    ALERTS.create(tx)?;
    PAYLOADS.create(tx)?;
    LATEST_PAYLOADS.create(tx)?;
    ALERT_KEYS.create(tx)?;
    IDENTITIES.create(tx)?;
    ENDPOINTS.create(tx)?;
    HEARTBEATS.create(tx)?;
    RECEIPTS.create(tx)?;
    REFUSED.create(tx)?;
    IDEMPOTENCY_RECORDS.create(tx)
}

/// Stored form of an alert.
#[derive(Debug, Serialize, Deserialize)]
struct AlertRecord {
    summary: AlertSummary,
    identity: AlertIdentity,
    /// True if a user resolved the alert, and its sender has not reported the end.
    resolved_by_hand: bool,
    /// Digest of the newest report.
    report: ReportDigest,
    /// Severity according to the sender.
    reported_severity: Severity,
}

impl AlertRecord {
    fn key(&self) -> NumberKey {
        (self.summary.project_id.get(), self.summary.iid.get())
    }

    fn into_known_alert(self) -> KnownAlert {
        KnownAlert {
            project_id: self.summary.project_id,
            identity: self.identity,
            id: self.summary.id,
            iid: self.summary.iid,
            title: self.summary.title,
            status: self.summary.status,
            last_start: self.summary.last_start,
            resolved_by_hand: self.resolved_by_hand,
            report: ReportState {
                source: self.summary.source,
                digest: self.report,
                severity: self.summary.severity,
                reported_severity: self.reported_severity,
            },
            flaps: self.summary.flaps,
            hosts: self.summary.hosts,
        }
    }
}

/// The alerts of an identity that intake may apply a delivery to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct IdentityAlerts {
    /// The open alert, of which there is at most one.
    open: Option<AlertIid>,
    /// The alert that was stored last.
    last: AlertIid,
}

impl RedbTx<'_, WriteTransaction> {
    /// Writes an alert, and updates the open alert of its identity.
    fn put_alert(&self, row: &AlertRecord) -> Result<(), StoreError> {
        let (project, iid) = (row.summary.project_id.get(), row.summary.iid);
        let key = (project, row.identity.as_bytes().as_slice());
        let identity_alerts = self.get(&IDENTITIES, key)?;
        let mut identity_alerts = identity_alerts.unwrap_or(IdentityAlerts {
            open: None,
            last: iid,
        });
        identity_alerts.open = identity_alerts.open.filter(|open| *open != iid);
        if row.summary.status.is_open() {
            identity_alerts.open = Some(iid);
        }
        identity_alerts.last = identity_alerts.last.max(iid);
        self.put(&IDENTITIES, key, &identity_alerts)?;
        self.put(&ALERTS, row.key(), row)
    }

    /// Returns the open alert of the identity, unless it is the alert itself.
    fn other_open(&self, row: &AlertRecord) -> Result<Option<AlertIid>, StoreError> {
        let key = (
            row.summary.project_id.get(),
            row.identity.as_bytes().as_slice(),
        );
        let identity_alerts = self.get(&IDENTITIES, key)?;
        let open = identity_alerts.and_then(|identity_alerts| identity_alerts.open);
        Ok(open.filter(|open| *open != row.summary.iid))
    }
}
