//! Preparation of alerts for searches.

use alert_intake::model::ReportDigest;
use alert_intake::search::{PART, SearchPart, SearchedTexts, Slice, first_iid};
use alert_intake::store::AlertRepository as _;
use api_conventions::ids::{AlertIid, ProjectId};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::PREPARE;
use super::lists::SliceRow;

/// Part that can be prepared: its project has stored all of its alerts.
#[derive(diesel::QueryableByName)]
pub(super) struct NextPartRow {
    #[diesel(sql_type = BigInt)]
    pub(super) project_id: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) part: i64,
}

/// Selects the most overdue part: that of the project with the most unprepared alerts.
pub(super) fn next_part() -> String {
    format!(
        "SELECT c.project_id, COALESCE(p.parts, 0) AS part FROM alert_counters AS c \
         LEFT JOIN alert_search_progress AS p ON p.project_id = c.project_id \
         WHERE c.next_iid > (COALESCE(p.parts, 0) + 1) * {PART} \
         ORDER BY c.next_iid - COALESCE(p.parts, 0) * {PART} DESC LIMIT 1"
    )
}

/// An alert of the part.
#[derive(diesel::QueryableByName)]
pub(super) struct PartRow {
    #[diesel(sql_type = BigInt)]
    iid: i64,
    #[diesel(sql_type = Text)]
    title: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    service: String,
    #[diesel(sql_type = Text)]
    monitoring_tool: String,
}

impl PartRow {
    pub(super) fn texts(&self) -> (AlertIid, SearchedTexts<'_>) {
        let texts = SearchedTexts {
            title: &self.title,
            description: &self.description,
            service: &self.service,
            monitoring_tool: &self.monitoring_tool,
        };
        (AlertIid::new(self.iid), texts)
    }
}

/// Selects the texts of all alerts of a part.
pub(super) fn texts_of_part(project: ProjectId, part: i64) -> String {
    format!(
        "SELECT iid, title, description, service, monitoring_tool FROM alerts \
         WHERE project_id = {project} AND iid BETWEEN {} AND {}",
        first_iid(part),
        first_iid(part + 1) - 1
    )
}

/// Alerts whose changed texts are added to the index at once.
const REVISED_AT_ONCE: usize = 16;

/// A resolved alert whose texts changed after they were indexed.
#[derive(diesel::QueryableByName)]
pub(super) struct RevisedRow {
    #[diesel(embed)]
    texts: PartRow,
    #[diesel(sql_type = BigInt)]
    report_digest: i64,
}

/// Builds the index of alerts whose texts changed.
pub(super) fn revised(next: &NextPartRow, rows: &[RevisedRow]) -> SearchPart {
    let project = ProjectId::new(next.project_id);
    let texts = rows.iter().map(|row| row.texts.texts());
    let mut part = SearchPart::of(project, next.part, texts);
    for row in rows {
        let iid = row.texts.iid;
        let report = ReportDigest::from_number(row.report_digest);
        part.revised.push((AlertIid::new(iid), report));
    }
    part
}

/// Selects the part of an indexed alert that is resolved and whose texts changed since: one place of an index for each
/// project with an index.
pub(super) fn next_revised_part() -> String {
    format!(
        "SELECT project_id, (iid - 1) / {PART} AS part FROM (SELECT p.project_id, (SELECT a.iid FROM alerts AS a \
         WHERE a.status = 2 AND a.project_id = p.project_id AND a.texts_changed \
         AND a.iid <= p.parts * {PART} ORDER BY a.iid LIMIT 1) AS iid FROM alert_search_progress AS p) AS revised \
         WHERE iid IS NOT NULL LIMIT 1"
    )
}

/// Selects the texts of the first resolved alerts of a part that changed.
pub(super) fn revised_texts(project: ProjectId, part: i64) -> String {
    format!(
        "SELECT iid, title, description, service, monitoring_tool, report_digest FROM alerts \
         WHERE status = 2 AND project_id = {project} AND texts_changed AND iid BETWEEN {} AND {} \
         ORDER BY iid LIMIT {REVISED_AT_ONCE}",
        first_iid(part),
        first_iid(part + 1) - 1
    )
}

/// Selects the numbers of the alerts in a range that a search reads whatever the index says.
pub(super) fn changed_between(project: ProjectId, first: i64, last: i64) -> String {
    format!(
        "SELECT iid FROM alerts WHERE project_id = {project} \
         AND texts_changed AND iid BETWEEN {first} AND {last} ORDER BY iid"
    )
}

