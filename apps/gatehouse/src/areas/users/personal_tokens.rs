//! `/api/v4/personal_access_tokens`, and `/api/v4/users/:id/personal_access_tokens` for administrators.

use accounts::flow::find_user::find_present_user;
use accounts::flow::issue_token::{IssueTokenError, issue_token};
use accounts::flow::token_access::{TokenAccess, find_token_for, revoke_token_for};
use accounts::wire::{AccessTokenResponse, NewAccessTokenResponse};
use accounts::{AccessToken, TokenKind, User};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::TokenId;
use api_conventions::paging::Paging;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::people::{ID as USER_ID, id_of as user_id_of};
use super::token_filter::{parameters, read_filter};
use crate::frame::api::{ApiRequest, AsAdministrator, AsUser};
use crate::frame::new_token::{NewSecretToken, fields, with_secret};
use crate::frame::scopes::{ReadApi, WriteApi};

pub(super) const TAG: &str = "personal access tokens";
const TOKENS: &str = "/api/v4/personal_access_tokens";
const TOKEN: &str = "/api/v4/personal_access_tokens/{id}";
const TOKENS_OF_USER: &str = "/api/v4/users/{id}/personal_access_tokens";

pub(super) const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the token.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listPersonalAccessTokens", TOKENS, list)
            .documented(
                TAG,
                "List the personal access tokens of the caller (administrators: of all users)",
            )
            .takes(parameters())
            .without_filters(super::token_filter::UNSUPPORTED_FILTERS)
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<AccessTokenResponse>>(
                200,
                "A page of tokens.",
            ))
            .response(ResponseSpec::refusal(
                401,
                "The caller is not an administrator and lists the tokens of another user.",
            ))
            .response(ResponseSpec::refusal(404, "User not found.")),
        get("showPersonalAccessToken", TOKEN, show)
            .documented(TAG, "Get a personal access token")
            .takes([ID])
            .response(ResponseSpec::json::<AccessTokenResponse>(200, "The token."))
            .response(ResponseSpec::refusal(
                401,
                "The caller is not an administrator, and the token is not theirs or does not exist.",
            ))
            .response(ResponseSpec::refusal(404, "Token not found.")),
        delete("revokePersonalAccessToken", TOKEN, revoke)
            .documented(TAG, "Revoke a personal access token")
            .takes([ID])
            .response(ResponseSpec::empty(204, "Revoked."))
            .response(ResponseSpec::refusal(
                400,
                "The caller is not an administrator, and the token is not theirs.",
            ))
            .response(ResponseSpec::refusal(404, "Token not found.")),
        post("createPersonalAccessToken", TOKENS_OF_USER, create)
            .documented(TAG, "Create a personal access token for a user")
            .takes([USER_ID])
            .takes(fields())
            .response(ResponseSpec::json::<NewAccessTokenResponse<'_>>(
                201,
                "The token, with its secret, which is shown only once.",
            ))
            .response(ResponseSpec::refusal(404, "User not found."))
            .response(ResponseSpec::refusal(
                422,
                "The name is too long, the day of expiry is not within a year, or the user may not have a scope.",
            )),
    ]
}

async fn list(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let caller = &request.caller().user;
    let filter = read_filter(request.params(), caller, request.now().date())?;
    let paging = Paging::offset(request.params())?;
    let requested = filter.user_id;
    let found = request.read(move |tx| {
        if let Some(id) = requested {
            find_present_user(tx, id)?.ok_or_else(|| ApiError::not_found("User"))?;
        }
        Ok(tx.list_tokens(&filter, paging)?)
    });
    let now = request.now();
    request.page(paging, found.await?, |token| {
        AccessTokenResponse::new(&token, now)
    })
}

async fn show(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, caller) = (token_id(&request)?, request.caller().user.clone());
    let by = caller.id;
    let found = request.read(move |tx| Ok(find_token_for(tx, id, by)?));
    let token = seen(found.await?, &caller)?;
    request.json(&AccessTokenResponse::new(&token, request.now()))
}

/// The token that the caller may see. Others do not learn whether a token exists.
fn seen(access: TokenAccess, caller: &User) -> Result<Box<AccessToken>, ApiError> {
    match access {
        TokenAccess::Permitted(token) => Ok(token),
        TokenAccess::Unknown if caller.is_admin => Err(unknown()),
        TokenAccess::Unknown | TokenAccess::Refused => Err(ApiError::unauthorized()),
    }
}

async fn revoke(request: AsUser<WriteApi>) -> Result<Deletion, Failure> {
    let (id, by, now) = (token_id(&request)?, request.caller().user.id, request.now());
    let condition = request.precondition();
    let revoked = request.write(move |tx| match revoke_token_for(tx, id, by, now)? {
        TokenAccess::Permitted(token) => Ok(condition.check(token.created_at)?),
        TokenAccess::Unknown => Err(unknown().into()),
        TokenAccess::Refused => {
            let reason = "Only the user of a token and administrators can revoke it";
            Err(ApiError::bad_request(reason).into())
        }
    });
    Ok(Deletion::no_content(revoked.await?))
}

async fn create(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let (by, user_id) = (request.caller().user.id, user_id_of(&request)?);
    let new = NewSecretToken::read(&request, by, user_id, TokenKind::Personal)?;
    let issue = new.issue.clone();
    let created = request.write(move |tx| issue_token(tx, issue.clone()).map_err(refusal));
    let token = created.await?;
    let body = new.response(&token, request.now());
    Ok(with_secret(StatusCode::CREATED, &body))
}

fn refusal(error: IssueTokenError) -> Failure {
    match error {
        IssueTokenError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("Personal access token")
}

/// Token id in the path.
/// Anything that is not a number matches no token.
pub(super) fn token_id(request: &ApiRequest) -> Result<TokenId, ApiError> {
    let number = request.number(ID.name, "Personal access token")?;
    Ok(TokenId::new(number))
}
