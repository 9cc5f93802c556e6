//! Deletion of the rows of a project, and of old rows.

use std::collections::BTreeMap;
use std::ops::Bound;

use alert_intake::model::{IdempotencyRecord, Receipt};
use api_conventions::ids::{AlertId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use redb::WriteTransaction;
use storage::StoreError;

use super::{
    ALERT_KEYS, ALERTS, AlertRecord, ENDPOINTS, HEARTBEATS, IDEMPOTENCY_RECORDS, IDENTITIES, IIDS,
    IdentityAlerts, LATEST_PAYLOADS, PAYLOADS, RECEIPTS, REFUSED,
};
use crate::tables::{keys_of, text_keys_of};
use crate::transaction::{RedbTx, break_if};

const ORDER: SortOrder = SortOrder::Ascending;

impl RedbTx<'_, WriteTransaction> {
    /// Deletes at most `limit` rows of a project: alerts, receipts, and endpoints after their idempotency records.
    /// Index entries of an alert or a receipt are deleted with it and are not counted separately.
    pub(super) fn delete_project(
        &self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let keys = keys_of(project.get());
        let mut remaining = limit;
        for row in self.first(&ALERTS, keys, ORDER, remaining)? {
            self.remove_alert(&row)?;
            remaining -= 1;
        }
        for row in self.first(&RECEIPTS, keys, ORDER, remaining)? {
            self.remove_receipt(&row)?;
            remaining -= 1;
        }
        for heartbeat in self.first(&HEARTBEATS, keys, ORDER, remaining)? {
            let key = (project.get(), heartbeat.integration_id.get());
            self.remove(&HEARTBEATS, key)?;
            remaining -= 1;
        }
        for endpoint in self.first(&ENDPOINTS, text_keys_of(project.get()), ORDER, remaining)? {
            let records = text_keys_of(endpoint.id.get());
            for record in self.first(&IDEMPOTENCY_RECORDS, records, ORDER, remaining)? {
                self.remove_idempotency_record(&record)?;
                remaining -= 1;
            }
            if remaining == 0 {
                break;
            }
            let identifier = endpoint.endpoint_identifier.as_bytes();
            self.remove(&ENDPOINTS, (project.get(), identifier))?;
            remaining -= 1;
        }
        if remaining > 0 {
            self.forget_numbers(IIDS, project.get())?;
        }
        Ok(limit - remaining)
    }

    /// Removes the assignee of at most `limit` alerts of a user. Scans all alerts, because no index has assignees.
    pub(super) fn unassign_alerts(
        &mut self,
        assignee: UserId,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut found: Vec<AlertRecord> = Vec::new();
        let all = (Bound::Unbounded, Bound::Unbounded);
        self.scan(&ALERTS, all, ORDER, |row| {
            let is_full = found.len() >= limit;
            if !is_full && row.summary.assignee_id == Some(assignee) {
                found.push(row);
            }
            Ok(break_if(is_full))
        })?;
        for row in &mut found {
            row.summary.assignee_id = None;
            self.put_alert(row)?;
        }
        Ok(found.len())
    }

    /// Deletes those of these alerts of a project that are resolved. Reads all alerts of the project, for the identities
    /// that others of them have.
    pub(super) fn delete_resolved(
        &self,
        project: ProjectId,
        ids: &[AlertId],
    ) -> Result<usize, StoreError> {
        let mut deleted = 0;
        let mut identities = BTreeMap::new();
        for id in ids {
            let Some((of, iid)) = self.get(&ALERT_KEYS, id.get())? else {
                continue;
            };
            let row = self.get(&ALERTS, (of.get(), iid.get()))?;
            let is_resolved = |row: &AlertRecord| row.summary.status.ended_at().is_some();
            if let Some(row) = row.filter(|row| of == project && is_resolved(row)) {
                self.remove_alert(&row)?;
                identities.insert(row.identity, None);
                deleted += 1;
            }
        }
        self.scan(&ALERTS, keys_of(project.get()), ORDER, |row| {
            if let Some(found) = identities.get_mut(&row.identity) {
                let iid = row.summary.iid;
                let open = row.summary.status.is_open().then_some(iid);
                let before = found.take().and_then(|found: IdentityAlerts| found.open);
                *found = Some(IdentityAlerts {
                    open: before.or(open),
                    last: iid,
                });
            }
            Ok(break_if(false))
        })?;
        for (identity, found) in identities {
            let key = (project.get(), identity.as_bytes().as_slice());
            if let Some(found) = found {
                self.put(&IDENTITIES, key, &found)?;
            }
        }
        Ok(deleted)
    }

    /// Deletes the receipts before a time among the first of a project.
    pub(super) fn delete_first_receipts(
        &self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let first = self.first(&RECEIPTS, keys_of(project.get()), ORDER, limit)?;
        let old = first.iter().filter(|row| row.receipt.received_at < before);
        let mut deleted = 0;
        for row in old {
            self.remove_receipt(row)?;
            deleted += 1;
        }
        Ok(deleted)
    }

    /// Deletes idempotency records of POSTs received before a time. Scans all of them, about a day's worth.
    pub(super) fn delete_idempotency_records_before(
        &self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut late = Vec::new();
        self.scan(
            &IDEMPOTENCY_RECORDS,
            (Bound::Unbounded, Bound::Unbounded),
            ORDER,
            |row| {
                if row.received_at < before && late.len() < limit {
                    late.push(row);
                }
                Ok(break_if(late.len() == limit))
            },
        )?;
        late.iter()
            .try_for_each(|row| self.remove_idempotency_record(row))?;
        Ok(late.len())
    }

    /// Deletes an alert. Alerts are deleted in the order of their numbers, so the last one of an identity deletes the
    /// identity, too.
    fn remove_alert(&self, row: &AlertRecord) -> Result<(), StoreError> {
        let (project, iid) = row.key();
        let key = (project, row.identity.as_bytes().as_slice());
        if let Some(mut identity_alerts) = self.get(&IDENTITIES, key)? {
            if identity_alerts.last.get() <= iid {
                self.remove(&IDENTITIES, key)?;
            } else if identity_alerts.open == Some(row.summary.iid) {
                identity_alerts.open = None;
                self.put(&IDENTITIES, key, &identity_alerts)?;
            }
        }
        self.remove(&ALERT_KEYS, row.summary.id.get())?;
        self.remove(&PAYLOADS, row.key())?;
        self.remove(&LATEST_PAYLOADS, row.key())?;
        self.remove(&ALERTS, row.key())
    }

    fn remove_receipt(&self, row: &Receipt) -> Result<(), StoreError> {
        let Receipt { id, receipt } = row;
        if receipt.refusal.is_some() {
            let endpoint = receipt.integration_id.get();
            let refused = (endpoint, receipt.received_at.as_micros(), id.get());
            self.remove(&REFUSED, refused)?;
        }
        self.remove(&RECEIPTS, (receipt.project_id.get(), id.get()))
    }

    fn remove_idempotency_record(&self, row: &IdempotencyRecord) -> Result<(), StoreError> {
        let key = row.key.key.as_bytes().as_slice();
        self.remove(&IDEMPOTENCY_RECORDS, (row.integration_id.get(), key))
    }
}
