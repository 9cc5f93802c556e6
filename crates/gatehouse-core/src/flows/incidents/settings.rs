//! Changes to the settings of a project for incidents, with their entries in the audit log.

use accounts::AuditEventName;
use alert_intake::model::{IncidentSettings, Severity};
use storage::StoreError;

use super::settings_of;
use crate::database::WriteTransaction;
use crate::flows::groups::Actor;
use crate::flows::projects::note;

/// Stores the settings of a project, with an entry in the audit log for each setting that changes. The caller must check
/// that the actor may change them, and the length of the template.
///
/// # Errors
/// Failures of the store.
pub fn change_settings(
    tx: &mut dyn WriteTransaction,
    settings: &IncidentSettings,
    actor: Actor,
) -> Result<(), StoreError> {
    let project = settings.project_id;
    // Concurrent changes of one project follow each other, so that the log tells what each of them changed.
    tx.lock_issues(project)?;
    let before = settings_of(tx, project)?;
    let changes = values(&before).into_iter().zip(values(settings));
    let changes: Vec<_> = changes.filter(|(from, to)| from != to).collect();
    if before.template == settings.template && changes.is_empty() {
        return Ok(());
    }
    tx.put_incident_settings(settings)?;
    for ((name, from), (_, to)) in &changes {
        let fields = [("incident_setting", *name), ("from", from), ("to", to)];
        note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    }
    if before.template != settings.template {
        // The text may be long, and is not about access.
        let fields = [("incident_setting", "template"), ("to", "new text")];
        note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    }
    Ok(())
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
