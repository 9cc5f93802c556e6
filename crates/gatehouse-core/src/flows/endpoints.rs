//! Changes to the alert endpoints of projects, with their entries in the audit log.

use accounts::AuditEventName;
use alert_intake::model::{Integration, IntegrationChange};
use api_conventions::ids::ProjectId;
use storage::StoreError;

use super::groups::Actor;
use super::projects::note;
use crate::database::WriteTransaction;

/// Updates the endpoint of a project with this identifier, and returns it; `None` if there is none.
/// Every process learns of the change before the next alert with an old key. The caller must check that the actor may
/// configure endpoints.
///
/// # Errors
/// Failures of the store.
pub fn change_endpoint(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    identifier: &str,
    change: IntegrationChange,
    actor: Actor,
) -> Result<Option<Integration>, StoreError> {
    let Some(changed) = tx.update_integration(project, identifier, change)? else {
        return Ok(None);
    };
    let to = match change {
        IntegrationChange::Active(true) => "on",
        IntegrationChange::Active(false) => "off",
        IntegrationChange::Key(_) => "new key",
    };
    let fields = [("alert_endpoint", identifier), ("to", to)];
    note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    Ok(Some(changed))
}
