//! Changes to the settings of a project for incidents, with their entries in the audit log.

use accounts::AuditEventName;
use alert_intake::model::{IncidentSettings, Severity, SeveritySet};
use api_conventions::ids::ProjectId;
use storage::StoreError;

use super::settings_of;
use crate::database::WriteTransaction;
use crate::flows::groups::Actor;
use crate::flows::projects::note;

/// Changes to the settings of a project; `None` keeps a value.
#[derive(Debug, Clone, Default)]
pub struct IncidentSettingsEdit {
    /// True if intake creates incidents.
    pub create_incidents: Option<bool>,
    /// Severities of the alerts for which incidents are created.
    pub severities: Option<SeveritySet>,
    /// Markdown appended to the description of each new incident.
    pub template: Option<String>,
    /// True if an incident closes with the last of its open alerts.
    pub close_incidents: Option<bool>,
}

impl IncidentSettingsEdit {
    /// Returns the settings after the edit, for a form that is shown again.
    #[must_use]
    pub fn apply(&self, before: IncidentSettings) -> IncidentSettings {
        IncidentSettings {
            project_id: before.project_id,
            create_incidents: self.create_incidents.unwrap_or(before.create_incidents),
            severities: self.severities.unwrap_or(before.severities),
            template: self.template.clone().unwrap_or(before.template),
            close_incidents: self.close_incidents.unwrap_or(before.close_incidents),
        }
    }
}

/// Changes the settings of a project, with an entry in the audit log for each setting that changes, and returns them. The
/// caller must check that the actor may change them, and the length of the template.
///
/// # Errors
/// Failures of the store.
pub fn change_settings(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    edit: &IncidentSettingsEdit,
    actor: Actor,
) -> Result<IncidentSettings, StoreError> {
    // Concurrent changes of one project follow each other: none undoes another, and the log tells what each of them
    // changed.
    tx.lock_issues(project)?;
    let before = settings_of(tx, project)?;
    let settings = edit.apply(before.clone());
    let changes = values(&before).into_iter().zip(values(&settings));
    let changes: Vec<_> = changes.filter(|(from, to)| from != to).collect();
    if before.template == settings.template && changes.is_empty() {
        return Ok(settings);
    }
    tx.put_incident_settings(&settings)?;
    for ((name, from), (_, to)) in &changes {
        let fields = [("incident_setting", *name), ("from", from), ("to", to)];
        note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    }
    if before.template != settings.template {
        // The text may be long, and is not about access.
        let fields = [("incident_setting", "template"), ("to", "new text")];
        note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    }
    Ok(settings)
}

/// Returns the short settings with their names, as the audit log shows them.
fn values(settings: &IncidentSettings) -> [(&'static str, String); 3] {
    let switch = |is_on| if is_on { "on" } else { "off" }.to_owned();
    let severities = settings.severities.severities();
    let severities: Vec<&str> = severities.map(Severity::as_str).collect();
    [
        ("create_incidents", switch(settings.create_incidents)),
        ("severities", severities.join(",")),
        ("close_incidents", switch(settings.close_incidents)),
    ]
}
