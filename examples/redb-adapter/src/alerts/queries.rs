//! Queries of both kinds of transaction.

use std::collections::BTreeSet;
use std::ops::Bound;

use alert_intake::model::{
    Alert, AlertFilter, AlertStatus, AlertSummary, ContentDigest, Heartbeat, IdempotencyRecord,
    Integration, OldestResolved, OpenAlertCounts, OpenAlertFilter, OpenAlertPosition, Receipt,
};
use alert_intake::search::{SearchPart, SearchTerm, SearchedTexts};
use alert_intake::store::AlertQueries;
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::{
    ALERTS, ENDPOINTS, HEARTBEATS, IDEMPOTENCY_RECORDS, LATEST_PAYLOADS, PAYLOADS, RECEIPTS,
};
use crate::tables::{KeyRange, NumberKey, Tables, keys_after, keys_of};
use crate::transaction::{RedbTx, break_if};

impl<T: Tables> AlertQueries for RedbTx<'_, T> {
    fn find_alert(
        &mut self,
        project: ProjectId,
        iid: AlertIid,
    ) -> Result<Option<Alert>, StoreError> {
        let key = (project.get(), iid.get());
        let Some(row) = self.get(&ALERTS, key)? else {
            return Ok(None);
        };
        let payload = self.get(&PAYLOADS, key)?;
        let missing = || StoreError::inconsistent("alerts", row.summary.id, "it has no payload");
        Ok(Some(Alert {
            payload: payload.ok_or_else(missing)?,
            latest_payload: self.get(&LATEST_PAYLOADS, key)?,
            summary: row.summary,
        }))
    }

    fn list_idempotency_records(
        &mut self,
        keys: &[(IntegrationId, ContentDigest)],
    ) -> Result<Vec<IdempotencyRecord>, StoreError> {
        let find = |(endpoint, key): &(IntegrationId, ContentDigest)| {
            self.get(
                &IDEMPOTENCY_RECORDS,
                (endpoint.get(), key.as_bytes().as_slice()),
            )
        };
        keys.iter()
            .filter_map(|key| find(key).transpose())
            .collect()
    }

    /// Reads all alerts of the project: their numbers are the only index.
    fn list_alerts(
        &mut self,
        filter: &AlertFilter,
        page: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError> {
        let term = filter.search.as_deref().map(SearchTerm::new);
        let mut found = Vec::new();
        let project = keys_of(filter.project_id.get());
        self.scan(&ALERTS, project, SortOrder::Ascending, |row| {
            if is_match(filter, term.as_ref(), &row.summary) {
                found.push(row.summary);
            }
            Ok(break_if(false))
        })?;
        found.sort_by_key(|alert| filter.order_by.position(alert));
        if filter.sort == SortOrder::Descending {
            found.reverse();
        }
        let count = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let [offset, limit] = [page.offset(), page.fetch_limit()]
            .map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let rows = found.into_iter().skip(offset).take(limit).collect();
        Ok(Page::from_fetched(rows, page, count))
    }

    /// Reads all alerts of the project, like [`list_alerts`](AlertQueries::list_alerts).
    fn count_alerts(&mut self, filter: &AlertFilter) -> Result<Total, StoreError> {
        let whole = AlertFilter {
            search: None,
            after: None,
            ..filter.clone()
        };
        let page = self.list_alerts(&whole, OffsetPage::new(1, 1))?;
        Ok(page.total)
    }

    fn list_alerts_after(
        &mut self,
        filter: &AlertFilter,
        beyond: Option<AlertIid>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AlertSummary>, StoreError> {
        let whole = AlertFilter {
            after: None,
            ..filter.clone()
        };
        let keys = keys_after(
            filter.project_id.get(),
            beyond.map(AlertIid::get),
            page.sort(),
        );
        let limit = usize::from(page.per_page()) + 1;
        let mut rows = Vec::new();
        self.scan(&ALERTS, keys, page.sort(), |row| {
            if is_match(&whole, None, &row.summary) {
                rows.push(row.summary);
            }
            Ok(break_if(rows.len() >= limit))
        })?;
        Ok(KeysetSlice::from_fetched(rows, page))
    }

    /// Reads all alerts of the projects, like [`list_alerts`](AlertQueries::list_alerts).
    fn list_open_alerts(
        &mut self,
        filter: &OpenAlertFilter,
        limit: usize,
    ) -> Result<Vec<AlertSummary>, StoreError> {
        let mut found = Vec::new();
        let statuses = filter.statuses().iter().map(|status| status.number());
        let statuses: Vec<i16> = statuses.collect();
        let is_open = |alert: &AlertSummary| {
            let is_of_severity =
                filter.severities.is_empty() || filter.severities.contains(&alert.severity);
            let is_behind = filter
                .after
                .is_none_or(|after| OpenAlertPosition::of(alert) > after);
            statuses.contains(&alert.status.number()) && is_of_severity && is_behind
        };
        for project in &filter.projects {
            self.scan(
                &ALERTS,
                keys_of(project.get()),
                SortOrder::Ascending,
                |row| {
                    if is_open(&row.summary) {
                        found.push(row.summary);
                    }
                    Ok(break_if(false))
                },
            )?;
        }
        found.sort_by_key(OpenAlertPosition::of);
        found.truncate(limit);
        Ok(found)
    }

    /// Reads all alerts of the project, like [`list_alerts`](AlertQueries::list_alerts).
    fn list_alert_environments(
        &mut self,
        project: ProjectId,
        after: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut names = BTreeSet::new();
        let keys = keys_of(project.get());
        self.scan(&ALERTS, keys, SortOrder::Ascending, |row| {
            let alert = row.summary;
            if is_open(&alert) {
                names.extend(alert.environment_name.filter(|name| name.as_str() > after));
            }
            Ok(break_if(false))
        })?;
        Ok(names.into_iter().take(limit).collect())
    }

    /// Reads all alerts of the projects, like [`list_alerts`](AlertQueries::list_alerts).
    fn count_open_alerts(
        &mut self,
        environments: &[(ProjectId, String)],
    ) -> Result<Vec<OpenAlertCounts>, StoreError> {
        let mut all = Vec::new();
        for (project, name) in environments {
            let mut counts = OpenAlertCounts::default();
            let keys = keys_of(project.get());
            self.scan(&ALERTS, keys, SortOrder::Ascending, |row| {
                let alert = row.summary;
                if is_open(&alert) && alert.environment_name.as_ref() == Some(name) {
                    let count = counts.get(alert.severity);
                    counts.set(alert.severity, count.saturating_add(1));
                }
                Ok(break_if(false))
            })?;
            all.push(counts);
        }
        Ok(all)
    }

    /// Reads the alerts of the projects up to the next one with alerts.
    fn find_oldest_resolved(
        &mut self,
        beyond: Option<ProjectId>,
    ) -> Result<Option<OldestResolved>, StoreError> {
        let mut found: Option<OldestResolved> = None;
        self.scan(
            &ALERTS,
            projects_after(beyond),
            SortOrder::Ascending,
            |row| {
                let alert = row.summary;
                let oldest = found.get_or_insert(OldestResolved {
                    project_id: alert.project_id,
                    updated_at: None,
                });
                let is_next = oldest.project_id != alert.project_id;
                if !is_next && alert.status.ended_at().is_some() {
                    let earlier = oldest.updated_at.map(|time| time.min(alert.updated_at));
                    oldest.updated_at = earlier.or(Some(alert.updated_at));
                }
                Ok(break_if(is_next))
            },
        )?;
        Ok(found)
    }

    /// Reads all alerts of the project, like [`list_alerts`](AlertQueries::list_alerts).
    fn list_resolved_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<Vec<AlertId>, StoreError> {
        let mut ids = Vec::new();
        let keys = keys_of(project.get());
        self.scan(&ALERTS, keys, SortOrder::Ascending, |row| {
            let alert = row.summary;
            let is_resolved = alert.status.ended_at().is_some();
            if is_resolved && alert.updated_at < before && ids.len() < limit {
                ids.push(alert.id);
            }
            Ok(break_if(ids.len() == limit))
        })?;
        Ok(ids)
    }

    fn find_oldest_receipt(
        &mut self,
        beyond: Option<ProjectId>,
    ) -> Result<Option<Receipt>, StoreError> {
        let first = self.first(&RECEIPTS, projects_after(beyond), SortOrder::Ascending, 1)?;
        Ok(first.into_iter().next())
    }

    fn list_heartbeats(&mut self, project: ProjectId) -> Result<Vec<Heartbeat>, StoreError> {
        let keys = keys_of(project.get());
        self.first(&HEARTBEATS, keys, SortOrder::Ascending, usize::MAX)
    }

    /// Reads the heartbeats of all projects.
    fn list_due_heartbeats(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Heartbeat>, StoreError> {
        let mut due = self.first(
            &HEARTBEATS,
            projects_after(None),
            SortOrder::Ascending,
            usize::MAX,
        )?;
        due.retain(|one| one.due_at.is_some_and(|time| time <= now));
        due.sort_by_key(|one| (one.due_at, one.integration_id));
        due.truncate(limit);
        Ok(due)
    }

    fn find_integration(
        &mut self,
        project: ProjectId,
        endpoint_identifier: &str,
    ) -> Result<Option<Integration>, StoreError> {
        self.get(&ENDPOINTS, (project.get(), endpoint_identifier.as_bytes()))
    }

    fn list_integrations(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<Integration>, StoreError> {
        let first = Bound::Included((project.get(), &[][..]));
        let last = Bound::Excluded((project.get() + 1, &[][..]));
        let mut found = Vec::new();
        self.scan(&ENDPOINTS, (first, last), SortOrder::Ascending, |row| {
            found.push(row);
            Ok(break_if(found.len() >= limit))
        })?;
        Ok(found)
    }

    fn list_receipts(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError> {
        let keys = keys_of(project.get());
        self.page(&RECEIPTS, keys, SortOrder::Descending, page, |_| true)
    }

    fn list_receipts_after(
        &mut self,
        project: ProjectId,
        beyond: Option<ReceiptId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Receipt>, StoreError> {
        let keys = keys_after(project.get(), beyond.map(ReceiptId::get), page.sort());
        let limit = usize::from(page.per_page()) + 1;
        let rows = self.first(&RECEIPTS, keys, page.sort(), limit)?;
        Ok(KeysetSlice::from_fetched(rows, page))
    }

    fn find_receipt(
        &mut self,
        project: ProjectId,
        id: ReceiptId,
    ) -> Result<Option<Receipt>, StoreError> {
        self.get(&RECEIPTS, (project.get(), id.get()))
    }

    /// Always `None`: without a search index, a search reads all alerts of the project.
    fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError> {
        Ok(None)
    }
}

/// True if an alert is triggered or acknowledged.
fn is_open(alert: &AlertSummary) -> bool {
    matches!(
        alert.status,
        AlertStatus::Triggered | AlertStatus::Acknowledged
    )
}

/// Keys of the rows of all projects with a higher id.
fn projects_after(beyond: Option<ProjectId>) -> KeyRange<NumberKey> {
    let beyond = beyond.map_or(Bound::Unbounded, |project| {
        Bound::Excluded((project.get(), i64::MAX))
    });
    (beyond, Bound::Unbounded)
}

/// True if an alert matches all conditions.
fn is_match(filter: &AlertFilter, term: Option<&SearchTerm>, alert: &AlertSummary) -> bool {
    let has_status = || filter.statuses.contains(&alert.status.number());
    let has_severity = || filter.severities.contains(&alert.severity);
    let position = filter.order_by.position(alert);
    let is_found = |term: &SearchTerm| {
        term.is_in(SearchedTexts {
            title: &alert.title,
            description: &alert.description,
            service: &alert.service,
            monitoring_tool: &alert.monitoring_tool,
        })
    };
    (filter.statuses.is_empty() || has_status())
        && (filter.severities.is_empty() || has_severity())
        && (filter.assignee_id.is_none() || filter.assignee_id == alert.assignee_id)
        && (filter.environment.is_none() || filter.environment == alert.environment_name)
        && (filter.after).is_none_or(|after| position.is_behind(after, filter.sort))
        && term.is_none_or(is_found)
}
