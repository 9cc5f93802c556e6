//! Monitors.

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use error_tracking::monitors::{Monitor, MonitorKey, MonitorState};
use error_tracking::store::{MonitorQueries, MonitorRepository};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::monitors::{MonitorRow, NewMonitorRow};
use super::tables::monitors;
use crate::transaction::row_limit;

#[for_each_database]
mod database {
    impl ::error_tracking::store::MonitorQueriesWrapper for WriteTx<'_> {}

    impl MonitorQueries for ReadTx<'_> {
        fn find_monitor(&mut self, key: &MonitorKey) -> Result<Option<Monitor>, StoreError> {
            let row = monitors::table
                .filter(monitors::project_id.eq(key.project_id.get()))
                .filter(monitors::slug.eq(&key.slug))
                .filter(monitors::environment.eq(&key.environment));
            self.find::<MonitorRow>("find monitor", row)
        }

        fn list_monitors(&mut self, project: ProjectId) -> Result<Vec<Monitor>, StoreError> {
            let rows = monitors::table
                .filter(monitors::project_id.eq(project.get()))
                .order((monitors::slug, monitors::environment));
            self.list::<MonitorRow>("list monitors", rows)
        }

        fn list_due_monitors(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<Monitor>, StoreError> {
            let rows = monitors::table
                .filter(monitors::due_at.le(now.as_micros()))
                .order((monitors::due_at, monitors::id))
                .limit(row_limit(limit));
            self.list::<MonitorRow>("list due monitors", rows)
        }
    }

    impl MonitorRepository for WriteTx<'_> {
        fn put_monitor(
            &mut self,
            key: &MonitorKey,
            state: &MonitorState,
        ) -> Result<(), StoreError> {
            let row = NewMonitorRow::of(key, state);
            let insert = diesel::insert_into(monitors::table)
                .values(&row)
                .on_conflict((monitors::project_id, monitors::slug, monitors::environment))
                .do_update()
                .set(&row);
            self.execute("put monitor", insert).map(drop)
        }

        fn delete_monitor(
            &mut self,
            project: ProjectId,
            id: MonitorId,
        ) -> Result<bool, StoreError> {
            let row = monitors::table
                .find(id.get())
                .filter(monitors::project_id.eq(project.get()));
            self.changes("delete monitor", diesel::delete(row))
        }
    }
}
