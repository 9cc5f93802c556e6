//! Rows of heartbeats.

use alert_intake::model::Heartbeat;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use crate::alerts::tables::alert_heartbeats;
use crate::rows::{DomainRow, RowReader};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = alert_heartbeats, treat_none_as_null = true)]
pub(crate) struct HeartbeatRow {
    integration_id: i64,
    project_id: i64,
    last_at: i64,
    patience: i64,
    due_at: Option<i64>,
}

impl DomainRow for HeartbeatRow {
    type Value = Heartbeat;

    fn read(self) -> Result<Heartbeat, StoreError> {
        let row = RowReader::new("alert_heartbeats", self.integration_id);
        Ok(Heartbeat {
            integration_id: IntegrationId::new(self.integration_id),
            project_id: ProjectId::new(self.project_id),
            last_at: row.timestamp(self.last_at)?,
            patience: self.patience,
            due_at: self.due_at.map(|due| row.timestamp(due)).transpose()?,
        })
    }
}

impl From<&Heartbeat> for HeartbeatRow {
    fn from(heartbeat: &Heartbeat) -> Self {
        Self {
            integration_id: heartbeat.integration_id.get(),
            project_id: heartbeat.project_id.get(),
            last_at: heartbeat.last_at.as_micros(),
            patience: heartbeat.patience,
            due_at: heartbeat.due_at.map(Timestamp::as_micros),
        }
    }
}
