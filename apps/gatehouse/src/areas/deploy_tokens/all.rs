//! `GET /api/v4/deploy_tokens`: the deploy tokens of all projects and groups, for administrators.

use accounts::DeployTokenFilter;
use accounts::wire::DeployTokenResponse;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::Paging;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::scopes::ReadApi;

pub(super) const TAG: &str = "deploy tokens";

pub(super) const ACTIVE: Parameter = Parameter::query(
    "active",
    ParameterKind::Boolean,
    "True to list only tokens that have not expired.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listDeployTokens", "/api/v4/deploy_tokens", list)
            .documented(TAG, "List the deploy tokens of all projects and groups")
            .takes([ACTIVE])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<DeployTokenResponse>>(
                200,
                "A page of tokens.",
            )),
    ]
}

async fn list(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx| Ok(tx.list_deploy_tokens(&filter, paging)?));
    let now = request.now();
    request.page(paging, found.await?, |token| {
        DeployTokenResponse::new(&token, now)
    })
}

/// Reads the filter of a list.
pub(super) fn read_filter(request: &ApiRequest) -> Result<DeployTokenFilter, ApiError> {
    let mut read = request.params().reader();
    let is_active = read.boolean(ACTIVE.name);
    read.finish()?;
    Ok(DeployTokenFilter {
        place: None,
        unexpired_at: (is_active == Some(true)).then(|| request.now()),
    })
}
