//! Environments of all projects of a user, as a page and over the API.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::paging::IdCursor;
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::environment_dashboard::{
    DashboardPage, DashboardRights, ProjectDashboard,
};
use projects::flow::find_visible::project_access;
use projects::flow::full_names::full_names;
use projects::rules::features::Feature;
use projects::{Project, Viewer};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, ResponseSpec, get};

use super::OF_EACH_PROJECT;
use super::api::CURSOR;
use super::rows::EnvironmentRow;
use super::wire::ProjectOverviewJson;
use crate::frame::api::AsUser;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Pager};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::scopes::ReadApi;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

/// Most projects of a user that the dashboard covers: the newest.
const MAX_PROJECTS: usize = 20_000;
/// Projects with environments on one page.
const PROJECTS_OF_PAGE: usize = 10;
/// Projects that one page examines.
const EXAMINED: usize = 50;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listEnvironmentOverviews", "/api/v4/operations_dashboard", list)
            .documented(
                "environments",
                "List the environments of your projects with their alerts, errors and deployments",
            )
            .takes([CURSOR])
            .response(ResponseSpec::json::<Vec<ProjectOverviewJson>>(
                200,
                "Up to 10 projects with environments, the newest first. A page may be short or empty although others follow.",
            )),
        get("dashboardEnvironmentsPage", "/dashboard/environments", show),
    ]
}

/// Project with its first environments.
struct ProjectOverview {
    project: Project,
    name: String,
    page: DashboardPage,
}

/// Page of projects.
struct ProjectsPage {
    projects: Vec<ProjectOverview>,
    /// Project after which the next page starts.
    next: Option<ProjectId>,
}

/// Lists the projects of a user with environments after a project, or from the newest one.
fn list_projects(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    viewer: Viewer,
    after: Option<ProjectId>,
    now: Timestamp,
) -> Result<ProjectsPage, StoreError> {
    let ids = tx.list_project_ids_of_user(user, AccessLevel::Guest, now.date(), MAX_PROJECTS)?;
    let mut left = ids.into_iter();
    let mut left = left
        .by_ref()
        .filter(|id| after.is_none_or(|after| *id < after))
        .peekable();
    let examined: Vec<ProjectId> = left.by_ref().take(EXAMINED).collect();
    let mut has_more = left.peek().is_some();
    let mut found = tx.list_projects_by_id(&examined)?;
    found.sort_unstable_by_key(|project| std::cmp::Reverse(project.id));
    let names = full_names(tx, &found)?;
    let mut last = examined.last().copied();
    let mut projects = Vec::new();
    for project in found {
        if projects.len() == PROJECTS_OF_PAGE {
            has_more = true;
            break;
        }
        last = Some(project.id);
        if let Some(page) = environments_of(tx, &project, viewer, now)? {
            projects.push(ProjectOverview {
                name: names.of_project(&project),
                project,
                page,
            });
        }
    }
    Ok(ProjectsPage {
        projects,
        next: last.filter(|_| has_more),
    })
}

/// Returns the first environments of a project; `None` if the viewer sees none.
fn environments_of(
    tx: &mut dyn ReadTransaction,
    project: &Project,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<DashboardPage>, StoreError> {
    let access = project_access(tx, viewer, project, now)?;
    let is_shown = |access| Feature::Environments.is_read_by(&project.settings, access);
    let Some(access) = access.filter(|access| is_shown(*access)) else {
        return Ok(None);
    };
    let rights = DashboardRights::of(access);
    let dashboard = ProjectDashboard::load(tx, project.id, rights, now)?;
    let page = dashboard.list(tx, None, OF_EACH_PROJECT)?;
    Ok(Some(page).filter(|page| !page.environments.is_empty()))
}

/// Parses the project after which a list continues.
fn read_cursor(params: &Params) -> Result<Option<ProjectId>, ApiError> {
    let mut read = params.reader();
    let after = read.word(CURSOR.name, IdCursor::parse);
    read.finish()?;
    Ok(after.map(|cursor| ProjectId::new(cursor.id())))
}

async fn list(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let after = read_cursor(request.params())?;
    let (user, viewer, now) = (request.actor().id, request.actor().viewer, request.now());
    let found = request.read(move |tx| Ok(list_projects(tx, user, viewer, after, now)?));
    let found = found.await?;
    let projects = found.projects.into_iter().map(|one| {
        let has_more = one.page.next.is_some();
        ProjectOverviewJson::new(
            &one.project,
            one.page.environments,
            has_more,
            request.base_url(),
        )
    });
    let projects: Vec<ProjectOverviewJson> = projects.collect();
    let next = found.next.map(|id| IdCursor::new(id.get()).to_string());
    let headers = request.list_address().cursor_headers(None, next.as_deref());
    request.json_with(&projects, headers)
}

/// Project of the page.
struct ProjectSection {
    name: DisplayName,
    path: String,
    rows: Vec<EnvironmentRow>,
    has_more: bool,
    sees_alerts: bool,
    sees_errors: bool,
}

impl ProjectSection {
    fn new(one: &ProjectOverview, now: Timestamp) -> Self {
        let path = format!("/{}", one.project.full_path.as_str());
        let environments = &one.page.environments;
        Self {
            name: DisplayName::of(&one.name),
            rows: environments
                .iter()
                .map(|overview| EnvironmentRow::new(overview, &path, now))
                .collect(),
            has_more: one.page.next.is_some(),
            sees_alerts: environments.iter().any(|one| one.alerts.is_some()),
            sees_errors: environments.iter().any(|one| one.new_errors.is_some()),
            path: format!("{path}/-/environments"),
        }
    }
}

#[derive(Template)]
#[template(path = "areas/pipelines/dashboard/environments_of_projects.html")]
struct EnvironmentsOfProjectsPage {
    shell: Shell,
    projects: Vec<ProjectSection>,
    pager: Pager,
}

/// Responds with the environments of the projects of the visitor.
async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let query = ListQuery::of(&request)?;
    let after = read_cursor(query.params()).map_err(Failure::from)?;
    let (viewer, now) = (visitor.viewer(), visitor.now());
    let user = viewer.user_id().ok_or_else(PageFailure::not_found)?;
    let work =
        move |tx: &mut (dyn ReadTransaction + '_)| list_projects(tx, user, viewer, after, now);
    let found: Result<ProjectsPage, StoreError> = state.database.read(visitor.lane(), work).await;
    let found = found?;
    let next = found.next.map(|id| IdCursor::new(id.get()).to_string());
    let mut pager = Pager::by_cursors(&query, None, next.as_deref());
    pager.previous = after.map(|_| query.with(&[("cursor", "")]));
    let sections = found.projects.iter();
    page.show(&EnvironmentsOfProjectsPage {
        shell: page.shell(SiteArea::Environments, "Environments"),
        projects: sections.map(|one| ProjectSection::new(one, now)).collect(),
        pager,
    })
}
