//! `/api/v4/projects/:id/access_tokens` and `/api/v4/groups/:id/access_tokens`: tokens that act as a bot with a role in
//! the project or group (`AUTH-02`).

use std::marker::PhantomData;

use accounts::flow::rotate_token::{RotateToken, RotateTokenError, SuccessorExpiry};
use accounts::wire::{AccessTokenResponse, NewAccessTokenResponse, PlaceTokenResponse};
use accounts::{TokenFilter, TokenKind, TokenValidity};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::TokenId;
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::place_tokens::{
    NewPlaceToken, PlaceToken, PlaceTokenError, create_place_token, find_place_token,
    list_place_tokens, revoke_place_token, rotate_place_token, token_kind,
};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResourceKind, ResponseSpec, delete, get,
    post,
};

use super::changes::read_level;
use super::place::{HasMembers, member_actor, refused};
use crate::frame::api::ApiRequest;
use crate::frame::group::Groups;
use crate::frame::new_token::{NewSecretToken, fields, new_secret, response_of, with_secret};
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{OrUnauthorized, ReadApi, Role, WriteApi};

const TAG: &str = "project and group access tokens";

const ID: Parameter = Parameter::path("token_id", ParameterKind::ID, "ID of the token.");

const LEVEL: Parameter = Parameter::body(
    "access_level",
    ParameterKind::Number(&AccessLevel::NUMBERS),
    "Role of the bot, at most that of the caller: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer (default), 50 Owner.",
);

const STATE: Parameter = Parameter::query(
    "state",
    ParameterKind::Word(&["active", "inactive"]),
    "Only tokens that are valid (`active`), or revoked and expired ones (`inactive`).",
);

const EXPIRES_AT: Parameter = Parameter::body(
    "expires_at",
    ParameterKind::Date,
    "First day on which the new token is no longer valid, at most a year ahead (default: in 7 days).",
);

type PlaceTokenView = PlaceTokenResponse<AccessTokenResponse>;
type NewPlaceTokenView<'t> = PlaceTokenResponse<NewAccessTokenResponse<'t>>;

/// Request by a member who manages the tokens. A lower role gets a 401.
type Managing<P, S> = In<P, OrUnauthorized<<P as HasMembers>::Manager>, S>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        of::<Projects>([
            get(
                "listProjectAccessTokens",
                "/api/v4/projects/{id}/access_tokens",
                list::<Projects>,
            ),
            post(
                "createProjectAccessToken",
                "/api/v4/projects/{id}/access_tokens",
                create::<Projects>,
            ),
            get(
                "showProjectAccessToken",
                "/api/v4/projects/{id}/access_tokens/{token_id}",
                show::<Projects>,
            ),
            post(
                "rotateProjectAccessToken",
                "/api/v4/projects/{id}/access_tokens/{token_id}/rotate",
                rotate::<Projects>,
            ),
            delete(
                "revokeProjectAccessToken",
                "/api/v4/projects/{id}/access_tokens/{token_id}",
                revoke::<Projects>,
            ),
        ]),
        of::<Groups>([
            get(
                "listGroupAccessTokens",
                "/api/v4/groups/{id}/access_tokens",
                list::<Groups>,
            ),
            post(
                "createGroupAccessToken",
                "/api/v4/groups/{id}/access_tokens",
                create::<Groups>,
            ),
            get(
                "showGroupAccessToken",
                "/api/v4/groups/{id}/access_tokens/{token_id}",
                show::<Groups>,
            ),
            post(
                "rotateGroupAccessToken",
                "/api/v4/groups/{id}/access_tokens/{token_id}/rotate",
                rotate::<Groups>,
            ),
            delete(
                "revokeGroupAccessToken",
                "/api/v4/groups/{id}/access_tokens/{token_id}",
                revoke::<Groups>,
            ),
        ]),
    ]
    .concat()
}

fn of<P: HasMembers>([list, create, show, rotate, revoke]: [Operation; 5]) -> Vec<Operation> {
    let low_role = || ResponseSpec::refusal(401, "The role of the caller is too low.");
    let created = "The token, with its secret, which is shown only once.";
    vec![
        list.documented(TAG, "List access tokens")
            .takes([P::PARAMETER, STATE])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<PlaceTokenView>>(
                200,
                "A page of tokens.",
            ))
            .response(low_role()),
        create
            .documented(TAG, "Create an access token, with a bot as a member")
            .takes([P::PARAMETER, LEVEL])
            .takes(fields())
            .response(ResponseSpec::json::<NewPlaceTokenView<'_>>(201, created))
            .response(ResponseSpec::refusal(
                400,
                "A value is invalid, or the caller may not create this token.",
            ))
            .response(low_role()),
        show.documented(TAG, "Get an access token")
            .takes([P::PARAMETER, ID])
            .response(ResponseSpec::json::<PlaceTokenView>(200, "The token."))
            .response(low_role()),
        rotate
            .documented(TAG, "Rotate an access token")
            .takes([P::PARAMETER, ID, EXPIRES_AT])
            .response(ResponseSpec::json::<NewPlaceTokenView<'_>>(200, created))
            .response(ResponseSpec::refusal(
                400,
                "The token was already revoked, or the day of expiry is not within a year.",
            ))
            .response(low_role()),
        revoke
            .documented(TAG, "Revoke an access token")
            .takes([P::PARAMETER, ID])
            .response(ResponseSpec::empty(204, "Revoked."))
            .response(low_role()),
    ]
}

async fn list<P: HasMembers>(request: Managing<P, ReadApi>) -> Result<HttpResponse, Failure> {
    let (now, today) = (request.now(), request.now().date());
    let mut read = request.params().reader();
    let validity = read.word(STATE.name, |word| match word {
        "active" => Some(TokenValidity::Valid(today)),
        "inactive" => Some(TokenValidity::Invalid(today)),
        _ => None,
    });
    read.finish()?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, place| {
        let source = P::members(place).source();
        let filter = TokenFilter {
            validity,
            ..TokenFilter::of_kind(token_kind(source))
        };
        Ok(list_place_tokens(tx, source, &filter, today, paging)?)
    });
    let (page, _) = found.await?;
    request.page(paging, page, |token| view(&token, now))
}

