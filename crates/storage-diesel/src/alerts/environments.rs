//! Environments that alerts name.

use std::fmt::Write as _;

use alert_intake::model::{OpenAlertCounts, Severity};
use api_conventions::ids::ProjectId;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Untyped};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::bulk::ComposedQuery;

/// Environments that one statement counts, at most.
const COUNTED_AT_ONCE: usize = 100;

/// Number of open alerts of one severity.
#[derive(diesel::QueryableByName)]
struct OpenCountRow {
    #[diesel(sql_type = Integer)]
    place: i32,
    #[diesel(sql_type = Integer)]
    severity: i32,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Selects the first environment names after one among the alerts of a status: one place of the index for each name.
fn names(
    project: ProjectId,
    status: i16,
    after: &str,
    limit: usize,
) -> ComposedQuery<Nullable<Text>> {
    const END: &str = " ORDER BY a.environment_name LIMIT 1";
    let next = format!(
        "SELECT a.environment_name FROM alerts AS a WHERE a.project_id = {project} AND a.status = {status} \
         AND a.environment_name > "
    );
    let mut query = ComposedQuery::new(format!(
        "WITH RECURSIVE names (name, place) AS (SELECT ({next}"
    ));
    query.bind(after).sql(format!(
        "{END}), 1 UNION ALL SELECT ({next}names.name{END}), names.place + 1 FROM names \
         WHERE names.name IS NOT NULL AND names.place < {limit}) SELECT name FROM names WHERE name IS NOT NULL"
    ));
    query
}

/// Counts the open alerts of environments by severity, each up to the limit.
fn counts(environments: &[(ProjectId, String)]) -> ComposedQuery<Untyped> {
    let mut severities = String::new();
    for severity in Severity::ALL {
        let comma = if severities.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(severities, "{comma}({})", severity.number());
    }
    let mut query = ComposedQuery::new(format!(
        "SELECT p.column1 AS place, s.column1 AS severity, (SELECT COUNT(*) FROM (SELECT 1 AS one FROM alerts AS a \
         WHERE a.project_id = p.column2 AND a.status IN (0, 1) AND a.environment_name = p.column3 \
         AND a.severity = s.column1 LIMIT {}) AS counted) AS number FROM (VALUES ",
        OpenAlertCounts::LIMIT
    ));
    for (place, (project, name)) in environments.iter().enumerate() {
        let comma = if place > 0 { ", " } else { "" };
        query.sql(format!("{comma}({place}, {project}, "));
        query.bind(name.as_str()).sql(")");
    }
    query.sql(format!(") AS p CROSS JOIN (VALUES {severities}) AS s"));
    query
}

/// Arranges counts in the order of their environments.
fn arranged(count: usize, rows: &[OpenCountRow]) -> Vec<OpenAlertCounts> {
    let mut all = vec![OpenAlertCounts::default(); count];
    for row in rows {
        let place = usize::try_from(row.place).unwrap_or(usize::MAX);
        let severity = i16::try_from(row.severity).ok();
        let severity = severity.and_then(Severity::from_number);
        if let (Some(counts), Some(severity)) = (all.get_mut(place), severity) {
            counts.set(severity, u16::try_from(row.number).unwrap_or(u16::MAX));
        }
    }
    all
}

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Returns the first environment names after one among open alerts.
        pub(in crate::alerts) fn names_of_environments(
            &mut self,
            project: ProjectId,
            after: &str,
            limit: usize,
        ) -> Result<Vec<String>, StoreError> {
            let mut all = Vec::new();
            if limit == 0 {
                return Ok(all);
            }
            for status in [0, 1] {
                let list = names(project, status, after, limit);
                let found: Vec<Option<String>> = self.values("list alert environments", list)?;
                all.extend(found.into_iter().flatten());
            }
            all.sort_unstable();
            all.dedup();
            all.truncate(limit);
            Ok(all)
        }

        /// Counts the open alerts of environments.
        pub(in crate::alerts) fn open_alerts_of(
            &mut self,
            environments: &[(ProjectId, String)],
        ) -> Result<Vec<OpenAlertCounts>, StoreError> {
            let mut all = Vec::new();
            for some in environments.chunks(COUNTED_AT_ONCE) {
                let rows: Vec<OpenCountRow> = self.values("count open alerts", counts(some))?;
                all.extend(arranged(some.len(), &rows));
            }
            Ok(all)
        }
    }
}
