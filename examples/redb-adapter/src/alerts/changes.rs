//! Changes of a write transaction. Only one runs at a time, so values that a method has read are still current when it
//! writes.

use std::ops::Bound;

use alert_intake::model::{
    AlertIdentity, AlertNumbers, AlertProgress, AlertRevision, AlertStatus, Heartbeat,
    IdempotencyRecord, Integration, IntegrationChange, KnownAlert, NewAlert, NewIntegration,
    NewReceipt, Receipt, StatusChange, TriageChange,
};
use alert_intake::search::SearchPart;
use alert_intake::store::{AlertQueries as _, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, ReceiptId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use redb::WriteTransaction;
use storage::{StoreError, StoreErrorKind};

use super::{
    ALERT_KEYS, ALERTS, AlertRecord, ENDPOINT_IDS, ENDPOINTS, EVERY_PROJECT, HEARTBEATS,
    IDEMPOTENCY_RECORDS, IDENTITIES, IDS, IIDS, LATEST_PAYLOADS, PAYLOADS, RECEIPT_IDS, RECEIPTS,
    REFUSED,
};
use crate::transaction::RedbTx;

impl AlertRepository for RedbTx<'_, WriteTransaction> {
    fn lock_alerts(&mut self, _projects: &[ProjectId]) -> Result<(), StoreError> {
        Ok(())
    }

    fn list_latest_by_identity(
        &mut self,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<Vec<KnownAlert>, StoreError> {
        let mut found = Vec::new();
        for (project, identity) in identities {
            let key = (project.get(), identity.as_bytes().as_slice());
            if let Some(identity_alerts) = self.get(&IDENTITIES, key)? {
                let iid = identity_alerts.open.unwrap_or(identity_alerts.last);
                let row = self.get(&ALERTS, (project.get(), iid.get()))?;
                found.extend(row.map(AlertRecord::into_known_alert));
            }
        }
        Ok(found)
    }

    fn reserve_alert_numbers(
        &mut self,
        requested: &[(ProjectId, i64)],
    ) -> Result<Vec<AlertNumbers>, StoreError> {
        let reserve = |&(project_id, count): &(ProjectId, i64)| {
            Ok(AlertNumbers {
                project_id,
                first_id: AlertId::new(self.reserve(IDS, EVERY_PROJECT, count)?),
                first_iid: AlertIid::new(self.reserve(IIDS, project_id.get(), count)?),
                count,
            })
        };
        requested.iter().map(reserve).collect()
    }

    fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError> {
        for new in alerts {
            let row = AlertRecord {
                summary: new.alert.summary.clone(),
                identity: new.identity,
                resolved_by_hand: false,
                report: new.report,
                reported_severity: new.alert.summary.severity,
            };
            let (id, key) = (row.summary.id, (row.summary.project_id, row.summary.iid));
            let is_taken = self.get(&ALERT_KEYS, id.get())?.is_some()
                || self.get(&ALERTS, row.key())?.is_some()
                || row.summary.status.is_open() && self.other_open(&row)?.is_some();
            if is_taken {
                return Err(StoreError::new(StoreErrorKind::Conflict, "insert alerts"));
            }
            self.put(&ALERT_KEYS, id.get(), &key)?;
            self.put(&PAYLOADS, row.key(), &new.alert.payload)?;
            if let Some(latest) = &new.alert.latest_payload {
                self.put(&LATEST_PAYLOADS, row.key(), latest)?;
            }
            self.put_alert(&row)?;
        }
        Ok(())
    }

    fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError> {
        for step in progress {
            let Some((project, iid)) = self.get(&ALERT_KEYS, step.id.get())? else {
                continue;
            };
            let Some(mut row) = self.get(&ALERTS, (project.get(), iid.get()))? else {
                continue;
            };
            let summary = &mut row.summary;
            summary.occurrences = summary.occurrences.saturating_add(step.occurrences);
            summary.deliveries = summary.deliveries.saturating_add(step.deliveries);
            summary.flaps = summary.flaps.saturating_add(step.flaps);
            summary.last_start = step.last_start;
            summary.stale_at = step.stale_at;
            if let (true, Some(ended_at)) = (summary.status.is_open(), step.resolved_at) {
                summary.status = AlertStatus::Resolved { ended_at };
            }
            summary.updated_at = summary.updated_at.max(step.updated_at);
            row.resolved_by_hand &= !step.confirms_end;
            self.put_alert(&row)?;
        }
        Ok(())
    }

    fn revise_alerts(&mut self, revisions: &[AlertRevision]) -> Result<(), StoreError> {
        for newest in revisions {
            let Some((project, iid)) = self.get(&ALERT_KEYS, newest.id.get())? else {
                continue;
            };
            let key = (project.get(), iid.get());
            let Some(mut row) = self.get(&ALERTS, key)? else {
                continue;
            };
            let summary = &mut row.summary;
            summary.title.clone_from(&newest.title);
            summary.description.clone_from(&newest.description);
            summary.service.clone_from(&newest.service);
            summary.monitoring_tool.clone_from(&newest.monitoring_tool);
            summary.hosts.clone_from(&newest.hosts);
            summary
                .environment_name
                .clone_from(&newest.environment_name);
            summary.severity = newest.severity;
            row.reported_severity = newest.reported_severity;
            row.report = newest.report;
            self.put(&LATEST_PAYLOADS, key, &newest.payload)?;
            self.put_alert(&row)?;
        }
        Ok(())
    }

    fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError> {
        let key = (change.project_id.get(), change.iid.get());
        let Some(mut row) = self.get(&ALERTS, key)? else {
            return Ok(SetStatus::NotFound);
        };
        if change.status.is_open()
            && let Some(open) = self.other_open(&row)?
        {
            return Ok(SetStatus::IdentityOpen(open));
        }
        row.summary.status = change.status;
        row.resolved_by_hand = !change.status.is_open();
        row.summary.updated_at = row.summary.updated_at.max(change.at);
        self.put_alert(&row)?;
        Ok(SetStatus::Changed)
    }

    fn set_alert_triage(&mut self, change: &TriageChange) -> Result<bool, StoreError> {
        let key = (change.project_id.get(), change.iid.get());
        let Some(mut row) = self.get(&ALERTS, key)? else {
            return Ok(false);
        };
        row.summary.severity = change.severity;
        row.summary.assignee_id = change.assignee_id;
        row.summary.updated_at = row.summary.updated_at.max(change.at);
        self.put_alert(&row)?;
        Ok(true)
    }

    fn unassign_alerts_of(&mut self, assignee: UserId, limit: usize) -> Result<usize, StoreError> {
        self.unassign_alerts(assignee, limit)
    }

    fn insert_receipts(&mut self, receipts: &[NewReceipt]) -> Result<(), StoreError> {
        for new in receipts {
            let id = ReceiptId::new(self.reserve(RECEIPT_IDS, EVERY_PROJECT, 1)?);
            if new.refusal.is_some() {
                let refused = (new.integration_id.get(), new.received_at.as_micros());
                self.put(&REFUSED, (refused.0, refused.1, id.get()), &id)?;
            }
            let receipt = new.clone();
            let row = Receipt { id, receipt };
            self.put(&RECEIPTS, (new.project_id.get(), id.get()), &row)?;
        }
        Ok(())
    }

    fn list_refused_receipts(
        &mut self,
        endpoint: IntegrationId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<ReceiptId>, StoreError> {
        let endpoint = endpoint.get();
        let keys = (
            Bound::Excluded((endpoint, since.as_micros(), i64::MAX)),
            Bound::Included((endpoint, i64::MAX, i64::MAX)),
        );
        self.first(&REFUSED, keys, SortOrder::Descending, limit)
    }

    fn count_refusal(&mut self, project: ProjectId, receipt: ReceiptId) -> Result<(), StoreError> {
        let Some(mut row) = self.find_receipt(project, receipt)? else {
            return Ok(());
        };
        if let Some(refusal) = &mut row.receipt.refusal {
            refusal.further = refusal.further.saturating_add(1);
            self.put(&RECEIPTS, (project.get(), receipt.get()), &row)?;
        }
        Ok(())
    }

    fn insert_search_part(&mut self, _part: &SearchPart) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn put_idempotency_records(&mut self, records: &[IdempotencyRecord]) -> Result<(), StoreError> {
        for record in records {
            let key = record.key.key.as_bytes().as_slice();
            self.put(
                &IDEMPOTENCY_RECORDS,
                (record.integration_id.get(), key),
                record,
            )?;
        }
        Ok(())
    }

    fn delete_idempotency_records(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.delete_idempotency_records_before(before, limit)
    }

    fn delete_alerts_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        self.delete_project(project, limit)
    }

    fn delete_resolved_alerts(
        &mut self,
        project: ProjectId,
        ids: &[AlertId],
    ) -> Result<usize, StoreError> {
        self.delete_resolved(project, ids)
    }

    /// Deletes nothing: there is no search index.
    fn delete_unused_search_parts(&mut self, _: ProjectId, _: usize) -> Result<usize, StoreError> {
        Ok(0)
    }

    fn delete_receipts_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        self.delete_first_receipts(project, before, limit)
    }

    fn insert_integration(
        &mut self,
        new: &NewIntegration,
    ) -> Result<InsertIntegration, StoreError> {
        let key = (new.project_id.get(), new.endpoint_identifier.as_bytes());
        if self.get(&ENDPOINTS, key)?.is_some() {
            return Ok(InsertIntegration::IdentifierTaken);
        }
        let id = IntegrationId::new(self.reserve(ENDPOINT_IDS, EVERY_PROJECT, 1)?);
        let row = Integration {
            id,
            project_id: new.project_id,
            source: new.source,
            name: new.name.clone(),
            endpoint_identifier: new.endpoint_identifier.clone(),
            active: new.active,
            key: new.key,
            retired_key: None,
            settings: new.settings.clone(),
            created_at: new.created_at,
        };
        self.put(&ENDPOINTS, key, &row)?;
        Ok(InsertIntegration::Inserted(id))
    }

    fn put_heartbeat(&mut self, heartbeat: &Heartbeat) -> Result<(), StoreError> {
        let key = (heartbeat.project_id.get(), heartbeat.integration_id.get());
        self.put(&HEARTBEATS, key, heartbeat)
    }

    fn delete_heartbeat(
        &mut self,
        project: ProjectId,
        endpoint: IntegrationId,
    ) -> Result<(), StoreError> {
        let key = (project.get(), endpoint.get());
        self.remove(&HEARTBEATS, key)
    }

    fn postpone_heartbeats(&mut self, start: Timestamp) -> Result<(), StoreError> {
        let due = self.list_due_heartbeats(Timestamp::MAX, usize::MAX)?;
        for heartbeat in due {
            let whole = start.plus_seconds(heartbeat.patience);
            if heartbeat.due_at < Some(whole) {
                let due_at = Some(whole);
                self.put_heartbeat(&Heartbeat {
                    due_at,
                    ..heartbeat
                })?;
            }
        }
        Ok(())
    }

    fn update_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
        change: IntegrationChange,
    ) -> Result<Option<Integration>, StoreError> {
        let key = (project.get(), endpoint_identifier.as_bytes());
        let Some(mut row) = self.get(&ENDPOINTS, key)? else {
            return Ok(None);
        };
        match change {
            IntegrationChange::Active(active) => row.active = active,
            IntegrationChange::Key { key, retired } => {
                row.key = key;
                row.retired_key = retired;
            }
            IntegrationChange::Details {
                name,
                active,
                settings,
            } => {
                row.name = name;
                row.active = active;
                row.settings = settings;
            }
        }
        self.put(&ENDPOINTS, key, &row)?;
        Ok(Some(row))
    }

    fn delete_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<bool, StoreError> {
        let key = (project.get(), endpoint_identifier.as_bytes());
        let Some(endpoint) = self.get(&ENDPOINTS, key)? else {
            return Ok(false);
        };
        self.remove(&ENDPOINTS, key)?;
        self.remove(&HEARTBEATS, (project.get(), endpoint.id.get()))?;
        Ok(true)
    }
}
