//! `/api/v4/users/:id/impersonation_tokens`: tokens with which administrators act as another user (`AUTH-04`).

use accounts::flow::find_user::find_present_user;
use accounts::flow::issue_token::{IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_token;
use accounts::wire::{AccessTokenResponse, ImpersonationTokenResponse, NewAccessTokenResponse};
use accounts::{AccessToken, AccountQueries, TokenFilter, TokenKind, TokenValidity};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::people::{ID as USER_ID, id_of as user_id_of};
use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::new_token::{NewSecretToken, fields, with_secret};
use crate::frame::scopes::{ReadApi, WriteApi};

const TAG: &str = "impersonation tokens";
const TOKENS: &str = "/api/v4/users/{id}/impersonation_tokens";
const TOKEN: &str = "/api/v4/users/{id}/impersonation_tokens/{impersonation_token_id}";

const ID: Parameter = Parameter::path(
    "impersonation_token_id",
    ParameterKind::ID,
    "ID of the token.",
);

const STATE: Parameter = Parameter::query(
    "state",
    ParameterKind::Word(&["all", "active", "inactive"]),
    "Only tokens that are valid (`active`), or revoked and expired ones (`inactive`) (default: `all`).",
);

type ImpersonationTokenView = ImpersonationTokenResponse<AccessTokenResponse>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let unknown_user = || ResponseSpec::refusal(404, "User not found.");
    let unknown = || ResponseSpec::refusal(404, "User or token not found.");
    vec![
        get("listImpersonationTokens", TOKENS, list)
            .documented(TAG, "List the impersonation tokens of a user")
            .takes([USER_ID, STATE])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ImpersonationTokenView>>(
                200,
                "A page of tokens.",
            ))
            .response(unknown_user()),
        post("createImpersonationToken", TOKENS, create)
            .documented(TAG, "Create an impersonation token for a user")
            .takes([USER_ID])
            .takes(fields())
            .response(ResponseSpec::json::<
                ImpersonationTokenResponse<NewAccessTokenResponse<'_>>,
            >(
                201,
                "The token, with its secret, which is shown only once.",
            ))
            .response(unknown_user()),
        get("showImpersonationToken", TOKEN, show)
            .documented(TAG, "Get an impersonation token of a user")
            .takes([USER_ID, ID])
            .response(ResponseSpec::json::<ImpersonationTokenView>(
                200,
                "The token.",
            ))
            .response(unknown()),
        delete("revokeImpersonationToken", TOKEN, revoke)
            .documented(TAG, "Revoke an impersonation token of a user")
            .takes([USER_ID, ID])
            .response(ResponseSpec::empty(204, "Revoked."))
            .response(unknown()),
    ]
}

async fn list(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let (user_id, today) = (user_id_of(&request)?, request.now().date());
    let mut read = request.params().reader();
    let state = read.word("state", |word| match word {
        "all" => Some(None),
        "active" => Some(Some(TokenValidity::Valid(today))),
        "inactive" => Some(Some(TokenValidity::Invalid(today))),
        _ => None,
    });
    read.finish()?;
    let paging = Paging::offset(request.params())?;
    let filter = TokenFilter {
        user_id: Some(user_id),
        kind: Some(TokenKind::Impersonation),
        validity: state.flatten(),
        ..TokenFilter::default()
    };
    let found = request.read(move |tx| {
        find_present_user(tx, user_id)?.ok_or_else(unknown_user)?;
        Ok(tx.list_tokens(&filter, paging)?)
    });
    let now = request.now();
    request.page(paging, found.await?, |token| response_of(&token, now))
}

async fn create(request: AsAdministrator<WriteApi>) -> Result<HttpResponse, Failure> {
    let (by, user_id) = (request.caller().user.id, user_id_of(&request)?);
    let new = NewSecretToken::read(&request, by, user_id, TokenKind::Impersonation)?;
    let issue = new.issue.clone();
    let created = request.write(move |tx| issue_token(tx, issue.clone()).map_err(refusal));
    let token = created.await?;
    let body = ImpersonationTokenResponse::new(new.response(&token, request.now()));
    Ok(with_secret(StatusCode::CREATED, &body))
}

/// Refuses a token. Invalid values are a 400 here, and a 422 for personal access tokens.
fn refusal(error: IssueTokenError) -> Failure {
    match error {
        IssueTokenError::Store(error) => error.into(),
        IssueTokenError::UnknownUser => unknown_user().into(),
        refused => ApiError::bad_request(&refused.to_string()).into(),
    }
}

async fn show(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let (user_id, id) = ids(&request)?;
    let found = request.read(move |tx| Ok(find(tx, user_id, id)?));
    let token = found.await?.ok_or_else(unknown_token)?;
    request.json(&response_of(&token, request.now()))
}

async fn revoke(request: AsAdministrator<WriteApi>) -> Result<Deletion, Failure> {
    let (user_id, id) = ids(&request)?;
    let (by, now) = (request.caller().user.id, request.now());
    let condition = request.precondition();
    let revoked = request.write(move |tx| {
        let token = find(tx, user_id, id)?.ok_or_else(unknown_token)?;
        revoke_token(tx, id, Some(by), now)?;
        Ok(condition.check(token.created_at)?)
    });
    Ok(Deletion::no_content(revoked.await?))
}

/// Finds an impersonation token of this user.
fn find<R: AccountQueries + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    id: TokenId,
) -> Result<Option<AccessToken>, StoreError> {
    let found = repos.find_token(id)?;
    Ok(found.filter(|token| token.user_id == user_id && token.kind == TokenKind::Impersonation))
}

fn ids(request: &ApiRequest) -> Result<(UserId, TokenId), ApiError> {
    let number = request.number(ID.name, "Impersonation token")?;
    Ok((user_id_of(request)?, TokenId::new(number)))
}

fn response_of(token: &AccessToken, now: Timestamp) -> ImpersonationTokenView {
    ImpersonationTokenResponse::new(AccessTokenResponse::new(token, now))
}

fn unknown_user() -> ApiError {
    ApiError::not_found("User")
}

fn unknown_token() -> ApiError {
    ApiError::not_found("Impersonation token")
}