/// Selects the existing slices of a part for these slots, of which there is at least one.
pub(super) fn slices_of_part(part: &SearchPart) -> String {
    let slots: Vec<String> = part
        .slices
        .iter()
        .map(|(slot, _)| slot.to_string())
        .collect();
    format!(
        "SELECT part, slot, blocks FROM alert_search WHERE project_id = {} AND part = {} AND slot IN ({})",
        part.project_id,
        part.number,
        slots.join(", ")
    )
}

/// Marks alerts as indexed, unless their texts have changed again.
pub(super) fn mark_indexed(project: ProjectId, revised: &[(AlertIid, ReportDigest)]) -> String {
    let iids: Vec<String> = revised.iter().map(|(iid, _)| iid.to_string()).collect();
    let seen: Vec<String> = revised
        .iter()
        .map(|(iid, report)| format!("({iid}, {})", report.number()))
        .collect();
    format!(
        "UPDATE alerts SET texts_changed = FALSE WHERE project_id = {project} AND iid IN ({}) \
         AND (iid, report_digest) IN (VALUES {})",
        iids.join(", "),
        seen.join(", ")
    )
}

/// Adds existing slices to those of a part. A slice of another length is replaced, because a search refuses to read it.
pub(super) fn merge(part: &mut SearchPart, known: &[SliceRow]) {
    for row in known {
        let slot = |(slot, _): &(u16, Slice)| i32::from(*slot).cmp(&row.slot);
        let Ok(place) = part.slices.binary_search_by(slot) else {
            continue;
        };
        if let Some((_, slice)) = part.slices.get_mut(place)
            && row.blocks.len() == slice.len()
        {
            let bytes = slice.iter_mut().zip(&row.blocks);
            bytes.for_each(|(byte, known)| *byte |= known);
        }
    }
}

/// Locks the progress of a project if it is beyond this part, whose index exists then.
pub(super) fn hold(project: ProjectId, part: i64) -> String {
    format!(
        "UPDATE alert_search_progress SET parts = parts WHERE project_id = {project} AND parts > {part}"
    )
}

/// Marks a part as prepared, if it is the next one.
/// Of several transactions that prepared it at the same time, one changes a row; the others wait for it and change
/// none.
pub(super) fn claim(project: ProjectId, part: i64) -> String {
    format!(
        "INSERT INTO alert_search_progress (project_id, parts) VALUES ({project}, {next}) \
         ON CONFLICT (project_id) DO UPDATE SET parts = excluded.parts \
         WHERE alert_search_progress.parts = {part}",
        next = part + 1
    )
}

#[for_each_database(dialect = crate::alerts)]
mod database {
    impl ReadTx<'_> {
        /// Builds the index of the next alerts whose texts changed after they were indexed.
        pub(in crate::alerts) fn revised_search_part(
            &mut self,
        ) -> Result<Option<SearchPart>, StoreError> {
            let next: Option<NextPartRow> =
                self.value_if(PREPARE, diesel::sql_query(next_revised_part()))?;
            let Some(next) = next else { return Ok(None) };
            let texts = revised_texts(ProjectId::new(next.project_id), next.part);
            let rows: Vec<RevisedRow> = self.values(PREPARE, diesel::sql_query(texts))?;
            Ok(Some(revised(&next, &rows)))
        }
    }

    impl WriteTx<'_> {
        /// Adds the index of revised alerts to that of their part. Returns `false` if the part is not indexed.
        pub(in crate::alerts) fn add_to_search_part(
            &mut self,
            part: &SearchPart,
        ) -> Result<bool, StoreError> {
            // Intake changes the same rows; it locks the project first.
            self.lock_alerts(&[part.project_id])?;
            self.run(PREPARE, |connection| {
                let hold = diesel::sql_query(hold(part.project_id, part.number));
                if hold.execute(connection)? == 0 {
                    return Ok(false);
                }
                let mut all = part.clone();
                if !all.slices.is_empty() {
                    let known: Vec<SliceRow> =
                        diesel::sql_query(slices_of_part(part)).load(connection)?;
                    merge(&mut all, &known);
                    dialect::insert_slices(connection, &all)?;
                }
                diesel::sql_query(mark_indexed(part.project_id, &part.revised))
                    .execute(connection)?;
                Ok(true)
            })
        }
    }
}
