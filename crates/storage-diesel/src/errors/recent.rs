//! Recent errors of a set of projects.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use error_tracking::model::TrackedError;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::errors::{ErrorRow, errors};
use crate::project_lists::ProjectList;

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
    }
}
