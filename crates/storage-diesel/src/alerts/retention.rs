//! Deletion of alerts and receipts that are older than they are kept.

use std::fmt::Write as _;

use alert_intake::model::{OldestResolved, Receipt};
use alert_intake::search::PART;
use api_conventions::ids::{AlertId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::lists::AlertNumberRow;
use super::rows::receipts::{ReceiptRow, alert_receipts};
use super::tables::alerts;
use crate::rows::RowReader;
use crate::transaction::row_limit;

/// Severities of alerts, by their numbers. The index of changes has a list for each.
const SEVERITIES: std::ops::RangeInclusive<i16> = 0..=5;
/// Number of the status resolved.
const RESOLVED: i16 = 2;
/// Parts of the search index whose rows one statement deletes.
const PARTS_AT_ONCE: usize = 16;

/// Oldest resolved alert of a project.
#[derive(diesel::QueryableByName)]
struct OldestRow {
    #[diesel(sql_type = BigInt)]
    project_id: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    updated_at: Option<i64>,
}

/// Selects the next project with alerts, and the time of the last change of its oldest resolved alert.
fn oldest_resolved(beyond: i64) -> String {
    let mut severities = String::new();
    for severity in SEVERITIES {
        let comma = if severities.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(severities, "{comma}({severity})");
    }
    format!(
        "SELECT p.project_id, (SELECT MIN(o.updated_at) FROM (SELECT (SELECT a.updated_at FROM alerts AS a \
         WHERE a.project_id = p.project_id AND a.status = {RESOLVED} AND a.severity = s.column1 \
         ORDER BY a.updated_at LIMIT 1) AS updated_at FROM (VALUES {severities}) AS s) AS o) AS updated_at \
         FROM (SELECT project_id FROM alerts WHERE project_id > {beyond} ORDER BY project_id LIMIT 1) AS p"
    )
}

/// Selects the parts of the search index of a project without an alert: one place of two indexes for each part.
fn unused_parts(project: ProjectId) -> String {
    let next = |after: &str| {
        format!(
            "SELECT s.part FROM alert_search AS s WHERE s.project_id = {project} AND s.part > {after} \
             ORDER BY s.part LIMIT 1"
        )
    };
    format!(
        "WITH RECURSIVE parts (part) AS (SELECT ({}) UNION ALL SELECT ({}) FROM parts WHERE parts.part IS NOT NULL) \
         SELECT part AS number FROM parts WHERE part IS NOT NULL AND NOT EXISTS (SELECT 1 FROM alerts AS a \
         WHERE a.project_id = {project} AND a.iid > part * {PART} AND a.iid <= (part + 1) * {PART}) LIMIT {PARTS_AT_ONCE}",
        next("-1"),
        next("parts.part")
    )
}

/// Deletes those of these alerts, of which there is at least one, that are resolved and of the project. The signs keep the
/// planner from any index but the key.
fn delete_resolved(project: ProjectId, ids: &[AlertId]) -> String {
    let ids: Vec<String> = ids.iter().map(AlertId::to_string).collect();
    format!(
        "DELETE FROM alerts WHERE id IN ({}) AND +project_id = {project} AND +status = {RESOLVED}",
        ids.join(", ")
    )
}

/// Deletes rows of parts of the search index, up to a limit.
fn delete_parts(project: ProjectId, parts: &[i64], limit: usize) -> String {
    let parts: Vec<String> = parts.iter().map(i64::to_string).collect();
    format!(
        "DELETE FROM alert_search WHERE (project_id, part, slot) IN (SELECT project_id, part, slot FROM alert_search \
         WHERE project_id = {project} AND part IN ({}) LIMIT {limit})",
        parts.join(", ")
    )
}

/// Deletes the receipts of POSTs received before a time among the first of a project.
fn delete_receipts(project: ProjectId, before: i64, limit: usize) -> String {
    format!(
        "DELETE FROM alert_receipts WHERE (project_id, id) IN (SELECT project_id, id FROM (SELECT project_id, id, received_at \
         FROM alert_receipts WHERE project_id = {project} ORDER BY id LIMIT {limit}) AS examined WHERE received_at < {before})"
    )
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Returns the age of the resolved alerts of the next project with alerts.
        pub(in crate::alerts) fn oldest_resolved_after(
            &mut self,
            beyond: Option<ProjectId>,
        ) -> Result<Option<OldestResolved>, StoreError> {
            let text = oldest_resolved(beyond.map_or(i64::MIN, ProjectId::get));
            let found: Option<OldestRow> =
                self.value_if("find oldest resolved alert", diesel::sql_query(text))?;
            let Some(row) = found else { return Ok(None) };
            let reader = RowReader::new("alerts", row.project_id);
            Ok(Some(OldestResolved {
                project_id: ProjectId::new(row.project_id),
                updated_at: reader.optional_timestamp(row.updated_at)?,
            }))
        }

        /// Returns resolved alerts of a project that changed last before a time.
        pub(in crate::alerts) fn resolved_before(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<Vec<AlertId>, StoreError> {
            let mut all: Vec<AlertId> = Vec::new();
            for severity in SEVERITIES {
                let old = alerts::table
                    .filter(alerts::project_id.eq(project.get()))
                    .filter(alerts::status.eq(RESOLVED))
                    .filter(alerts::severity.eq(severity))
                    .filter(alerts::updated_at.lt(before.as_micros()))
                    .order(alerts::updated_at)
                    .select(alerts::id)
                    .limit(row_limit(limit.saturating_sub(all.len())));
                let ids: Vec<i64> = self.values("list old alerts", old)?;
                all.extend(ids.into_iter().map(AlertId::new));
            }
            Ok(all)
        }

        /// Returns the first receipt of the next project with receipts.
        pub(in crate::alerts) fn oldest_receipt_after(
            &mut self,
            beyond: Option<ProjectId>,
        ) -> Result<Option<Receipt>, StoreError> {
            let beyond = beyond.map_or(i64::MIN, ProjectId::get);
            let first = alert_receipts::table
                .filter(alert_receipts::project_id.gt(beyond))
                .order((alert_receipts::project_id, alert_receipts::id))
                .limit(1);
            self.find::<ReceiptRow>("find oldest receipt", first)
        }
    }

    impl WriteTx<'_> {
        /// Deletes resolved alerts of a project.
        pub(in crate::alerts) fn delete_resolved(
            &mut self,
            project: ProjectId,
            ids: &[AlertId],
        ) -> Result<usize, StoreError> {
            if ids.is_empty() {
                return Ok(0);
            }
            let delete = diesel::sql_query(delete_resolved(project, ids));
            self.execute("delete old alerts", delete)
        }

        /// Deletes rows of the search index of a project that are about deleted alerts only.
        pub(in crate::alerts) fn delete_unused_parts(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete search index of old alerts";
            let unused = diesel::sql_query(unused_parts(project));
            let unused: Vec<AlertNumberRow> = self.values(DELETE, unused)?;
            let parts: Vec<i64> = unused.into_iter().map(|row| row.number).collect();
            if parts.is_empty() {
                return Ok(0);
            }
            let delete = delete_parts(project, &parts, limit);
            self.execute(DELETE, diesel::sql_query(delete))
        }

        /// Deletes old receipts among the first of a project.
        pub(in crate::alerts) fn delete_old_receipts(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let delete = delete_receipts(project, before.as_micros(), limit);
            self.execute("delete old receipts", diesel::sql_query(delete))
        }
    }
}
