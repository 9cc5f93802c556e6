//! The row of a project's settings.

use api_conventions::ids::ProjectId;
use diesel::prelude::*;
use error_tracking::model::{ExternalTracker, Settings};
use storage::StoreError;

use crate::errors::tables::error_settings;
use crate::rows::{DomainRow, RowReader};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = error_settings, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct SettingsRow {
    pub(crate) project_id: i64,
    active: bool,
    integrated: bool,
    api_url: Option<String>,
    project_name: Option<String>,
    token: Option<Vec<u8>>,
    options: String,
}

impl DomainRow for SettingsRow {
    type Value = Settings;

    fn read(self) -> Result<Settings, StoreError> {
        let row = RowReader::new("error_settings", self.project_id);
        let options = serde_json::from_str(&self.options);
        Ok(Settings {
            project_id: ProjectId::new(self.project_id),
            active: self.active,
            integrated: self.integrated,
            external: ExternalTracker {
                api_url: self.api_url,
                project_name: self.project_name,
                token: self.token,
            },
            options: options.map_err(|_| row.inconsistent("unreadable options"))?,
        })
    }
}

impl SettingsRow {
    #[expect(
        clippy::expect_used,
        reason = "options are numbers, strings and lists, which always serialize to JSON"
    )]
    pub(crate) fn of(settings: &Settings) -> Self {
        let options = serde_json::to_string(&settings.options);
        Self {
            project_id: settings.project_id.get(),
            active: settings.active,
            integrated: settings.integrated,
            api_url: settings.external.api_url.clone(),
            project_name: settings.external.project_name.clone(),
            token: settings.external.token.clone(),
            options: options.expect("options serialize to JSON"),
        }
    }
}
