//! `/api/v4/projects/:id/operations_dashboard`: environments with their alerts, deployments and errors.

use actix_web::HttpResponse;
use api_conventions::page::OffsetPage;
use api_conventions::paging::NameCursor;
use gatehouse_core::flows::environment_dashboard::{DashboardRights, ProjectDashboard};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::wire::OverviewJson;
use super::{cursor_of, position_of};
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Environments, SeesFeature};
use crate::frame::scopes::ReadApi;

const TAG: &str = "environments";

pub(super) const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::ANY_TEXT,
    "Position at which the list continues. The link to the next page contains it.",
);
const PER_PAGE: Parameter = Parameter::query(
    "per_page",
    ParameterKind::Integer { min: 1, max: 100 },
    "Largest number of environments on a page.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "listProjectEnvironmentOverviews",
            "/api/v4/projects/{id}/operations_dashboard",
            list,
        )
        .documented(TAG, "List the environments of a project with their alerts, errors and deployments")
        .takes([PROJECT, PER_PAGE, CURSOR])
        .response(ResponseSpec::json::<Vec<OverviewJson>>(
            200,
            "A page of environments, by name; stopped ones are the last. A page may be short although others follow.",
        )),
    ]
}

async fn list(request: SeesFeature<Environments, ReadApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let per_page = read.integer_within(PER_PAGE.name, 1..=100);
    let after = read.word(CURSOR.name, NameCursor::parse).map(position_of);
    read.finish()?;
    let (now, limit) = (request.now(), limit_of(per_page));
    let found = request.read(move |tx, project, access| {
        let rights = DashboardRights::of(access);
        let dashboard = ProjectDashboard::load(tx, project.id, rights, now)?;
        let page = dashboard.list(tx, after, limit)?;
        Ok((page, project))
    });
    let (page, project) = found.await?;
    let url = format!("{}/{}", request.base_url(), project.full_path.as_str());
    let next = page.next.map(cursor_of);
    let environments = page.environments.into_iter();
    let environments = environments.map(|overview| OverviewJson::new(overview, &url));
    let headers = request.list_address().name_headers(next.as_ref());
    request.json_with(&environments.collect::<Vec<_>>(), headers)
}

/// Environments on a page.
fn limit_of(per_page: Option<i64>) -> usize {
    let limit = per_page.and_then(|number| usize::try_from(number).ok());
    limit.unwrap_or_else(|| usize::from(OffsetPage::default().per_page()))
}
