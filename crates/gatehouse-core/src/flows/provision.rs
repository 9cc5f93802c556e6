//! Projects and groups that the command line creates, with their entries in the audit log.
//!
//! The entries have no author, because nobody signs in on the command line. Their target is the user for whom the command
//! creates the project or group.

use accounts::{AuditDetails, AuditEntity, AuditEventName, AuditTarget, NewAuditEntry};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use projects::flow::create_namespace::{CreateNamespaceError, create_namespace};
use projects::flow::error::NamespaceError;
use projects::{Namespace, NewNamespace, NewProject, Project};
use storage::StoreError;

use super::create_project::create_project_with_endpoints;
use crate::database::WriteTransaction;

/// Creates a project with its alert endpoints, which get the key.
///
/// # Errors
/// See [`NamespaceError`].
pub fn provision_project(
    tx: &mut dyn WriteTransaction,
    new: &NewProject,
    key: SecretDigest,
) -> Result<Project, NamespaceError> {
    let project = create_project_with_endpoints(tx, new, key)?;
    let entry = NewAuditEntry {
        author_id: None,
        entity: AuditEntity::Project(project.id),
        event_name: AuditEventName::ProjectCreated,
        target: None,
        details: AuditDetails::new(&[
            ("path", project.full_path.as_str()),
            ("visibility", project.visibility.as_str()),
        ]),
        created_at: new.created_at,
        impersonator_id: None,
    };
    record(tx, entry, new.creator_id)?;
    Ok(project)
}

/// Creates a group, with its owner as a member.
///
/// # Errors
/// See [`CreateNamespaceError`].
pub fn provision_group(
    tx: &mut dyn WriteTransaction,
    new: &NewNamespace,
) -> Result<Namespace, CreateNamespaceError> {
    let group = create_namespace(tx, new)?;
    let entry = NewAuditEntry {
        author_id: None,
        entity: AuditEntity::Group(group.id),
        event_name: AuditEventName::GroupCreated,
        target: None,
        details: AuditDetails::new(&[
            ("path", group.full_path.as_str()),
            ("visibility", group.visibility.as_str()),
        ]),
        created_at: new.created_at,
        impersonator_id: None,
    };
    record(tx, entry, new.owner)?;
    Ok(group)
}

/// Inserts an entry whose target is this user.
fn record(
    tx: &mut dyn WriteTransaction,
    entry: NewAuditEntry,
    user_id: UserId,
) -> Result<(), StoreError> {
    let target = tx.find_user(user_id)?.map(|user| AuditTarget {
        entity: AuditEntity::User(user.id),
        name: user.username.as_str().to_owned(),
    });
    tx.insert_audit_entries(&[NewAuditEntry { target, ..entry }])
}
