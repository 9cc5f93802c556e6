//! Pages of projects.

use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::find_visible::find_redirected_project;
use projects::flow::full_names::full_names;
use projects::rules::features::Feature;
use projects::{FullNames, NamespaceKind, Project, ProjectAccess, Viewer};
use storage::StoreError;

use super::display_name::DisplayName;
use super::failure::PageFailure;
pub use super::need::{Account, And, CanView, Need, RoleOrForbidden, RoleOrNotFound};
use super::place::{PagePlace, PlaceForm, PlacePage};
use super::shell::{PageBreadcrumb, SiteArea};
use super::side::{Navigation, Section};
use crate::frame::project::Projects;
use crate::frame::scopes::Role;

/// Page of a project, requested by a visitor who may see the project and meets the requirement `N`.
pub type ProjectPage<N> = PlacePage<Projects, N>;
/// Form of a project page, sent by a visitor who may see the project and meets the requirement `N`.
pub type ProjectForm<N> = PlaceForm<Projects, N>;

/// Project of a page, as found in its transaction.
#[derive(Debug, Clone)]
pub struct ProjectContext {
    /// The project.
    pub project: Project,
    /// Access of the visitor.
    pub access: ProjectAccess,
    /// Names of its groups.
    pub names: FullNames,
}

impl ProjectContext {
    /// True if the visitor has at least the role `R`.
    pub fn allows<R: Role>(&self) -> bool {
        self.access.allows(R::LEAST)
    }

    /// True if the settings of the project let the visitor read a feature.
    pub fn shows(&self, feature: Feature) -> bool {
        feature.is_read_by(&self.project.settings, self.access)
    }

    /// Path of the project's page, below the root of the server.
    pub fn path(&self) -> String {
        format!("/{}", self.project.full_path.as_str())
    }

    /// Path of the page of its group or user, below the root of the server.
    pub fn namespace_path(&self) -> String {
        let namespace = &self.project.namespace;
        let path = namespace.full_path.as_str();
        match namespace.kind {
            NamespaceKind::Group => format!("/groups/{path}"),
            NamespaceKind::User => format!("/{path}"),
        }
    }
}

impl PagePlace for Projects {
    type Context = ProjectContext;
    const PARAMETER: &'static str = "project";
    const BEFORE_NAME: &'static str = "/";
    const AREA: SiteArea = SiteArea::Project;

    fn parse_segment(raw: &str) -> Option<ProjectRef> {
        // Ids are for the API only.
        ProjectRef::parse(raw).filter(|found| matches!(found, ProjectRef::Path(_)))
    }

    fn redirect_path(
        tx: &mut dyn ReadTransaction,
        reference: &ProjectRef,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let moved = find_redirected_project(tx, reference, viewer, now)?;
        Ok(moved.map(|(project, _)| format!("/{}", project.full_path.as_str())))
    }

    fn load_context(
        tx: &mut dyn ReadTransaction,
        project: Project,
        access: ProjectAccess,
    ) -> Result<ProjectContext, PageFailure> {
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok(ProjectContext {
            project,
            access,
            names,
        })
    }

    fn access(found: &ProjectContext) -> ProjectAccess {
        found.access
    }

    fn name(found: &ProjectContext) -> &str {
        &found.project.name
    }

    fn breadcrumbs(found: &ProjectContext) -> Vec<PageBreadcrumb> {
        vec![
            PageBreadcrumb {
                name: DisplayName::of(&group_names(found)),
                path: Some(found.namespace_path()),
            },
            PageBreadcrumb {
                name: DisplayName::of(&found.project.name),
                path: Some(found.path()),
            },
        ]
    }

    fn navigation(found: &ProjectContext, section: Section) -> Option<Navigation> {
        let path = found.project.full_path.as_str();
        let all = Navigation::new(path, found.access, section);
        let optional = [
            (Feature::Environments, Section::Environments),
            (Feature::Snippets, Section::Snippets),
        ];
        let hidden = optional
            .into_iter()
            .filter(|(feature, _)| !found.shows(*feature));
        Some(hidden.fold(all, |navigation, (_, section)| navigation.without(section)))
    }
}

/// Names of a project's groups, the outermost first.
pub fn group_names(found: &ProjectContext) -> String {
    let whole = found.names.of_project(&found.project);
    let own = format!(" / {}", found.project.name);
    let groups = whole.strip_suffix(&own).unwrap_or(&whole);
    groups.to_owned()
}
