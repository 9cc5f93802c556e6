//! Alerts, their endpoints and their receipts.

mod hits;
mod lists;
mod search_parts;
mod statements;

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertOrder, AlertProgress, AlertSummary,
    ContentDigest, Integration, KeptAnswer, KnownAlert, NewAlert, NewIntegration, NewReceipt,
    Receipt, StatusChange,
};
use alert_intake::search::{SearchPart, candidates, first_iid};
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::alerts::{
    AlertRow, IntegrationRow, KnownAlertRow, NewAlertRow, NewReceiptRow, OPEN_SLOT, ReceiptRow,
    closed_slot, read_alert,
};
use crate::rows::kept_answers::KeptAnswerRow;
use crate::schema::{alert_integrations, alert_receipts, alerts as alert_table};
use crate::window::Window;
use hits::{Hits, groups, too_much, width};
use lists::{
    IidRow, KindRow, NumberRow, ReachRow, SliceRow, arrange, by_part, is_few, lists, small,
};
use search_parts::{NextPartRow, PartRow, claim, next_part, search_parts, texts_of_part};
use statements::EXAMINED;

/// Alerts in one statement, at most: each brings its payload along, which is then in memory once more.
const ROWS_AT_ONCE: usize = 1000;

/// Parts whose slices a search reads in one statement.
const PARTS_AT_ONCE: usize = 32;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            impl AlertQueries for Tx<'_> {
                fn find_alert(
                    &mut self,
                    project: ProjectId,
                    iid: AlertIid,
                ) -> Result<Option<Alert>, StoreError> {
                    let row = alert_table::table
                        .filter(alert_table::project_id.eq(project.get()))
                        .filter(alert_table::iid.eq(iid.get()))
                        .select((AlertRow::as_select(), alert_table::payload))
                        .get_result(self.connection()?)
                        .optional();
                    row.map_err(|e| from_diesel("find alert", e))?
                        .map(read_alert)
                        .transpose()
                }

                fn list_alerts(
                    &mut self,
                    filter: &AlertFilter,
                    page: OffsetPage,
                ) -> Result<Page<AlertSummary>, StoreError> {
                    list_alerts(self.connection()?, filter, page)
                }

                fn find_integration(
                    &mut self,
                    project: ProjectId,
                    endpoint_identifier: &str,
                ) -> Result<Option<Integration>, StoreError> {
                    let row = alert_integrations::table
                        .filter(alert_integrations::project_id.eq(project.get()))
                        .filter(alert_integrations::endpoint_identifier.eq(endpoint_identifier))
                        .select(IntegrationRow::as_select())
                        .get_result(self.connection()?)
                        .optional();
                    row.map_err(|e| from_diesel("find endpoint", e))?
                        .map(IntegrationRow::read)
                        .transpose()
                }

                fn list_receipts(
                    &mut self,
                    project: ProjectId,
                    page: OffsetPage,
                ) -> Result<Page<Receipt>, StoreError> {
                    let (window, rows) = list_receipts(self.connection()?, project, page)
                        .map_err(|e| from_diesel("list receipts", e))?;
                    let items: Result<Vec<Receipt>, StoreError> =
                        rows.into_iter().map(ReceiptRow::read).collect();
                    Ok(window.page(items?))
                }

                fn find_search_part(&mut self) -> Result<Option<SearchPart>, StoreError> {
                    find_search_part(self.connection()?)
                        .map_err(|e| from_diesel("prepare alerts for searches", e))
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        lists!($connection);
        search_parts!($connection);

        impl AlertRepository for WriteTx<'_> {
            fn lock_alerts(&mut self, projects: &[ProjectId]) -> Result<(), StoreError> {
                let mut ids: Vec<i64> = projects.iter().map(|id| id.get()).collect();
                ids.sort_unstable();
                intake::lock_alerts(self, &ids)
            }

            fn list_latest_by_identity(
                &mut self,
                identities: &[(ProjectId, AlertIdentity)],
            ) -> Result<Vec<KnownAlert>, StoreError> {
                if identities.is_empty() {
                    return Ok(Vec::new());
                }
                let rows = intake::latest_by_identity(self, identities)?;
                rows.into_iter().map(KnownAlertRow::read).collect()
            }

            fn reserve_alert_numbers(
                &mut self,
                wanted: &[(ProjectId, i64)],
            ) -> Result<Vec<AlertNumbers>, StoreError> {
                if wanted.is_empty() {
                    return Ok(Vec::new());
                }
                intake::reserve_alert_numbers(self, wanted)
            }

            fn insert_alerts(&mut self, alerts: &[NewAlert]) -> Result<(), StoreError> {
                alerts.chunks(ROWS_AT_ONCE).try_for_each(|alerts| {
                    let rows: Vec<NewAlertRow<'_>> = alerts.iter().map(NewAlertRow::from).collect();
                    intake::insert_alerts(self, &rows)
                })
            }

            fn advance_alerts(&mut self, progress: &[AlertProgress]) -> Result<(), StoreError> {
                intake::advance_alerts(self, progress)
            }

            fn set_alert_status(&mut self, change: &StatusChange) -> Result<SetStatus, StoreError> {
                let failed = |e| from_diesel("set alert status", e);
                let mine = alert_table::table
                    .filter(alert_table::project_id.eq(change.project_id.get()))
                    .filter(alert_table::iid.eq(change.iid.get()));
                let found = mine
                    .select((
                        alert_table::id,
                        alert_table::identity,
                        alert_table::updated_at,
                    ))
                    .get_result::<(i64, Vec<u8>, i64)>(self.connection()?)
                    .optional()
                    .map_err(failed)?;
                let Some((id, identity, updated_at)) = found else {
                    return Ok(SetStatus::NotFound);
                };
                if change.status.is_open() {
                    let other = alert_table::table
                        .filter(alert_table::project_id.eq(change.project_id.get()))
                        .filter(alert_table::identity.eq(identity))
                        .filter(alert_table::closed_slot.eq(OPEN_SLOT))
                        .filter(alert_table::id.ne(id))
                        .select(alert_table::iid)
                        .get_result::<i64>(self.connection()?)
                        .optional()
                        .map_err(failed)?;
                    if let Some(iid) = other {
                        return Ok(SetStatus::IdentityOpen(AlertIid::new(iid)));
                    }
                }
                let ended_at = change.status.ended_at().map(|end| end.as_micros());
                diesel::update(alert_table::table.find(id))
                    .set((
                        alert_table::status.eq(change.status.number()),
                        alert_table::ended_at.eq(ended_at),
                        alert_table::closed_slot.eq(closed_slot(change.status, AlertId::new(id))),
                        // The flow has locked the alerts of the project, so nothing changed it since it was read.
                        alert_table::updated_at.eq(change.at.as_micros().max(updated_at)),
                    ))
                    .execute(self.connection()?)
                    .map_err(failed)?;
                Ok(SetStatus::Changed)
            }

            fn insert_receipts(&mut self, receipts: &[NewReceipt]) -> Result<(), StoreError> {
                let rows: Vec<NewReceiptRow<'_>> =
                    receipts.iter().map(NewReceiptRow::from).collect();
                intake::insert_receipts(self, &rows)
            }

            fn insert_search_part(&mut self, part: &SearchPart) -> Result<bool, StoreError> {
                insert_search_part(self.connection()?, part)
                    .map_err(|e| from_diesel("prepare alerts for searches", e))
            }

            fn list_kept_answers(
                &mut self,
                keys: &[(IntegrationId, ContentDigest)],
            ) -> Result<Vec<KeptAnswer>, StoreError> {
                if keys.is_empty() {
                    return Ok(Vec::new());
                }
                let rows = kept_answers::list(self.connection()?, keys);
                let rows = rows.map_err(|e| from_diesel("find kept answers", e))?;
                rows.into_iter().map(KeptAnswerRow::read).collect()
            }

            fn put_kept_answers(&mut self, answers: &[KeptAnswer]) -> Result<(), StoreError> {
                kept_answers::put(self, answers)
            }

            fn delete_kept_answers(
                &mut self,
                before: Timestamp,
                limit: usize,
            ) -> Result<usize, StoreError> {
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                kept_answers::delete(self.connection()?, before, limit)
                    .map_err(|e| from_diesel("delete kept answers", e))
            }

            fn insert_integration(
                &mut self,
                new: &NewIntegration,
            ) -> Result<InsertIntegration, StoreError> {
                let inserted = diesel::insert_into(alert_integrations::table)
                    .values((
                        alert_integrations::project_id.eq(new.project_id.get()),
                        alert_integrations::source.eq(new.source.number()),
                        alert_integrations::name.eq(&new.name),
                        alert_integrations::endpoint_identifier.eq(&new.endpoint_identifier),
                        alert_integrations::active.eq(new.active),
                        alert_integrations::key_digest.eq(&new.key.as_bytes()[..]),
                        alert_integrations::created_at.eq(new.created_at.as_micros()),
                    ))
                    .on_conflict_do_nothing()
                    .returning(alert_integrations::id)
                    .get_result::<i64>(self.connection()?)
                    .optional();
                let id = inserted.map_err(|e| from_diesel("insert endpoint", e))?;
                Ok(id.map_or(InsertIntegration::IdentifierTaken, |id| {
                    InsertIntegration::Inserted(IntegrationId::new(id))
                }))
            }
        }
    };
}

super::for_each_database!(queries, repository, batch, intake, kept_answers);
