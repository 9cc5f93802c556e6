//! Recent errors of a set of projects, and those of one project by environment.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use error_tracking::model::TrackedError;
use error_tracking::rules::tags::ENVIRONMENT;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::errors::{ErrorRow, errors};
use crate::bulk::ComposedQuery;
use crate::project_lists::ProjectList;
use crate::transaction::row_limit;

/// Unresolved errors of each project that first happened at a time or later, and those that regressed, the latest first.
fn recent(since: Timestamp) -> [ProjectList; 2] {
    let since = since.as_micros();
    // The conditions on the regressions are those of their index.
    [
        ProjectList {
            table: "errors",
            conditions: format!("e.status = 0 AND e.first_seen >= {since}"),
            columns: &["first_seen", "iid"],
            direction: "DESC",
        },
        ProjectList {
            table: "errors",
            conditions: format!(
                "e.status = 0 AND e.regressed_at IS NOT NULL AND e.regressed_at >= {since}"
            ),
            columns: &["regressed_at", "iid"],
            direction: "DESC",
        },
    ]
}

/// Counts the newest errors of a project by the environments of their events. Joins in this order read only the tags of
/// those errors.
fn by_environment(
    project: ProjectId,
    since: Timestamp,
    limit: usize,
) -> ComposedQuery<(Text, BigInt)> {
    let (since, limit) = (since.as_micros(), row_limit(limit));
    let mut query = ComposedQuery::new(format!(
        "SELECT t.value, COUNT(DISTINCT e.id) FROM (SELECT id FROM errors WHERE project_id = {project} AND status = 0 \
         AND first_seen >= {since} ORDER BY first_seen DESC, iid DESC LIMIT {limit}) AS e CROSS JOIN error_keys AS k \
         CROSS JOIN error_tags AS t WHERE k.error_id = e.id AND t.key_id = k.id AND t.name = "
    ));
    query.bind(ENVIRONMENT).sql(" GROUP BY t.value");
    query
}

#[for_each_database(dialect = crate::errors)]
mod database {
    impl ReadTx<'_> {
        /// Returns the latest unresolved errors of a set of projects that appeared or regressed since a time.
        pub(in crate::errors) fn recent_errors(
            &mut self,
            projects: &[ProjectId],
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<TrackedError>, StoreError> {
            const RECENT: &str = "list recent errors";
            let mut ids = Vec::new();
            for list in recent(since) {
                ids.extend(self.first_ids_of_projects(RECENT, &list, projects, limit)?);
            }
            // An error may be in both lists. The first of each contain the first of all.
            ids.sort_unstable();
            ids.dedup();
            let rows = errors::table.filter(errors::id.eq_any(ids));
            let mut found = self.list::<ErrorRow>(RECENT, rows)?;
            found.sort_by_key(|error| {
                let place = std::cmp::Reverse((error.surfaced_at(), error.iid));
                (place, error.project_id)
            });
            found.truncate(limit);
            Ok(found)
        }

        /// Counts the newest errors of a project by the environments of their events.
        pub(in crate::errors) fn new_errors_by_environment(
            &mut self,
            project: ProjectId,
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<(String, i64)>, StoreError> {
            let counted = by_environment(project, since, limit);
            let mut counts: Vec<(String, i64)> = self.values("count new errors", counted)?;
            counts.sort_unstable();
            Ok(counts)
        }
    }
}
