//! Rows of monitors.

use api_conventions::ids::{MonitorId, ProjectId};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use error_tracking::monitors::{Monitor, MonitorKey, MonitorState};
use storage::StoreError;

use crate::errors::tables::monitors;
use crate::rows::{DomainRow, RowReader};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = monitors)]
pub(crate) struct MonitorRow {
    id: i64,
    project_id: i64,
    slug: String,
    environment: String,
    state: String,
}

impl DomainRow for MonitorRow {
    type Value = Monitor;

    fn read(self) -> Result<Monitor, StoreError> {
        let row = RowReader::new("monitors", self.id);
        let state = serde_json::from_str(&self.state);
        Ok(Monitor {
            id: MonitorId::new(self.id),
            key: MonitorKey {
                project_id: ProjectId::new(self.project_id),
                slug: self.slug,
                environment: self.environment,
            },
            state: state.map_err(|_| row.inconsistent("unreadable state"))?,
        })
    }
}

#[derive(Debug, Insertable, AsChangeset)]
#[diesel(table_name = monitors, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct NewMonitorRow<'v> {
    project_id: i64,
    slug: &'v str,
    environment: &'v str,
    due_at: Option<i64>,
    state: String,
}

impl<'v> NewMonitorRow<'v> {
    #[expect(
        clippy::expect_used,
        reason = "a state is numbers, strings and lists, which always serialize to JSON"
    )]
    pub(crate) fn of(key: &'v MonitorKey, state: &MonitorState) -> Self {
        Self {
            project_id: key.project_id.get(),
            slug: &key.slug,
            environment: &key.environment,
            due_at: state.due_at().map(Timestamp::as_micros),
            state: serde_json::to_string(state).expect("a state serializes to JSON"),
        }
    }
}
