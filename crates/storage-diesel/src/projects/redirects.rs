//! Former paths of renamed or moved projects and groups, for redirects.

use storage::StoreError;
use storage_diesel_macros::for_each_database;

#[for_each_database]
mod database {
    impl WriteTx<'_> {
        /// Records the paths selected by `which`, a condition over `full_paths`, as former paths.
        pub(crate) fn add_redirects(&mut self, which: &str) -> Result<(), StoreError> {
            let left = format!(
                "INSERT INTO former_paths (path_key, namespace_id, project_id) \
                     SELECT path_key, namespace_id, project_id FROM full_paths WHERE {which} \
                     ON CONFLICT (path_key) DO UPDATE SET \
                     namespace_id = excluded.namespace_id, project_id = excluded.project_id"
            );
            self.execute("insert redirects", diesel::sql_query(left))
                .map(drop)
        }

        /// Deletes the redirects of paths that are in use again.
        pub(crate) fn delete_redirects(&mut self, which: &str) -> Result<(), StoreError> {
            let taken = format!(
                "DELETE FROM former_paths WHERE path_key IN \
                     (SELECT path_key FROM full_paths WHERE {which})"
            );
            self.execute("delete redirects", diesel::sql_query(taken))
                .map(drop)
        }
    }
}
