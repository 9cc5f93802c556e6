//! Alerts, their endpoints, receipts and idempotency records.

mod changes;
mod deletion;
mod queries;

use alert_intake::model::{
    AlertIdentity, AlertSummary, Integration, KeptAnswer, KnownAlert, Receipt,
};
use api_conventions::ids::{AlertIid, ProjectId, ReceiptId};
use redb::WriteTransaction;
use serde::{Deserialize, Serialize};
use storage::StoreError;

use crate::tables::{Named, Numbered, Rows};
use crate::transaction::RedbTx;

/// Alerts without their payloads, which lists need not read.
const ALERTS: Rows<Numbered, AlertRow> = Rows::new("alerts");
/// Payloads, by the keys of their alerts.
const PAYLOADS: Rows<Numbered, String> = Rows::new("alert_payloads");
/// Project and number of each alert, by its id.
const PLACES: Rows<i64, (ProjectId, AlertIid)> = Rows::new("alert_places");
/// Open and last alert of each identity.
const IDENTITIES: Rows<Named, OfIdentity> = Rows::new("alert_identities");
/// Endpoints, by their identifiers.
const ENDPOINTS: Rows<Named, Integration> = Rows::new("alert_integrations");
const RECEIPTS: Rows<Numbered, Receipt> = Rows::new("alert_receipts");
/// Receipts of refused POSTs, by endpoint, time and id.
const REFUSED: Rows<(i64, i64, i64), ReceiptId> = Rows::new("alert_refused");
/// Idempotency records, by endpoint and key.
const ANSWERS: Rows<Named, KeptAnswer> = Rows::new("alert_kept_answers");

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
    PLACES.create(tx)?;
    IDENTITIES.create(tx)?;
    ENDPOINTS.create(tx)?;
    RECEIPTS.create(tx)?;
    REFUSED.create(tx)?;
    ANSWERS.create(tx)
}

/// Stored form of an alert.
#[derive(Debug, Serialize, Deserialize)]
struct AlertRow {
    summary: AlertSummary,
    identity: AlertIdentity,
}

impl AlertRow {
    fn key(&self) -> Numbered {
        (self.summary.project_id.get(), self.summary.iid.get())
    }

    fn known(self) -> KnownAlert {
        KnownAlert {
            project_id: self.summary.project_id,
            identity: self.identity,
            id: self.summary.id,
            iid: self.summary.iid,
            title: self.summary.title,
            status: self.summary.status,
            last_start: self.summary.last_start,
        }
    }
}

/// The alerts of an identity that intake may apply a delivery to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct OfIdentity {
    /// The open alert, of which there is at most one.
    open: Option<AlertIid>,
    /// The alert that was stored last.
    last: AlertIid,
}

impl RedbTx<'_, WriteTransaction> {
    /// Writes an alert, and updates the open alert of its identity.
    fn put_alert(&self, row: &AlertRow) -> Result<(), StoreError> {
        let (project, iid) = (row.summary.project_id.get(), row.summary.iid);
        let named = (project, row.identity.as_bytes().as_slice());
        let known = self.get(&IDENTITIES, named)?;
        let mut known = known.unwrap_or(OfIdentity {
            open: None,
            last: iid,
        });
        known.open = known.open.filter(|open| *open != iid);
        if row.summary.status.is_open() {
            known.open = Some(iid);
        }
        known.last = known.last.max(iid);
        self.put(&IDENTITIES, named, &known)?;
        self.put(&ALERTS, row.key(), row)
    }

    /// Returns the open alert of the identity, unless it is the alert itself.
    fn other_open(&self, row: &AlertRow) -> Result<Option<AlertIid>, StoreError> {
        let named = (
            row.summary.project_id.get(),
            row.identity.as_bytes().as_slice(),
        );
        let known = self.get(&IDENTITIES, named)?;
        let open = known.and_then(|known| known.open);
        Ok(open.filter(|open| *open != row.summary.iid))
    }
}
