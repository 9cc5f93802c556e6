//! List of the open alerts of several projects.

use alert_intake::model::{AlertSummary, OpenAlertFilter, OpenAlertPosition};
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::alerts::rows::AlertRow;
use crate::alerts::tables::alerts;
use crate::project_lists::ProjectList;

/// Lists of open alerts of each project, the most severe first, which together have the alerts of a filter: one for each
/// status, and one for each of them and each severity if the filter names severities.
fn open_lists(filter: &OpenAlertFilter) -> Vec<ProjectList> {
    let list = |conditions| ProjectList {
        table: "alerts",
        conditions,
        columns: &["severity", "started_at", "iid"],
        direction: "ASC",
    };
    let mut lists = Vec::new();
    for status in filter.statuses() {
        let of_status = format!("e.status = {}", status.number());
        if filter.severities.is_empty() {
            let behind = filter.after.map(behind_open).unwrap_or_default();
            lists.push(list(of_status + &behind));
            continue;
        }
        for severity in &filter.severities {
            let severity = severity.number();
            let behind = match filter.after {
                Some(after) if severity < after.severity => continue,
                Some(after) if severity == after.severity => behind_in_severity(after),
                _ => String::new(),
            };
            lists.push(list(format!(
                "{of_status} AND e.severity = {severity}{behind}"
            )));
        }
    }
    lists
}

/// Returns the condition on alerts behind a position, as ` AND …`.
fn behind_open(after: OpenAlertPosition) -> String {
    let (severity, start) = (after.severity, after.started_at.as_micros());
    let (iid, project) = (after.iid, after.project_id);
    format!(
        " AND (e.severity, e.started_at, e.iid, e.project_id) > ({severity}, {start}, {iid}, {project})"
    )
}

/// Returns the condition on alerts of the same severity behind a position, as ` AND …`.
fn behind_in_severity(after: OpenAlertPosition) -> String {
    let (start, iid, project) = (after.started_at.as_micros(), after.iid, after.project_id);
    format!(" AND (e.started_at, e.iid, e.project_id) > ({start}, {iid}, {project})")
}

#[for_each_database(dialect = crate::alerts)]
mod database {
    impl ReadTx<'_> {
        /// Returns the first open alerts of several projects.
        pub(in crate::alerts) fn open_alerts(
            &mut self,
            filter: &OpenAlertFilter,
            limit: usize,
        ) -> Result<Vec<AlertSummary>, StoreError> {
            const OPEN: &str = "list open alerts";
            let mut ids = Vec::new();
            for list in open_lists(filter) {
                ids.extend(self.first_ids_of_projects(OPEN, &list, &filter.projects, limit)?);
            }
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let rows = alerts::table.filter(alerts::id.eq_any(ids));
            let mut found = self.list::<AlertRow>(OPEN, rows)?;
            found.sort_by_key(OpenAlertPosition::of);
            found.truncate(limit);
            Ok(found)
        }
    }
}
