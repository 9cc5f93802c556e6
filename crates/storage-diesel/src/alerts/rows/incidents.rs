//! Rows of the settings for incidents, of the links between alerts and incidents, and of the alerts of an incident.

use alert_intake::model::{AlertSummary, IncidentLink, IncidentSettings, SeveritySet};
use api_conventions::ids::{AlertId, IssueId, ProjectId};
use diesel::prelude::*;
use storage::StoreError;

use super::AlertRow;
use crate::alerts::tables::incident_settings;
use crate::rows::{DomainRow, KeyedRow, RowReader};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = incident_settings)]
pub(crate) struct IncidentSettingsRow {
    project_id: i64,
    create_incidents: bool,
    severities: i16,
    template: String,
    close_incidents: bool,
}

impl DomainRow for IncidentSettingsRow {
    type Value = IncidentSettings;

    fn read(self) -> Result<IncidentSettings, StoreError> {
        let row = RowReader::new("incident_settings", self.project_id);
        let bits = u8::try_from(self.severities).ok();
        let severities = bits.and_then(SeveritySet::from_bits);
        Ok(IncidentSettings {
            project_id: ProjectId::new(self.project_id),
            create_incidents: self.create_incidents,
            severities: row.require(severities, "unknown severity")?,
            template: self.template,
            close_incidents: self.close_incidents,
        })
    }
}

impl From<&IncidentSettings> for IncidentSettingsRow {
    fn from(settings: &IncidentSettings) -> Self {
        Self {
            project_id: settings.project_id.get(),
            create_incidents: settings.create_incidents,
            severities: settings.severities.bits().into(),
            template: settings.template.clone(),
            close_incidents: settings.close_incidents,
        }
    }
}

/// Columns of a link: the project, the alert and the incident.
pub(crate) type LinkValues = (i64, i64, i64);

pub(crate) fn link_values(link: &IncidentLink) -> LinkValues {
    let IncidentLink {
        project_id,
        alert_id,
        issue_id,
    } = link;
    (project_id.get(), alert_id.get(), issue_id.get())
}

pub(crate) fn link_of((project, alert, issue): LinkValues) -> IncidentLink {
    IncidentLink {
        project_id: ProjectId::new(project),
        alert_id: AlertId::new(alert),
        issue_id: IssueId::new(issue),
    }
}

/// Alert of an incident, with its id as the key.
#[derive(Queryable, Selectable)]
#[diesel(table_name = alerts)]
pub(crate) struct AlertOfIncidentRow {
    #[diesel(embed)]
    alert: AlertRow,
}

impl KeyedRow for AlertOfIncidentRow {
    fn key(&self) -> i64 {
        self.alert.id
    }
}

impl DomainRow for AlertOfIncidentRow {
    type Value = AlertSummary;

    fn read(self) -> Result<AlertSummary, StoreError> {
        self.alert.read()
    }
}
