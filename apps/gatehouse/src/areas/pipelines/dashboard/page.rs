//! Page with the environments of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::NameCursor;
use askama::Template;
use gatehouse_core::flows::environment_dashboard::{
    DashboardPage, DashboardRights, ProjectDashboard,
};
use projects::rules::features::Feature;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use super::rows::EnvironmentRow;
use super::{cursor_of, position_of};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Pager};
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("environmentsPage", "/{project}/-/environments", show)]
}

#[derive(Template)]
#[template(path = "areas/pipelines/dashboard/environment_list.html")]
struct EnvironmentListPage {
    shell: Shell,
    rows: Vec<EnvironmentRow>,
    sees_alerts: bool,
    sees_errors: bool,
    pager: Pager,
    /// Address with which CI systems report a deployment.
    api: String,
}

/// Checks that the visitor may see environments.
///
/// # Errors
/// 404 if the settings of the project hide them.
pub(super) fn check_shown(found: &ProjectContext) -> Result<(), ApiError> {
    let is_shown = found.shows(Feature::Environments);
    is_shown
        .then_some(())
        .ok_or_else(|| ApiError::not_found("Environment"))
}

/// Responds with the environments of a project.
async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let paging = query.paging()?;
    let mut read = query.params().reader();
    let after = read.word("cursor", NameCursor::parse).map(position_of);
    read.finish().map_err(Failure::from)?;
    let (now, is_first) = (page.now(), after.is_none());
    let read = page.read(move |tx, found| {
        check_shown(found)?;
        let rights = DashboardRights::of(found.access);
        let dashboard = ProjectDashboard::load(tx, found.project.id, rights, now)?;
        Ok(dashboard.list(tx, after, usize::from(paging.per_page()))?)
    });
    let (list, found) = read.await?;
    page.show(&list_page(&page, &query, list, &found, is_first))
}

fn list_page(
    page: &ProjectPage<CanView>,
    query: &ListQuery,
    list: DashboardPage,
    found: &ProjectContext,
    is_first: bool,
) -> EnvironmentListPage {
    let rights = DashboardRights::of(found.access);
    let next = list.next.map(|position| cursor_of(position).to_string());
    let path = found.path();
    let rows = list.environments.iter();
    let mut pager = Pager::by_cursors(query, None, next.as_deref());
    pager.previous = (!is_first).then(|| query.with(&[("cursor", "")]));
    EnvironmentListPage {
        shell: page.shell(found, Section::Environments, "Environments"),
        rows: rows
            .map(|overview| EnvironmentRow::new(overview, &path, page.now()))
            .collect(),
        sees_alerts: rights.sees_alerts,
        sees_errors: rights.sees_errors,
        pager,
        api: format!(
            "{}/api/v4/projects/{}/deployments",
            page.state().base_url,
            found.project.id
        ),
    }
}