/// Role that may create tokens. A lower role gets a 400, as in the original API.
struct Creator<P>(PhantomData<P>);

impl<P: HasMembers> Role for Creator<P> {
    const LEAST: AccessLevel = <P::Manager as Role>::LEAST;

    fn refusal() -> ApiError {
        let kind = match P::RESOURCE_KIND {
            ResourceKind::Group => "group",
            ResourceKind::Project => "project",
        };
        PlaceTokenError::Forbidden(kind).into()
    }
}

async fn create<P: HasMembers>(
    request: In<P, Creator<P>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let by = request.actor_id();
    let mut read = request.params().reader();
    let level = read_level(&mut read, LEVEL.name).unwrap_or(AccessLevel::Maintainer);
    read.finish()?;
    let new = NewSecretToken::read(&request, by, by, TokenKind::Personal)?;
    let place_token = NewPlaceToken {
        issue: new.issue.clone(),
        level,
    };
    let actor = member_actor(request.viewer(), &request);
    let created = request.manage(move |tx, place, _| {
        create_place_token(tx, P::members(&place), &place_token, actor).map_err(token_refusal)
    });
    let created = created.await?;
    let body = new.response(&created.token, request.now());
    Ok(with_secret(
        StatusCode::CREATED,
        &PlaceTokenResponse::new(body, created.level),
    ))
}

fn token_refusal(error: PlaceTokenError) -> Failure {
    match error {
        PlaceTokenError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}

async fn show<P: HasMembers>(request: Managing<P, ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, now) = (token_id(&request)?, request.now());
    let found = request.read(move |tx, place| {
        let source = P::members(place).source();
        Ok(find_place_token(tx, source, id, now.date())?.ok_or_else(unknown)?)
    });
    let (token, _) = found.await?;
    request.json(&view(&token, now))
}

async fn rotate<P: HasMembers>(request: Managing<P, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, now) = (token_id(&request)?, request.now());
    let secret = new_secret(request.settings());
    let mut read = request.params().reader();
    let expires_on = read.date(EXPIRES_AT.name);
    read.finish()?;
    let mut rotation = RotateToken::new(id, request.actor_id(), secret.digest(), now);
    if let Some(day) = expires_on {
        rotation.expiry = SuccessorExpiry::Day(day);
    }
    let rotated = request.manage(move |tx, place, access| {
        let source = P::members(&place).source();
        let found = find_place_token(tx, source, id, now.date())?.ok_or_else(unknown)?;
        let has_role = |level| P::allows(access, level);
        let successor = rotate_place_token(tx, &found, has_role, &rotation);
        Ok((successor.map_err(rotation_refusal)?, found.level))
    });
    let (token, level) = rotated.await?;
    let body = PlaceTokenResponse::new(response_of(&token, &secret, now), level);
    Ok(with_secret(StatusCode::OK, &body))
}

fn rotation_refusal(error: RotateTokenError) -> Failure {
    match error {
        RotateTokenError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}

async fn revoke<P: HasMembers>(request: Managing<P, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (token_id(&request)?, request.precondition());
    let actor = member_actor(request.viewer(), &request);
    let revoked = request.manage(move |tx, place, _| {
        let of = P::members(&place);
        let found = find_place_token(tx, of.source(), id, actor.now.date())?;
        let token = found.ok_or_else(unknown)?.token;
        revoke_place_token(tx, of, &token, actor).map_err(refused)?;
        Ok(condition.check(token.created_at)?)
    });
    Ok(Deletion::no_content(revoked.await?))
}

fn token_id(request: &ApiRequest) -> Result<TokenId, ApiError> {
    Ok(TokenId::new(request.number(ID.name, "Access token")?))
}

fn view(found: &PlaceToken, now: Timestamp) -> PlaceTokenView {
    PlaceTokenResponse::new(AccessTokenResponse::new(&found.token, now), found.level)
}

fn unknown() -> ApiError {
    ApiError::not_found("Access token")
}
