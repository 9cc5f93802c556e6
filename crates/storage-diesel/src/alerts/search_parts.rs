//! Preparation of alerts for searches.

use alert_intake::search::{PART, SearchedTexts, first_iid};
use api_conventions::ids::{AlertIid, ProjectId};
use diesel::sql_types::{BigInt, Text};

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
