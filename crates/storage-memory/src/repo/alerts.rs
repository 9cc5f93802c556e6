//! Alerts, their endpoints and their receipts.

use std::collections::BTreeMap;
use std::ops::Deref;

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertOrder, AlertProgress, AlertStatus,
    AlertSummary, ContentDigest, Integration, IntegrationChange, KeptAnswer, KnownAlert, NewAlert,
    NewIntegration, NewReceipt, Receipt, StatusChange,
};
use alert_intake::search::SearchPart;
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds, page_of};

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    alerts: BTreeMap<AlertId, NewAlert>,
    ids_by_iid: BTreeMap<(ProjectId, AlertIid), AlertId>,
    ids_by_identity: BTreeMap<(ProjectId, AlertIdentity), Vec<AlertId>>,
    integrations: Table<IntegrationId, Integration>,
    receipts: Table<ReceiptId, Receipt>,
    kept_answers: BTreeMap<(IntegrationId, ContentDigest), KeptAnswer>,
    last_id: i64,
    last_iids: BTreeMap<ProjectId, i64>,
}

impl Tables {
    fn at(&self, project: ProjectId, iid: AlertIid) -> Option<&NewAlert> {
        let id = self.ids_by_iid.get(&(project, iid))?;
        self.alerts.get(id)
    }

    /// All alerts of an identity, in the order in which they were stored.
    fn of_identity(
        &self,
        project: ProjectId,
        identity: AlertIdentity,
    ) -> impl Iterator<Item = &NewAlert> {
        let ids = self.ids_by_identity.get(&(project, identity));
        ids.into_iter()
            .flatten()
            .filter_map(|id| self.alerts.get(id))
    }

    fn open_of_identity(&self, project: ProjectId, identity: AlertIdentity) -> Option<&NewAlert> {
        self.of_identity(project, identity)
            .find(|alert| alert.alert.summary.status.is_open())
    }

    fn insert(&mut self, new: &NewAlert) -> Result<(), StoreError> {
        let summary = &new.alert.summary;
        let (project, id) = (summary.project_id, summary.id);
        if self.alerts.contains_key(&id) || self.at(project, summary.iid).is_some() {
            return Err(conflict("insert an alert whose number exists"));
        }
        if summary.status.is_open() && self.open_of_identity(project, new.identity).is_some() {
            return Err(conflict("insert an open alert whose identity is open"));
        }
        self.ids_by_iid.insert((project, summary.iid), id);
        let of_identity = self
            .ids_by_identity
            .entry((project, new.identity))
            .or_default();
        of_identity.push(id);
        of_identity.sort_unstable();
        self.alerts.insert(id, new.clone());
        Ok(())
    }
}

fn matches(filter: &AlertFilter, alert: &AlertSummary) -> bool {
    let texts = [
        &*alert.title,
        &*alert.description,
        &*alert.service,
        &*alert.monitoring_tool,
    ];
    let search = filter.search.as_ref();
    alert.project_id == filter.project_id
        && (filter.statuses.is_empty() || filter.statuses.contains(&alert.status.number()))
        && (filter.severities.is_empty() || filter.severities.contains(&alert.severity))
        && search.is_none_or(|part| any_holds(&texts, part))
        && filter.after.is_none_or(|after| {
            let position = filter.order_by.position(alert);
            position.is_behind(after, filter.sort)
        })
}

/// Sorts by the column, and by the number where it is the same.
fn sort(alerts: &mut [&AlertSummary], by: AlertOrder) {
    match by {
        AlertOrder::Created => alerts.sort_by_key(|alert| alert.iid),
        AlertOrder::StartedAt => alerts.sort_by_key(|alert| (alert.started_at, alert.iid)),
        AlertOrder::UpdatedAt => alerts.sort_by_key(|alert| (alert.updated_at, alert.iid)),
        AlertOrder::Severity => alerts.sort_by_key(|alert| (alert.severity, alert.iid)),
        AlertOrder::Occurrences => alerts.sort_by_key(|alert| (alert.occurrences, alert.iid)),
    }
}

impl<S: Deref<Target = State>> AlertQueries for MemoryTx<S> {
    fn find_alert(
        &mut self,
        project: ProjectId,
        iid: AlertIid,
    ) -> Result<Option<Alert>, StoreError> {
        let found = self.0.alerts.at(project, iid);
        Ok(found.map(|alert| alert.alert.clone()))
    }

