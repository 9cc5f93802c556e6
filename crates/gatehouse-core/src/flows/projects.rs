//! Changes to projects, with their entries in the feed and the audit log.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::secret::SecretDigest;
use projects::flow::create_project::{CreateProject, prepare_project};
use projects::flow::error::NamespaceError;
use projects::flow::update_project;
use projects::{MemberSource, NewMember, Project, ProjectAccess, ProjectEdit, Viewer};
use storage::StoreError;

use super::create_project::create_project_with_endpoints;
use super::groups::Actor;
use super::setting_changes::changed_settings;
use crate::database::WriteTransaction;

/// Creates a project in a namespace that its creator may use, with its alert endpoints, which get the key.
///
/// # Errors
/// See [`NamespaceError`].
pub fn create_project(
    tx: &mut dyn WriteTransaction,
    request: CreateProject,
    key: SecretDigest,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let new = prepare_project(tx, request)?;
    let project = create_project_with_endpoints(tx, &new, key)?;
    let membership = tx.find_membership(actor.id, project.id, actor.now.date())?;
    let is_administrator = matches!(actor.viewer, Viewer::Administrator(_));
    if membership.highest() < Some(AccessLevel::Maintainer) && !is_administrator {
        add_maintainer(tx, project.id, actor)?;
    }
    let fields = [
        ("path", project.full_path.as_str()),
        ("visibility", project.visibility.as_str()),
    ];
    note(
        tx,
        project.id,
        AuditEventName::ProjectCreated,
        &fields,
        actor,
    )?;
    Ok(project)
}

/// Makes the creator a Maintainer of the project, if the group lets Developers create projects.
fn add_maintainer(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    actor: Actor,
) -> Result<(), StoreError> {
    let place = tx.lock_members(MemberSource::Project(project))?;
    let gone = || {
        StoreError::inconsistent(
            "projects",
            project.get(),
            "deleted while it was being created",
        )
    };
    let maker = NewMember {
        user_id: actor.id,
        level: AccessLevel::Maintainer,
        expires_on: None,
        created_by: Some(actor.id),
        created_at: actor.now,
    };
    tx.put_member(&place.ok_or_else(gone)?, &maker)
}

/// Updates the attributes of a project.
///
/// # Errors
/// See [`NamespaceError`].
pub fn change_project(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    edit: &ProjectEdit,
    access: ProjectAccess,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let change = update_project::update_project(tx, project, edit, access, actor.now);
    let (before, after) = change?;
    if before.visibility != after.visibility {
        let fields = [
            ("from", before.visibility.as_str()),
            ("to", after.visibility.as_str()),
        ];
        note(
            tx,
            project,
            AuditEventName::VisibilityChanged,
            &fields,
            actor,
        )?;
    }
    note_path(
        tx,
        AuditEventName::ProjectPathChanged,
        &before,
        &after,
        actor,
    )?;
    for setting in changed_settings(&before.settings, &after.settings) {
        let fields = [
            ("change", setting.name),
            ("from", setting.from.as_str()),
            ("to", setting.to.as_str()),
        ];
        note(tx, project, AuditEventName::SettingChanged, &fields, actor)?;
    }
    Ok(after)
}

/// Archives or unarchives a project.
///
/// # Errors
/// See [`NamespaceError`].
pub fn archive_project(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    archived: bool,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let change = update_project::archive_project(tx, project, archived, actor.now);
    let (before, after) = change?;
    if before.archived != after.archived {
        let name = if archived {
            AuditEventName::ProjectArchived
        } else {
            AuditEventName::ProjectUnarchived
        };
        note(tx, project, name, &[], actor)?;
    }
    Ok(after)
}

/// Moves a project into another namespace.
///
/// # Errors
/// See [`update_project::move_project`].
pub fn move_project(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    to: NamespaceId,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let change = update_project::move_project(tx, project, to, actor.viewer, actor.now);
    let (before, after) = change?;
    note_path(
        tx,
        AuditEventName::ProjectTransferred,
        &before,
        &after,
        actor,
    )?;
    Ok(after)
}

fn note_path(
    tx: &mut dyn WriteTransaction,
    name: AuditEventName,
    before: &Project,
    after: &Project,
    actor: Actor,
) -> Result<(), StoreError> {
    let (from, to) = (before.full_path.as_str(), after.full_path.as_str());
    if from == to {
        return Ok(());
    }
    note(tx, after.id, name, &[("from", from), ("to", to)], actor)
}

pub(super) fn note(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    event_name: AuditEventName,
    fields: &[(&'static str, &str)],
    actor: Actor,
) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(actor.id),
        entity: AuditEntity::Project(project),
        event_name,
        details: AuditDetails::new(fields),
        target: None,
        created_at: actor.now,
        impersonator_id: None,
    }])
}
