//! Names of the users, projects and groups in audit entries.

use std::collections::{BTreeSet, HashMap};

use accounts::{AuditEntity, AuditEntry, User};
use api_conventions::ids::{ProjectId, UserId};
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

/// Path of the instance, as clients know it.
pub(super) const INSTANCE_PATH: &str = "gitlab_instance";

/// Current names of everything that some entries refer to. What was deleted has none.
#[derive(Debug, Default)]
pub(super) struct AuditNames {
    users: HashMap<UserId, User>,
    paths: HashMap<AuditEntity, String>,
}

impl AuditNames {
    /// Loads the names for a page of entries. Groups are found one by one: a page has few of them.
    pub(super) fn load(
        tx: &mut dyn ReadTransaction,
        entries: &[AuditEntry],
    ) -> Result<Self, StoreError> {
        let mut users: BTreeSet<UserId> = BTreeSet::new();
        let mut projects: BTreeSet<ProjectId> = BTreeSet::new();
        let mut groups = BTreeSet::new();
        for entry in entries {
            users.extend(entry.author_id.into_iter().chain(entry.impersonator_id));
            match entry.entity {
                AuditEntity::User(id) => drop(users.insert(id)),
                AuditEntity::Project(id) => drop(projects.insert(id)),
                AuditEntity::Group(id) => drop(groups.insert(id)),
                AuditEntity::Instance => {}
            }
        }
        let mut names = Self::default();
        for user in tx.list_users_by_id(&users.into_iter().collect::<Vec<_>>())? {
            names.users.insert(user.id, user);
        }
        for project in tx.list_projects_by_id(&projects.into_iter().collect::<Vec<_>>())? {
            let path = project.full_path.as_str().to_owned();
            names.paths.insert(AuditEntity::Project(project.id), path);
        }
        for id in groups {
            if let Some(group) = tx.find_namespace_by_id(id)? {
                let path = group.full_path.as_str().to_owned();
                names.paths.insert(AuditEntity::Group(id), path);
            }
        }
        Ok(names)
    }

    /// Name of a user, as others see it.
    pub(super) fn user(&self, id: UserId) -> Option<&str> {
        self.users.get(&id).map(|user| user.name.as_str())
    }

    /// Username of a user.
    pub(super) fn username(&self, id: UserId) -> Option<&str> {
        self.users.get(&id).map(|user| user.username.as_str())
    }

    /// Full path of a project or group, or the username of a user.
    pub(super) fn path(&self, entity: AuditEntity) -> Option<&str> {
        match entity {
            AuditEntity::User(id) => self.username(id),
            AuditEntity::Instance => Some(INSTANCE_PATH),
            AuditEntity::Project(_) | AuditEntity::Group(_) => {
                self.paths.get(&entity).map(String::as_str)
            }
        }
    }
}