    fn list_alerts(
        &mut self,
        filter: &AlertFilter,
        asked: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError> {
        let alerts = self.0.alerts.alerts.values();
        let mut matching: Vec<&AlertSummary> = alerts
            .map(|alert| &alert.alert.summary)
            .filter(|alert| matches(filter, alert))
            .collect();
        sort(&mut matching, filter.order_by);
        if filter.sort == SortOrder::Descending {
            matching.reverse();
        }
        Ok(page_of(matching, asked))
    }

    fn find_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<Option<Integration>, StoreError> {
        let found = self.0.alerts.integrations.find(|integration| {
            integration.project_id == project
                && integration.endpoint_identifier == endpoint_identifier
        });
        Ok(found.cloned())
    }

    fn list_receipts(
        &mut self,
        project: ProjectId,
        asked: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError> {
        let is_its = |receipt: &Receipt| receipt.receipt.project_id == project;
        let receipts = &self.0.alerts.receipts;
        Ok(receipts.page(is_its, |_| (), SortOrder::Descending, asked))
    }

    fn list_receipts_after(
        &mut self,
        project: ProjectId,
        beyond: Option<ReceiptId>,
        page: KeysetPage,
    ) -> Result<Stretch<Receipt>, StoreError> {
        let is_beyond = |id: ReceiptId| match (beyond, page.sort()) {
            (None, _) => true,
            (Some(last), SortOrder::Ascending) => id > last,
            (Some(last), SortOrder::Descending) => id < last,
        };
        let matches =
            |receipt: &Receipt| receipt.receipt.project_id == project && is_beyond(receipt.id);
        Ok(self.0.alerts.receipts.stretch(matches, page))
    }

    fn find_receipt(
        &mut self,
        project: ProjectId,
        id: ReceiptId,
    ) -> Result<Option<Receipt>, StoreError> {
        let found = self.0.alerts.receipts.get(id);
        let found = found.filter(|receipt| receipt.receipt.project_id == project);
        Ok(found.cloned())
    }

    /// Every search looks at every alert, so there is nothing to prepare.
    fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError> {
        Ok(None)
    }
}

impl AlertRepository for MemoryWriteTx<'_> {
    /// Write transactions run one after the other, so there is nothing to lock.
    fn lock_alerts(&mut self, _: &[ProjectId]) -> Result<(), StoreError> {
        Ok(())
    }

    fn list_latest_by_identity(
        &mut self,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<Vec<KnownAlert>, StoreError> {
        let tables = &self.0.alerts;
        let latest = identities.iter().filter_map(|&(project, identity)| {
            let open = tables.open_of_identity(project, identity);
            open.or_else(|| tables.of_identity(project, identity).last())
        });
        Ok(latest.map(known).collect())
    }

    fn reserve_alert_numbers(
        &mut self,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<AlertNumbers>, StoreError> {
        let tables = &mut self.0.alerts;
        let mut numbers = Vec::with_capacity(wanted.len());
        for &(project_id, count) in wanted {
            let last_iid = tables.last_iids.entry(project_id).or_default();
            numbers.push(AlertNumbers {
                project_id,
                first_id: AlertId::new(tables.last_id + 1),
                first_iid: AlertIid::new(*last_iid + 1),
                count,
            });
            tables.last_id += count;
            *last_iid += count;
        }
        Ok(numbers)
    }

    fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError> {
        alerts
            .iter()
            .try_for_each(|alert| self.0.alerts.insert(alert))
    }

    fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError> {
        for step in progress {
            let Some(stored) = self.0.alerts.alerts.get_mut(&step.id) else {
                continue;
            };
            let alert = &mut stored.alert.summary;
            alert.occurrences += step.occurrences;
            alert.deliveries += step.deliveries;
            alert.last_start = step.last_start;
            alert.updated_at = alert.updated_at.max(step.updated_at);
            if let Some(ended_at) = step.resolved_at
                && alert.status.is_open()
            {
                alert.status = AlertStatus::Resolved { ended_at };
            }
        }
        Ok(())
    }

    fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError> {
        let tables = &mut self.0.alerts;
        let Some(alert) = tables.at(change.project_id, change.iid) else {
            return Ok(SetStatus::NotFound);
        };
        let id = alert.alert.summary.id;
        let open = tables.open_of_identity(change.project_id, alert.identity);
        if let Some(other) = open.map(|open| &open.alert.summary)
            && change.status.is_open()
            && other.id != id
        {
            return Ok(SetStatus::IdentityOpen(other.iid));
        }
        if let Some(stored) = tables.alerts.get_mut(&id) {
            stored.alert.summary.status = change.status;
            let updated_at = &mut stored.alert.summary.updated_at;
            *updated_at = change.at.max(*updated_at);
        }
        Ok(SetStatus::Changed)
    }

    fn insert_receipts(&mut self, new: &[NewReceipt]) -> Result<(), StoreError> {
        let receipts = &mut self.0.alerts.receipts;
        for receipt in new {
            receipts.insert(|id| Receipt {
                id,
                receipt: receipt.clone(),
            });
        }
        Ok(())
    }

    fn list_refused_receipts(
        &mut self,
        endpoint: IntegrationId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<ReceiptId>, StoreError> {
        let is_recent = |receipt: &Receipt| {
            let receipt = &receipt.receipt;
            receipt.refusal.is_some()
                && receipt.integration_id == endpoint
                && receipt.received_at > since
        };
        let recent = self.0.alerts.receipts.list(
            is_recent,
            |receipt| receipt.receipt.received_at,
            SortOrder::Descending,
        );
        Ok(recent
            .into_iter()
            .take(limit)
            .map(|receipt| receipt.id)
            .collect())
    }

    fn count_refusal(&mut self, project: ProjectId, receipt: ReceiptId) -> Result<(), StoreError> {
        let found = self.0.alerts.receipts.get_mut(receipt);
        let found = found.filter(|found| found.receipt.project_id == project);
        if let Some(refusal) = found.and_then(|found| found.receipt.refusal.as_mut()) {
            refusal.further += 1;
        }
        Ok(())
    }

    fn insert_search_part(&mut self, _: &SearchPart) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn list_kept_answers(
        &mut self,
        keys: &[(IntegrationId, ContentDigest)],
    ) -> Result<Vec<KeptAnswer>, StoreError> {
        let kept = &self.0.alerts.kept_answers;
        Ok(keys
            .iter()
            .filter_map(|key| kept.get(key).cloned())
            .collect())
    }

    fn put_kept_answers(&mut self, answers: &[KeptAnswer]) -> Result<(), StoreError> {
        let keyed = answers
            .iter()
            .map(|answer| ((answer.integration_id, answer.key.key), answer.clone()));
        self.0.alerts.kept_answers.extend(keyed);
        Ok(())
    }

    fn delete_kept_answers(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let kept = &mut self.0.alerts.kept_answers;
        let old = kept
            .iter()
            .filter(|(_, answer)| answer.received_at < before);
        let keys: Vec<_> = old.map(|(key, _)| *key).take(limit).collect();
        for key in &keys {
            kept.remove(key);
        }
        Ok(keys.len())
    }

    fn delete_alerts_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        let tables = &mut self.0.alerts;
        let mut left = limit;
        let its = tables.alerts.values();
        let its = its.filter(|one| one.alert.summary.project_id == project);
        let ids: Vec<AlertId> = its.map(|one| one.alert.summary.id).take(left).collect();
        for id in &ids {
            tables.alerts.remove(id);
        }
        tables.ids_by_iid.retain(|_, id| !ids.contains(id));
        for of_identity in tables.ids_by_identity.values_mut() {
            of_identity.retain(|id| !ids.contains(id));
        }
        left -= ids.len();
        let of_project = |receipt: &Receipt| receipt.receipt.project_id == project;
        left -= tables.receipts.remove_where(left, of_project).len();
        if left > 0 && tables.last_iids.remove(&project).is_some() {
            left -= 1;
        }
        let of_project = |endpoint: &Integration| endpoint.project_id == project;
        let endpoints = tables.integrations.remove_where(left, of_project);
        // Kept answers are no rows of their own here: they go with their endpoint.
        tables
            .kept_answers
            .retain(|(endpoint, _), _| !endpoints.contains(endpoint));
        Ok(limit - left + endpoints.len())
    }

    fn insert_integration(
        &mut self,
        new: &NewIntegration,
    ) -> Result<InsertIntegration, StoreError> {
        let taken = self.find_integration(new.project_id, &new.endpoint_identifier)?;
        if taken.is_some() {
            return Ok(InsertIntegration::IdentifierTaken);
        }
        let id = self.0.alerts.integrations.insert(|id| Integration {
            id,
            project_id: new.project_id,
            source: new.source,
            name: new.name.clone(),
            endpoint_identifier: new.endpoint_identifier.clone(),
            active: new.active,
            key: new.key,
        });
        Ok(InsertIntegration::Inserted(id))
    }

    fn update_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
        change: IntegrationChange,
    ) -> Result<Option<Integration>, StoreError> {
        let is_it = |endpoint: &&mut Integration| {
            endpoint.project_id == project && endpoint.endpoint_identifier == endpoint_identifier
        };
        let found = self.0.alerts.integrations.rows_mut().find(is_it);
        Ok(found.map(|endpoint| {
            match change {
                IntegrationChange::Active(active) => endpoint.active = active,
                IntegrationChange::Key(key) => endpoint.key = key,
            }
            endpoint.clone()
        }))
    }
}

fn known(stored: &NewAlert) -> KnownAlert {
    let alert = &stored.alert.summary;
    KnownAlert {
        project_id: alert.project_id,
        identity: stored.identity,
        id: alert.id,
        iid: alert.iid,
        title: alert.title.clone(),
        status: alert.status,
        last_start: alert.last_start,
    }
}
