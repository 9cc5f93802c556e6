//! `GET /api/v4/users/:id/projects`: the projects in a user's own namespace that the caller can view.

use accounts::flow::find_user::find_user_named;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::Paging;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::api::filters;
use super::filter::{UNSUPPORTED_FILTERS, read_filter};
use super::view::{ProjectRelations, ProjectResults, ProjectView};
use crate::frame::api::AsCaller;
use crate::frame::scopes::ReadApi;

const USER: Parameter = Parameter::path(
    "id",
    ParameterKind::Text { min: 1, max: 255 },
    "The id or username of the user.",
);

/// The operation.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listUserProjects", "/api/v4/users/{id}/projects", list)
            .documented("projects", "List the projects in a user's own namespace")
            .takes([USER])
            .takes(filters())
            .without_filters(UNSUPPORTED_FILTERS)
            .paged(Pages::OffsetAndKeyset)
            .response(ResponseSpec::json::<Vec<ProjectView>>(
                200,
                "A page of projects.",
            ))
            .response(ResponseSpec::refusal(404, "User not found.")),
    ]
}

async fn list(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let name = request.segment(USER.name, "User")?;
    let viewer = *request.caller();
    let (mut filter, simple) = read_filter(request.params(), viewer)?;
    let paging = Paging::by_id(request.params(), request.settings().paging.max_offset)?;
    let today = request.now().date();
    let found = request.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        filter.owner = Some(user.id);
        let found = ProjectResults::read(tx, &filter, today, paging)?;
        let relations = ProjectRelations::read(tx, found.items(), viewer, today)?;
        Ok((found, relations))
    });
    let (found, relations) = found.await?;
    let headers = found.headers(request.list_address());
    let projects = found.items().iter();
    let views = projects.map(|project| relations.show(project, simple, request.base_url()));
    request.json_with(&views.collect::<Vec<ProjectView>>(), headers)
}
