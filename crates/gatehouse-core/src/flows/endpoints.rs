//! Changes to the alert endpoints of projects, with their entries in the audit log.
//!
//! Every process learns of a change before the next alert with an old key. The caller must check that the actor may
//! configure endpoints.

use accounts::AuditEventName;
use alert_intake::flow::integrations::{self, IntegrationError, IntegrationUpdate};
use alert_intake::model::{Integration, IntegrationChange, NewIntegration};
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use storage::StoreError;

use super::groups::Actor;
use super::projects::note;
use crate::database::WriteTransaction;

/// Turns the endpoint of a project with this identifier on or off, and returns it; `None` if there is none.
///
/// # Errors
/// Failures of the store.
pub fn switch_endpoint(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    identifier: &str,
    active: bool,
    actor: Actor,
) -> Result<Option<Integration>, StoreError> {
    let change = IntegrationChange::Active(active);
    let Some(changed) = tx.update_integration(project, identifier, change)? else {
        return Ok(None);
    };
    note_change(tx, &changed, if active { "on" } else { "off" }, actor)?;
    Ok(Some(changed))
}

/// Creates an endpoint, and returns it.
///
/// # Errors
/// See [`IntegrationError`].
pub fn create_endpoint(
    tx: &mut dyn WriteTransaction,
    new: &NewIntegration,
    actor: Actor,
) -> Result<Integration, IntegrationError> {
    let created = integrations::create(tx, new)?;
    note_change(tx, &created, "created", actor)?;
    Ok(created)
}

/// Updates an endpoint, and returns it.
///
/// # Errors
/// See [`IntegrationError`].
pub fn update_endpoint(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: IntegrationId,
    update: &IntegrationUpdate,
    actor: Actor,
) -> Result<Integration, IntegrationError> {
    let (before, after) = integrations::update(tx, project, id, update)?;
    if before.active != after.active {
        note_change(tx, &after, if after.active { "on" } else { "off" }, actor)?;
    }
    if before.name != after.name || before.settings != after.settings {
        note_change(tx, &after, "other settings", actor)?;
    }
    Ok(after)
}

/// Sets a new key for an endpoint, and returns the endpoint. The old key is valid for `grace_seconds` more.
///
/// # Errors
/// See [`IntegrationError`].
pub fn rotate_endpoint_key(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: IntegrationId,
    key: SecretDigest,
    grace_seconds: i64,
    actor: Actor,
) -> Result<Integration, IntegrationError> {
    let changed = integrations::rotate_key(tx, project, id, key, grace_seconds, actor.now)?;
    note_change(tx, &changed, "new key", actor)?;
    Ok(changed)
}

/// Deletes an endpoint, and returns it. Its alerts and receipts stay.
///
/// # Errors
/// See [`IntegrationError`].
pub fn delete_endpoint(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: IntegrationId,
    actor: Actor,
) -> Result<Integration, IntegrationError> {
    let deleted = integrations::delete(tx, project, id)?;
    note_change(tx, &deleted, "deleted", actor)?;
    Ok(deleted)
}

fn note_change(
    tx: &mut dyn WriteTransaction,
    endpoint: &Integration,
    to: &str,
    actor: Actor,
) -> Result<(), StoreError> {
    let fields = [
        ("alert_endpoint", endpoint.endpoint_identifier.as_str()),
        ("to", to),
    ];
    note(
        tx,
        endpoint.project_id,
        AuditEventName::SettingChanged,
        &fields,
        actor,
    )
}
