//! Rights of viewers in the feeds of projects (`EVT-03`).

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use events::{Audience, AuthoredEvent, FeedRights};
use projects::rules::features::Feature;
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;

use super::git_access::may_fetch;
use crate::database::ReadTransaction;

/// Returns the rights of a viewer with this access to a project in its feed.
pub fn feed_rights(project: &Project, access: ProjectAccess) -> FeedRights {
    let audience = if access.allows(AccessLevel::Developer) {
        Audience::Developers
    } else if access.allows(AccessLevel::Reporter) {
        Audience::Reporters
    } else {
        Audience::Everyone
    };
    FeedRights {
        audience,
        reads_pushes: may_fetch(project, access),
        reads_snippets: Feature::Snippets.is_read_by(&project.settings, access),
    }
}

/// Rights of a viewer in the feeds of the projects that were looked up so far.
#[derive(Debug)]
pub struct FeedRightsCache {
    viewer: Viewer,
    now: Timestamp,
    by_project: BTreeMap<ProjectId, Option<FeedRights>>,
}

impl FeedRightsCache {
    /// Creates an empty cache. Roles count at the time `now`.
    pub fn new(viewer: Viewer, now: Timestamp) -> Self {
        Self {
            viewer,
            now,
            by_project: BTreeMap::new(),
        }
    }

    /// Looks up those of the projects that are not known yet, all at once.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn look_up(
        &mut self,
        tx: &mut dyn ReadTransaction,
        projects: impl Iterator<Item = ProjectId>,
    ) -> Result<(), StoreError> {
        let new: BTreeSet<ProjectId> = projects
            .filter(|id| !self.by_project.contains_key(id))
            .collect();
        let new: Vec<ProjectId> = new.into_iter().collect();
        if new.is_empty() {
            return Ok(());
        }
        let memberships = match self.viewer.user_id() {
            Some(user) => tx.list_memberships(user, &new, self.now.date())?,
            None => Vec::new(),
        };
        let memberships: BTreeMap<ProjectId, _> = memberships.into_iter().collect();
        // Projects that are not found stay hidden from everyone.
        self.by_project.extend(new.iter().map(|id| (*id, None)));
        for project in tx.list_projects_by_id(&new)? {
            let membership = memberships.get(&project.id).copied().unwrap_or_default();
            let access = ProjectAccess::decide(self.viewer, membership, project.visibility);
            let rights = access.map(|access| feed_rights(&project, access));
            self.by_project.insert(project.id, rights);
        }
        Ok(())
    }

    /// Rights in the feed of a project that was looked up; `None` if the viewer does not see the project.
    pub fn rights(&self, project: ProjectId) -> Option<FeedRights> {
        self.by_project.get(&project).copied().flatten()
    }

    /// True if the viewer may read an event of a project that was looked up.
    pub fn allow(&self, one: &AuthoredEvent) -> bool {
        let rights = self.rights(one.event.project_id);
        rights.is_some_and(|rights| rights.allow(&one.event, one.audience))
    }
}
