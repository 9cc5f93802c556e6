//! Projects and groups that the command line creates, with their entries in the audit log.
//!
//! The entries have no author, because nobody signs in on the command line. Their target is the user for whom the command
//! creates the project or group.

use accounts::{AuditDetails, AuditEntity, AuditEventName, AuditTarget, NewAuditEntry};
use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
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
    let creation = ProvisionedPlace {
        entity: AuditEntity::Project(project.id),
        event_name: AuditEventName::ProjectCreated,
        path: project.full_path.as_str(),
        visibility: project.visibility,
    };
    creation.record(tx, new.creator_id, new.created_at)?;
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
    let creation = ProvisionedPlace {
        entity: AuditEntity::Group(group.id),
        event_name: AuditEventName::GroupCreated,
        path: group.full_path.as_str(),
        visibility: group.visibility,
    };
    creation.record(tx, new.owner, new.created_at)?;
    Ok(group)
}

/// Created project or group.
struct ProvisionedPlace<'a> {
    entity: AuditEntity,
    event_name: AuditEventName,
    path: &'a str,
    visibility: Visibility,
}

impl ProvisionedPlace<'_> {
    /// Records the creation, with this user as the target.
    fn record(
        &self,
        tx: &mut dyn WriteTransaction,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let target = tx.find_user(user_id)?.map(|user| AuditTarget {
            entity: AuditEntity::User(user.id),
            name: user.username.as_str().to_owned(),
        });
        tx.insert_audit_entries(&[NewAuditEntry {
            author_id: None,
            entity: self.entity,
            event_name: self.event_name,
            target,
            details: AuditDetails::new(&[
                ("path", self.path),
                ("visibility", self.visibility.as_str()),
            ]),
            created_at: now,
            impersonator_id: None,
        }])
    }
}
