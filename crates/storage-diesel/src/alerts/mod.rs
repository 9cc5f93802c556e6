//! Alerts, their endpoints and their receipts.

mod deletion;
mod environments;
mod heartbeats;
mod hits;
mod idempotency_records;
mod incidents;
mod lists;
mod open;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod receipts;
mod retention;
mod rows;
mod search_parts;
mod silences;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statements;
mod tables;
mod triage;

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertRevision, AlertSummary,
    ContentDigest, Heartbeat, IdempotencyRecord, Integration, IntegrationChange, KnownAlert,
    NewAlert, NewIntegration, NewReceipt, OldestResolved, OpenAlertCounts, OpenAlertFilter,
    Receipt, StatusChange, TriageChange,
};
use alert_intake::search::SearchPart;
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, ReceiptId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, Total};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;
#[cfg(test)]
pub(crate) use tables::described;

use crate::delete_some::UserReference;
use crate::rows::DomainRow as _;
use crate::transaction::row_limit;
use idempotency_records::IdempotencyRecordRow;
use rows::integrations::{IntegrationRow, NewIntegrationRow, alert_integrations, settings_json};
use rows::receipts::{NewReceiptRow, ReceiptRow, alert_receipts};
use rows::{AlertWithPayloadRow, KnownAlertRow, NewAlertRow};
use search_parts::{NextPartRow, PartRow, claim, next_part, texts_of_part};
use tables::alerts;

/// Maximum number of alerts per statement: each carries its payload, which is then in memory twice.
const ROWS_AT_ONCE: usize = 1000;

/// Parts whose slices a search reads in one statement.
const PARTS_AT_ONCE: usize = 32;

const LIST: &str = "list alerts";
const SEARCH: &str = "search alerts";
const PREPARE: &str = "index alerts for search";

#[for_each_database(dialect = crate::alerts)]
mod database {
    impl ::alert_intake::store::AlertQueriesWrapper for WriteTx<'_> {}

    impl AlertQueries for ReadTx<'_> {
        fn list_idempotency_records(
            &mut self,
            keys: &[(IntegrationId, ContentDigest)],
        ) -> Result<Vec<IdempotencyRecord>, StoreError> {
            if keys.is_empty() {
                return Ok(Vec::new());
            }
            let rows = self.run("find idempotency records", |connection| {
                dialect::list_idempotency_records(connection, keys)
            })?;
            rows.into_iter().map(IdempotencyRecordRow::read).collect()
        }

        fn find_alert(
            &mut self,
            project: ProjectId,
            iid: AlertIid,
        ) -> Result<Option<Alert>, StoreError> {
            let alert = alerts::table
                .filter(alerts::project_id.eq(project.get()))
                .filter(alerts::iid.eq(iid.get()));
            self.find::<AlertWithPayloadRow>("find alert", alert)
        }

        fn list_alerts(
            &mut self,
            filter: &AlertFilter,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            match &filter.search {
                Some(text) => self.search_alerts(filter, text, page),
                None => self.page_of_alerts(filter, page),
            }
        }

        fn count_alerts(&mut self, filter: &AlertFilter) -> Result<Total, StoreError> {
            self.total_of_alerts(filter)
        }

