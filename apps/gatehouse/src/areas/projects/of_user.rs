//! `GET /api/v4/users/:id/projects`: the projects in a user's own namespace that the caller can view.

use accounts::flow::find_user::find_user_named;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::Paging;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::api::filters;
use super::filter::{UNBUILT, read_filter};
use super::shown::{Described, Found, Shown};
use crate::frame::api::AsAnybody;
use crate::frame::scopes::Read;

const USER: Parameter = Parameter::path(
    "id",
    Kind::Text { min: 1, max: 255 },
    "The number of the user, or the username.",
);

/// The operation.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listUserProjects", "/api/v4/users/{id}/projects", list)
            .documented("projects", "List the projects in a user's own namespace")
            .takes([USER])
            .takes(filters())
            .lacks(UNBUILT)
            .paged(Pages::OffsetAndKeyset)
            .answers(Answer::json::<Vec<Shown>>(200, "A page of the projects."))
            .answers(Answer::refusal(404, "There is no such user.")),
    ]
}

async fn list(asked: AsAnybody<Read>) -> Result<HttpResponse, Failure> {
    let name = asked.segment(USER.name, "User")?;
    let viewer = *asked.who();
    let (mut filter, simple) = read_filter(asked.params(), viewer)?;
    let paging = Paging::by_id(asked.params(), asked.settings().paging.max_offset)?;
    let today = asked.now().date();
    let found = asked.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        filter.owner = Some(user.id);
        let found = Found::read(tx, &filter, today, paging)?;
        let described = Described::read(tx, found.items(), viewer, today)?;
        Ok((found, described))
    });
    let (found, described) = found.await?;
    let headers = found.headers(asked.list_address());
    let projects = found.items().iter();
    let shown = projects.map(|project| described.show(project, simple, asked.base_url()));
    asked.json_with(&shown.collect::<Vec<Shown>>(), headers)
}
