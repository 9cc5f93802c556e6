//! Projects in the response for a single group.

use api_conventions::ids::NamespaceId;
use api_conventions::page::OffsetPage;
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::wire::SimpleProject;
use projects::{FullNames, Project, ProjectFilter, ProjectsWithin, Viewer};
use storage::{StoreError, StoreErrorKind};

/// Maximum number of projects in the response.
/// The group's project list has all of them.
const MAX_PROJECTS: u64 = 100;

/// Projects in a group or shared with it that the viewer can view.
#[derive(Debug)]
pub(super) struct GroupProjects {
    projects: Vec<Project>,
    names: FullNames,
}

impl GroupProjects {
    /// Loads the newest projects of a group; `None` if that would exceed the work limit of a request.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        group: NamespaceId,
        viewer: Viewer,
        today: CalendarDate,
    ) -> Result<Option<Self>, StoreError> {
        let filter = ProjectFilter {
            within: ProjectsWithin::Group {
                id: group,
                with_subgroups: false,
                with_shared: true,
            },
            ..ProjectFilter::new(viewer)
        };
        let projects = match tx.list_projects(&filter, today, OffsetPage::new(1, MAX_PROJECTS)) {
            Ok(page) => page.items,
            Err(error) if error.kind() == StoreErrorKind::TooMuchWork => return Ok(None),
            Err(error) => return Err(error),
        };
        let names = full_names(tx, &projects)?;
        Ok(Some(Self { projects, names }))
    }

    /// Returns the projects in the group, and those shared with it.
    pub(super) fn to_json(
        &self,
        group: NamespaceId,
        base_url: &str,
    ) -> (Vec<SimpleProject>, Vec<SimpleProject>) {
        let projects = self.projects.iter();
        let (own, shared): (Vec<&Project>, Vec<&Project>) =
            projects.partition(|project| project.namespace.id == group);
        let simple = |projects: Vec<&Project>| {
            let projects = projects.into_iter();
            let simple = projects.map(|one| SimpleProject::new(one, &self.names, base_url));
            simple.collect()
        };
        (simple(own), simple(shared))
    }
}
