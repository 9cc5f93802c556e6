//! Open alerts of all projects of a user, or of a group, in which the viewer may read alerts.

use std::collections::HashSet;

use alert_intake::model::{AlertSummary, OpenAlertFilter, OpenAlertPosition};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::time::CalendarDate;
use projects::GroupAccess;
use storage::StoreError;

use crate::database::ReadTransaction;

/// Most projects of a list: the newest.
pub const MAX_PROJECTS: usize = 20_000;
/// Most projects of a group that are searched for those of a user: the newest.
const MAX_SEARCHED: usize = 100_000;

/// Projects of a list of open alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlertScope {
    /// The projects in which a user may read alerts.
    User(UserId),
    /// The projects of a group and of all its descendants in which the viewer may read alerts.
    Group {
        /// The group.
        id: NamespaceId,
        /// Access of the viewer to the group.
        access: GroupAccess,
        /// The viewer; `None` without a sign-in.
        viewer: Option<UserId>,
    },
}

/// Page of open alerts of several projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAlertPage {
    /// The alerts, the most severe first, and of one severity the earliest started.
    pub alerts: Vec<AlertSummary>,
    /// Position of the last alert if others follow.
    pub next: Option<OpenAlertPosition>,
}

impl AlertScope {
    /// Lists the first open alerts of these projects that match a filter, whose projects are ignored.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn list(
        self,
        tx: &mut dyn ReadTransaction,
        filter: OpenAlertFilter,
        limit: usize,
        today: CalendarDate,
    ) -> Result<OpenAlertPage, StoreError> {
        let projects = self.projects(tx, today)?;
        let filter = OpenAlertFilter { projects, ..filter };
        let mut alerts = tx.list_open_alerts(&filter, limit.saturating_add(1))?;
        let has_more = alerts.len() > limit;
        alerts.truncate(limit);
        let last = alerts.last().filter(|_| has_more);
        Ok(OpenAlertPage {
            next: last.map(OpenAlertPosition::of),
            alerts,
        })
    }

    /// Ids of the newest projects in which the viewer may read alerts.
    fn projects(
        self,
        tx: &mut dyn ReadTransaction,
        today: CalendarDate,
    ) -> Result<Vec<ProjectId>, StoreError> {
        const LEAST: AccessLevel = AccessLevel::Developer;
        match self {
            Self::User(user) => tx.list_project_ids_of_user(user, LEAST, today, MAX_PROJECTS),
            Self::Group { id, access, .. } if access.allows(LEAST) => {
                tx.list_project_ids_of_group(id, MAX_PROJECTS)
            }
            Self::Group { viewer: None, .. } => Ok(Vec::new()),
            Self::Group {
                id,
                viewer: Some(user),
                ..
            } => {
                let mut projects = tx.list_project_ids_of_user(user, LEAST, today, MAX_PROJECTS)?;
                if !projects.is_empty() {
                    let of_group = tx.list_project_ids_of_group(id, MAX_SEARCHED)?;
                    let of_group: HashSet<ProjectId> = of_group.into_iter().collect();
                    projects.retain(|project| of_group.contains(project));
                }
                Ok(projects)
            }
        }
    }
}
