//! Changes to the settings of error tracking and to client keys, with their entries in the audit log.
//! The caller must check that the actor is a Maintainer.

use accounts::AuditEventName;
use api_conventions::ids::{ClientKeyId, ProjectId};
use error_tracking::flow::keys::create_client_key;
use error_tracking::flow::settings::{
    OnMissingSettings, SettingsChange, SettingsRefusal, change_settings,
};
use error_tracking::model::{ClientKey, ClientKeyChange, Settings};
use storage::StoreError;

use super::groups::Actor;
use super::projects::note;
use crate::database::WriteTransaction;

/// Name of the fields in the audit log.
const SETTING: &str = "error_tracking";

/// Updates the settings of a project. `random` becomes the first client key if one is needed.
///
/// # Errors
/// See [`SettingsRefusal`].
pub fn change(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    change: &SettingsChange,
    without: OnMissingSettings,
    random: [u8; 16],
    actor: Actor,
) -> Result<Settings, SettingsRefusal> {
    let before = tx.find_error_settings(project)?;
    let settings = change_settings(tx, project, change, without, random, actor.now)?;
    let state = |settings: &Settings| match (settings.active, settings.integrated) {
        (false, _) => "off",
        (true, true) => "integrated",
        (true, false) => "external",
    };
    let from = before.as_ref().map_or("off", state);
    let to = state(&settings);
    let mut fields = vec![("setting", SETTING), ("from", from), ("to", to)];
    let address = |settings: &Settings| settings.external.api_url.clone();
    let tracker = address(&settings).unwrap_or_default();
    if before.as_ref().and_then(address) != address(&settings) {
        fields.push(("api_url", &tracker));
    }
    note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    Ok(settings)
}

/// Creates a client key from 16 random bytes.
///
/// # Errors
/// Failures of the store.
pub fn add_key(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    random: [u8; 16],
    actor: Actor,
) -> Result<ClientKey, StoreError> {
    let key = create_client_key(tx, project, random, actor.now)?;
    note_key(tx, &key, "made", actor)?;
    Ok(key)
}

/// Updates a client key. Every process learns of it before it answers the next request with the key.
///
/// # Errors
/// Failures of the store.
pub fn change_key(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: ClientKeyId,
    change: ClientKeyChange,
    actor: Actor,
) -> Result<Option<ClientKey>, StoreError> {
    let Some(key) = tx.update_client_key(project, id, change)? else {
        return Ok(None);
    };
    let to = match change {
        ClientKeyChange::Active(true) => "on",
        ClientKeyChange::Active(false) => "off",
        ClientKeyChange::EventsPerMinute(_) => "new limit",
    };
    note_key(tx, &key, to, actor)?;
    Ok(Some(key))
}

/// Deletes a client key, and returns it.
///
/// # Errors
/// Failures of the store.
pub fn delete_key(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    id: ClientKeyId,
    actor: Actor,
) -> Result<Option<ClientKey>, StoreError> {
    let Some(key) = tx.delete_client_key(project, id)? else {
        return Ok(None);
    };
    note_key(tx, &key, "deleted", actor)?;
    Ok(Some(key))
}

fn note_key(
    tx: &mut dyn WriteTransaction,
    key: &ClientKey,
    to: &str,
    actor: Actor,
) -> Result<(), StoreError> {
    let id = key.id.to_string();
    let fields = [("client_key", id.as_str()), ("to", to)];
    note(
        tx,
        key.project_id,
        AuditEventName::SettingChanged,
        &fields,
        actor,
    )
}
