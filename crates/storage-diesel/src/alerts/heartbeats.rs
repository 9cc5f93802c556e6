//! Heartbeats of alert endpoints.

use alert_intake::model::Heartbeat;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::heartbeats::HeartbeatRow;
use super::tables::alert_heartbeats;
use crate::transaction::row_limit;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        pub(in crate::alerts) fn heartbeats_of(
            &mut self,
            project: ProjectId,
        ) -> Result<Vec<Heartbeat>, StoreError> {
            let rows =
                alert_heartbeats::table.filter(alert_heartbeats::project_id.eq(project.get()));
            self.list::<HeartbeatRow>("list heartbeats", rows)
        }

        pub(in crate::alerts) fn due_heartbeats(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<Heartbeat>, StoreError> {
            let rows = alert_heartbeats::table
                .filter(alert_heartbeats::due_at.le(now.as_micros()))
                .order((alert_heartbeats::due_at, alert_heartbeats::integration_id))
                .limit(row_limit(limit));
            self.list::<HeartbeatRow>("list due heartbeats", rows)
        }
    }

    impl WriteTx<'_> {
        pub(in crate::alerts) fn store_heartbeat(
            &mut self,
            heartbeat: &Heartbeat,
        ) -> Result<(), StoreError> {
            let row = HeartbeatRow::from(heartbeat);
            let insert = diesel::insert_into(alert_heartbeats::table)
                .values(&row)
                .on_conflict(alert_heartbeats::integration_id)
                .do_update()
                .set(&row);
            self.execute("put heartbeat", insert).map(drop)
        }

        pub(in crate::alerts) fn postpone_due_heartbeats(
            &mut self,
            start: Timestamp,
        ) -> Result<(), StoreError> {
            let whole = alert_heartbeats::patience * SECOND + start.as_micros();
            let early =
                alert_heartbeats::table.filter(alert_heartbeats::due_at.lt(whole.nullable()));
            let update = diesel::update(early).set(alert_heartbeats::due_at.eq(whole.nullable()));
            self.execute("postpone heartbeats", update).map(drop)
        }

        pub(in crate::alerts) fn remove_heartbeat(
            &mut self,
            project: ProjectId,
            endpoint: IntegrationId,
        ) -> Result<(), StoreError> {
            let row = alert_heartbeats::table
                .find(endpoint.get())
                .filter(alert_heartbeats::project_id.eq(project.get()));
            self.execute("delete heartbeat", diesel::delete(row))
                .map(drop)
        }
    }
}
