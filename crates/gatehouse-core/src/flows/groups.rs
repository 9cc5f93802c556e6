//! Changes to groups, with their entries in the audit log.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry, UserKind};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::time::Timestamp;
use projects::flow::error::NamespaceError;
use projects::flow::groups::{self, CreateGroup};
use projects::{Group, GroupEdit, Viewer};
use storage::StoreError;

use super::setting_changes::changed_settings;
use crate::database::WriteTransaction;

/// The acting user, and the time of the action.
#[derive(Debug, Clone, Copy)]
pub struct Actor {
    /// Id of the user.
    pub id: UserId,
    /// The user as a viewer of projects and groups.
    pub viewer: Viewer,
    /// Time of the action.
    pub now: Timestamp,
}

/// Creates a group. Bots create subgroups only.
///
/// # Errors
/// See [`NamespaceError`].
pub fn create_group(
    tx: &mut dyn WriteTransaction,
    request: &CreateGroup,
) -> Result<Group, NamespaceError> {
    if request.parent.is_none() {
        check_human(tx, request.owner)?;
    }
    let group = groups::create_group(tx, request)?;
    let visibility = group.content.visibility.as_str();
    let fields = [
        ("path", group.full_path.as_str()),
        ("visibility", visibility),
    ];
    let name = AuditEventName::GroupCreated;
    note(tx, &group, name, &fields, request.owner, request.now)?;
    Ok(group)
}

/// Updates the attributes of a group.
///
/// # Errors
/// See [`NamespaceError`].
pub fn update_group(
    tx: &mut dyn WriteTransaction,
    group: NamespaceId,
    edit: &GroupEdit,
    actor: Actor,
) -> Result<Group, NamespaceError> {
    let (before, after) = groups::update_group(tx, group, edit, actor.now)?;
    let (old, new) = (&before.content, &after.content);
    let mut changed = |name, what: &'static str, from: &str, to: &str| {
        if from == to {
            return Ok(());
        }
        let fields = [("change", what), ("from", from), ("to", to)];
        note(tx, &after, name, &fields, actor.id, actor.now)
    };
    let visibilities = [old.visibility.as_str(), new.visibility.as_str()];
    let [from, to] = visibilities;
    changed(AuditEventName::VisibilityChanged, "visibility", from, to)?;
    let (from, to) = (before.full_path.as_str(), after.full_path.as_str());
    changed(AuditEventName::GroupPathChanged, "path", from, to)?;
    let settings = [
        (
            "project_creation_level",
            old.project_creation_level.as_str(),
            new.project_creation_level.as_str(),
        ),
        (
            "subgroup_creation_level",
            old.subgroup_creation_level.as_str(),
            new.subgroup_creation_level.as_str(),
        ),
        (
            "share_with_group_lock",
            word(old.share_with_group_lock),
            word(new.share_with_group_lock),
        ),
    ];
    for (setting, from, to) in settings {
        changed(AuditEventName::SettingChanged, setting, from, to)?;
    }
    for setting in changed_settings(&old.settings, &new.settings) {
        let (name, from, to) = (setting.name, &*setting.from, &*setting.to);
        changed(AuditEventName::SettingChanged, name, from, to)?;
    }
    Ok(after)
}

fn word(flag: bool) -> &'static str {
    if flag { "true" } else { "false" }
}

/// Moves a group into another one, or to the top level.
///
/// # Errors
/// See [`groups::move_group`].
pub fn move_group(
    tx: &mut dyn WriteTransaction,
    group: NamespaceId,
    to: Option<NamespaceId>,
    actor: Actor,
) -> Result<Group, NamespaceError> {
    if to.is_none() {
        check_human(tx, actor.id)?;
    }
    let (before, after) = groups::move_group(tx, group, to, actor.viewer, actor.now)?;
    let fields = [
        ("from", before.full_path.as_str()),
        ("to", after.full_path.as_str()),
    ];
    let name = AuditEventName::GroupTransferred;
    note(tx, &after, name, &fields, actor.id, actor.now)?;
    Ok(after)
}

/// Refuses a top-level group to a bot, which acts in the place of its token.
fn check_human(tx: &mut dyn WriteTransaction, user: UserId) -> Result<(), NamespaceError> {
    let user = tx.find_user(user)?;
    let is_human = user.is_some_and(|user| user.kind == UserKind::Human);
    is_human.then_some(()).ok_or(NamespaceError::Forbidden)
}

fn note(
    tx: &mut dyn WriteTransaction,
    group: &Group,
    event_name: AuditEventName,
    fields: &[(&'static str, &str)],
    author: UserId,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(author),
        entity: AuditEntity::Group(group.id),
        event_name,
        details: AuditDetails::new(fields),
        target: None,
        created_at,
        impersonator_id: None,
    }])
}
