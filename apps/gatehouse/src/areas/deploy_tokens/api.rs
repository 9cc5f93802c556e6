//! `/api/v4/projects/:id/deploy_tokens` and `/api/v4/groups/:id/deploy_tokens`.

use accounts::flow::deploy_tokens::{
    CreateDeployToken, DeployTokenError, create_deploy_token, delete_deploy_token,
};
use accounts::model::{DEPLOY_PREFIX, DEPLOY_SCOPES};
use accounts::wire::{DeployTokenResponse, NewDeployTokenResponse};
use accounts::{DeployToken, TokenPlace};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{DeployTokenId, UserId};
use api_conventions::paging::Paging;
use api_conventions::scope::Scope;
use api_conventions::secret::PlainSecret;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::all::{ACTIVE, TAG, read_filter};
use super::place::HasDeployTokens;
use crate::frame::api::ApiRequest;
use crate::frame::group::Groups;
use crate::frame::new_token::with_secret;
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const ID: Parameter = Parameter::path("token_id", ParameterKind::ID, "ID of the token.");

fn fields() -> [Parameter; 4] {
    [
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Name of the token.",
        )
        .example("deploy script")
        .required(),
        Parameter::body(
            "scopes",
            ParameterKind::Words(&DEPLOY_SCOPES),
            "Scopes of the token.",
        )
        .required(),
        Parameter::body(
            "username",
            ParameterKind::Matching("^[A-Za-z0-9_+.-]{0,255}$"),
            "Username to send with the token (default: `deploy-token-` and the ID of the token).",
        )
        .example("deployer"),
        Parameter::body(
            "expires_at",
            ParameterKind::Timestamp,
            "First instant at which the token is no longer valid (default: never).",
        ),
    ]
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        of::<Projects>([
            get(
                "listProjectDeployTokens",
                "/api/v4/projects/{id}/deploy_tokens",
                list::<Projects>,
            ),
            post(
                "createProjectDeployToken",
                "/api/v4/projects/{id}/deploy_tokens",
                create::<Projects>,
            ),
            get(
                "showProjectDeployToken",
                "/api/v4/projects/{id}/deploy_tokens/{token_id}",
                show::<Projects>,
            ),
            delete(
                "deleteProjectDeployToken",
                "/api/v4/projects/{id}/deploy_tokens/{token_id}",
                remove::<Projects>,
            ),
        ]),
        of::<Groups>([
            get(
                "listGroupDeployTokens",
                "/api/v4/groups/{id}/deploy_tokens",
                list::<Groups>,
            ),
            post(
                "createGroupDeployToken",
                "/api/v4/groups/{id}/deploy_tokens",
                create::<Groups>,
            ),
            get(
                "showGroupDeployToken",
                "/api/v4/groups/{id}/deploy_tokens/{token_id}",
                show::<Groups>,
            ),
            delete(
                "deleteGroupDeployToken",
                "/api/v4/groups/{id}/deploy_tokens/{token_id}",
                remove::<Groups>,
            ),
        ]),
    ]
    .concat()
}

fn of<P: HasDeployTokens>([list, create, show, remove]: [Operation; 4]) -> Vec<Operation> {
    vec![
        list.documented(TAG, "List deploy tokens")
            .takes([P::ID, ACTIVE])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<DeployTokenResponse>>(
                200,
                "A page of tokens.",
            )),
        create
            .documented(TAG, "Create a deploy token")
            .takes([P::ID])
            .takes(fields())
            .response(ResponseSpec::json::<NewDeployTokenResponse<'_>>(
                201,
                "The token, with its secret, which is shown only once.",
            ))
            .response(ResponseSpec::refusal(400, "A value is invalid.")),
        show.documented(TAG, "Get a deploy token")
            .takes([P::ID, ID])
            .response(ResponseSpec::json::<DeployTokenResponse>(200, "The token.")),
        remove
            .documented(TAG, "Delete a deploy token")
            .takes([P::ID, ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. The token is no longer valid.",
            )),
    ]
}

async fn list<P: HasDeployTokens>(
    request: In<P, Maintainer, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let (mut filter, now) = (read_filter(&request)?, request.now());
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, place| {
        filter.place = Some(P::owner(place));
        Ok(tx.list_deploy_tokens(&filter, paging)?)
    });
    let (page, _) = found.await?;
    request.page(paging, page, |token| DeployTokenResponse::new(&token, now))
}

async fn create<P: HasDeployTokens>(
    request: In<P, P::Manager, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let secret = new_secret();
    let (now, by) = (request.now(), request.actor_id());
    let new = read_new(&request, &secret, by)?;
    let created = request.manage(move |tx, place, _| {
        create_deploy_token(tx, P::owner(&place), &new).map_err(refusal)
    });
    let body = NewDeployTokenResponse {
        token: DeployTokenResponse::new(&created.await?, now),
        secret: secret.reveal(),
    };
    Ok(with_secret(StatusCode::CREATED, &body))
}

/// Generates the secret of a deploy token.
pub(super) fn new_secret() -> PlainSecret {
    PlainSecret::generate(DEPLOY_PREFIX, &OsRandomness)
}

/// Parses the token.
fn read_new(
    request: &ApiRequest,
    secret: &PlainSecret,
    creator_id: UserId,
) -> Result<CreateDeployToken, ApiError> {
    let mut read = request.params().reader();
    read.demand(&["name", "scopes"]);
    let name = read.text("name").unwrap_or_default();
    let known = |word: &str| {
        DEPLOY_SCOPES
            .contains(&word)
            .then(|| Scope::parse(word).ok())
    };
    let scopes = read.words("scopes", |word| known(word).flatten());
    let username = read.text("username").filter(|name| !name.is_empty());
    let expires_at = read.timestamp("expires_at");
    read.finish()?;
    Ok(CreateDeployToken {
        name,
        username,
        scopes: scopes.into_iter().collect(),
        digest: secret.digest(),
        expires_at,
        creator_id,
        now: request.now(),
    })
}

fn refusal(error: DeployTokenError) -> Failure {
    match error {
        DeployTokenError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}

async fn show<P: HasDeployTokens>(
    request: In<P, Maintainer, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let (id, now) = (token_id(&request)?, request.now());
    let found = request.read(move |tx, place| find(tx, id, P::owner(place)));
    let (token, _) = found.await?;
    request.json(&DeployTokenResponse::new(&token, now))
}

async fn remove<P: HasDeployTokens>(
    request: In<P, P::Manager, WriteApi>,
) -> Result<Deletion, Failure> {
    let (id, condition) = (token_id(&request)?, request.precondition());
    let (now, by) = (request.now(), request.actor_id());
    let deleted = request.manage(move |tx, place, _| {
        let token = find(tx, id, P::owner(&place))?;
        delete_deploy_token(tx, &token, by, now)?;
        Ok(condition.check(token.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?))
}

/// Finds a token of this place.
fn find(
    tx: &mut (dyn ReadTransaction + '_),
    id: DeployTokenId,
    place: TokenPlace,
) -> Result<DeployToken, Failure> {
    let found = tx.find_deploy_token(id)?;
    let found = found.filter(|token| token.place == place);
    Ok(found.ok_or_else(|| ApiError::not_found("Deploy token"))?)
}

fn token_id(request: &ApiRequest) -> Result<DeployTokenId, ApiError> {
    Ok(DeployTokenId::new(request.number(ID.name, "Deploy token")?))
}