        fn list_alerts_after(
            &mut self,
            filter: &AlertFilter,
            beyond: Option<AlertIid>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<AlertSummary>, StoreError> {
            self.slice_of_alerts(filter, beyond, page)
        }

        fn list_open_alerts(
            &mut self,
            filter: &OpenAlertFilter,
            limit: usize,
        ) -> Result<Vec<AlertSummary>, StoreError> {
            self.open_alerts(filter, limit)
        }

        fn list_alert_environments(
            &mut self,
            project: ProjectId,
            after: &str,
            limit: usize,
        ) -> Result<Vec<String>, StoreError> {
            self.names_of_environments(project, after, limit)
        }

        fn count_open_alerts(
            &mut self,
            environments: &[(ProjectId, String)],
        ) -> Result<Vec<OpenAlertCounts>, StoreError> {
            self.open_alerts_of(environments)
        }

        fn find_oldest_resolved(
            &mut self,
            beyond: Option<ProjectId>,
        ) -> Result<Option<OldestResolved>, StoreError> {
            self.oldest_resolved_after(beyond)
        }

        fn list_resolved_before(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<Vec<AlertId>, StoreError> {
            self.resolved_before(project, before, limit)
        }

        fn find_oldest_receipt(
            &mut self,
            beyond: Option<ProjectId>,
        ) -> Result<Option<Receipt>, StoreError> {
            self.oldest_receipt_after(beyond)
        }

        fn list_heartbeats(&mut self, project: ProjectId) -> Result<Vec<Heartbeat>, StoreError> {
            self.heartbeats_of(project)
        }

        fn list_due_heartbeats(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<Heartbeat>, StoreError> {
            self.due_heartbeats(now, limit)
        }

        fn find_integration(
            &mut self,
            project: ProjectId,
            endpoint_identifier: &str,
        ) -> Result<Option<Integration>, StoreError> {
            let endpoint = alert_integrations::table
                .filter(alert_integrations::project_id.eq(project.get()))
                .filter(alert_integrations::endpoint_identifier.eq(endpoint_identifier));
            self.find::<IntegrationRow>("find endpoint", endpoint)
        }

        fn list_integrations(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<Vec<Integration>, StoreError> {
            // The index has the identifiers of a project, and a project has few endpoints.
            let endpoints = alert_integrations::table
                .filter(alert_integrations::project_id.eq(project.get()))
                .order(alert_integrations::endpoint_identifier)
                .limit(row_limit(limit));
            self.list::<IntegrationRow>("list endpoints", endpoints)
        }

        fn list_receipts(
            &mut self,
            project: ProjectId,
            page: OffsetPage,
        ) -> Result<Page<Receipt>, StoreError> {
            self.page_of_receipts(project, page)
        }

        fn list_receipts_after(
            &mut self,
            project: ProjectId,
            beyond: Option<ReceiptId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<Receipt>, StoreError> {
            self.receipts_after(project, beyond, page)
        }

        fn find_receipt(
            &mut self,
            project: ProjectId,
            id: ReceiptId,
        ) -> Result<Option<Receipt>, StoreError> {
            let receipt = alert_receipts::table
                .filter(alert_receipts::project_id.eq(project.get()))
                .filter(alert_receipts::id.eq(id.get()));
            self.find::<ReceiptRow>("find receipt", receipt)
        }

        fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError> {
            let next: Option<NextPartRow> =
                self.value_if(PREPARE, diesel::sql_query(next_part()))?;
            let Some(next) = next else {
                return self.revised_search_part();
            };
            let project = ProjectId::new(next.project_id);
            let texts = diesel::sql_query(texts_of_part(project, next.part));
            let rows: Vec<PartRow> = self.values(PREPARE, texts)?;
            let alerts = rows.iter().map(PartRow::texts);
            Ok(Some(SearchPart::of(project, next.part, alerts)))
        }
    }

    impl AlertRepository for WriteTx<'_> {
        fn lock_alerts(&mut self, projects: &[ProjectId]) -> Result<(), StoreError> {
            let mut ids: Vec<i64> = projects.iter().map(|id| id.get()).collect();
            ids.sort_unstable();
            dialect::lock_alerts(self, &ids)
        }

        fn list_latest_by_identity(
            &mut self,
            identities: &[(ProjectId, AlertIdentity)],
        ) -> Result<Vec<KnownAlert>, StoreError> {
            if identities.is_empty() {
                return Ok(Vec::new());
            }
            let rows = dialect::latest_by_identity(self, identities)?;
            rows.into_iter().map(KnownAlertRow::read).collect()
        }

        fn reserve_alert_numbers(
            &mut self,
            wanted: &[(ProjectId, i64)],
        ) -> Result<Vec<AlertNumbers>, StoreError> {
            if wanted.is_empty() {
                return Ok(Vec::new());
            }
            dialect::reserve_alert_numbers(self, wanted)
        }

        fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError> {
            alerts.chunks(ROWS_AT_ONCE).try_for_each(|alerts| {
                let rows: Vec<NewAlertRow<'_>> = alerts.iter().map(NewAlertRow::from).collect();
                dialect::insert_alerts(self, &rows)
            })
        }

        fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError> {
            dialect::advance_alerts(self, progress)
        }

        fn revise_alerts(&mut self, revisions: &[AlertRevision]) -> Result<(), StoreError> {
            dialect::revise_alerts(self, revisions)
        }

        fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError> {
            self.write_status(change)
        }

        fn set_alert_triage(&mut self, change: &TriageChange) -> Result<bool, StoreError> {
            self.write_triage(change)
        }

        fn unassign_alerts_of(
            &mut self,
            assignee: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let some = UserReference::new("alerts", "id", "assignee_id").replace(assignee, None);
            let update = diesel::sql_query(format!("{some}{limit})"));
            self.execute("unassign alerts of user", update)
        }

        fn insert_receipts(&mut self, receipts: &[NewReceipt]) -> Result<(), StoreError> {
            dialect::insert_receipts(self, receipts.iter().map(NewReceiptRow::from).collect())
        }

        fn list_refused_receipts(
            &mut self,
            endpoint: IntegrationId,
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<ReceiptId>, StoreError> {
            self.refused_receipts(endpoint, since, limit)
        }

        fn count_refusal(
            &mut self,
            project: ProjectId,
            receipt: ReceiptId,
        ) -> Result<(), StoreError> {
            let refused = alert_receipts::table
                .filter(alert_receipts::project_id.eq(project.get()))
                .filter(alert_receipts::id.eq(receipt.get()))
                .filter(alert_receipts::refusal.is_not_null());
            let one_more =
                alert_receipts::further_refusals.eq(alert_receipts::further_refusals + 1);
            self.changes(
                "count rejected delivery",
                diesel::update(refused).set(one_more),
            )?;
            Ok(())
        }

        fn insert_search_part(&mut self, part: &SearchPart) -> Result<bool, StoreError> {
            if !part.revised.is_empty() {
                return self.add_to_search_part(part);
            }
            self.run(PREPARE, |connection| {
                let claim = diesel::sql_query(claim(part.project_id, part.number));
                if claim.execute(connection)? == 0 {
                    return Ok(false);
                }
                dialect::insert_slices(connection, part)?;
                Ok(true)
            })
        }

        fn put_idempotency_records(
            &mut self,
            answers: &[IdempotencyRecord],
        ) -> Result<(), StoreError> {
            dialect::put_idempotency_records(self, answers)
        }

        fn delete_idempotency_records(
            &mut self,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            self.run("delete idempotency records", |connection| {
                dialect::delete_idempotency_records(connection, before, row_limit(limit))
            })
        }

        fn delete_alerts_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for (operation, text) in deletion::rows_of(project) {
                if left == 0 {
                    break;
                }
                let delete = diesel::sql_query(format!("{text}{left})"));
                left -= self.execute(operation, delete)?;
            }
            Ok(limit - left)
        }

        fn delete_resolved_alerts(
            &mut self,
            project: ProjectId,
            ids: &[AlertId],
        ) -> Result<usize, StoreError> {
            self.delete_resolved(project, ids)
        }

        fn delete_unused_search_parts(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            self.delete_unused_parts(project, limit)
        }

        fn delete_receipts_before(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            self.delete_old_receipts(project, before, limit)
        }

        fn put_heartbeat(&mut self, heartbeat: &Heartbeat) -> Result<(), StoreError> {
            self.store_heartbeat(heartbeat)
        }

        fn postpone_heartbeats(&mut self, start: Timestamp) -> Result<(), StoreError> {
            self.postpone_due_heartbeats(start)
        }

        fn delete_heartbeat(
            &mut self,
            project: ProjectId,
            endpoint: IntegrationId,
        ) -> Result<(), StoreError> {
            self.remove_heartbeat(project, endpoint)
        }

        fn insert_integration(
            &mut self,
            new: &NewIntegration,
        ) -> Result<InsertIntegration, StoreError> {
            let insert = diesel::insert_into(alert_integrations::table)
                .values(NewIntegrationRow::from(new))
                .on_conflict_do_nothing()
                .returning(alert_integrations::id);
            let id = self.value_if("insert endpoint", insert)?;
            Ok(id.map_or(InsertIntegration::IdentifierTaken, |id| {
                InsertIntegration::Inserted(IntegrationId::new(id))
            }))
        }

        fn update_integration(
            &mut self,
            project: ProjectId,
            endpoint_identifier: &str,
            change: IntegrationChange,
        ) -> Result<Option<Integration>, StoreError> {
            const UPDATE: &str = "update endpoint";
            let of_project = alert_integrations::project_id.eq(project.get());
            let named = alert_integrations::endpoint_identifier.eq(endpoint_identifier);
            let endpoint = alert_integrations::table.filter(of_project).filter(named);
            let update = diesel::update(endpoint);
            let is_there = match change {
                IntegrationChange::Active(active) => {
                    self.changes(UPDATE, update.set(alert_integrations::active.eq(active)))?
                }
                IntegrationChange::Key { key, retired } => {
                    let digest = |key: &SecretDigest| key.as_bytes().to_vec();
                    let until = retired.map(|retired| retired.valid_until.as_micros());
                    let retired = retired.map(|retired| digest(&retired.key));
                    let keys = (
                        alert_integrations::key_digest.eq(digest(&key)),
                        alert_integrations::retired_key_digest.eq(retired),
                        alert_integrations::retired_key_until.eq(until),
                    );
                    self.changes(UPDATE, update.set(keys))?
                }
                IntegrationChange::Details {
                    name,
                    active,
                    settings,
                } => {
                    let details = (
                        alert_integrations::name.eq(name),
                        alert_integrations::active.eq(active),
                        alert_integrations::settings.eq(settings_json(&settings)),
                    );
                    self.changes(UPDATE, update.set(details))?
                }
            };
            if is_there {
                self.find_integration(project, endpoint_identifier)
            } else {
                Ok(None)
            }
        }

        fn delete_integration(
            &mut self,
            project: ProjectId,
            endpoint_identifier: &str,
        ) -> Result<bool, StoreError> {
            let endpoint = alert_integrations::table
                .filter(alert_integrations::project_id.eq(project.get()))
                .filter(alert_integrations::endpoint_identifier.eq(endpoint_identifier));
            let deletion = diesel::delete(endpoint).returning(alert_integrations::id);
            let id: Option<i64> = self.value_if("delete endpoint", deletion)?;
            if let Some(id) = id {
                self.remove_heartbeat(project, IntegrationId::new(id))?;
            }
            Ok(id.is_some())
        }
    }
}
