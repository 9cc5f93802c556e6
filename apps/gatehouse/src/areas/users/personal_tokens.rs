//! `/api/v4/personal_access_tokens`, and `/api/v4/users/:id/personal_access_tokens` for administrators.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::flow::token_access::{TokenAccess, find_token_for, revoke_token_for};
use accounts::model::TOKEN_PREFIX;
use accounts::wire::{AccessTokenResponse, NewAccessTokenResponse};
use accounts::{AccessToken, User};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use api_conventions::error::ApiError;
use api_conventions::ids::TokenId;
use api_conventions::paging::Paging;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::scopes::{OFFERED, registry};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::people::{ID as USER_ID, id_of as user_id_of};
use super::token_filter::{parameters, read_filter};
use crate::frame::api::{ApiRequest, AsAdministrator, AsUser};
use crate::frame::scopes::{ReadApi, WriteApi};
use crate::state::Behaviour;

const TAG: &str = "personal access tokens";
const TOKENS: &str = "/api/v4/personal_access_tokens";
const TOKEN: &str = "/api/v4/personal_access_tokens/{id}";
const TOKENS_OF_USER: &str = "/api/v4/users/{id}/personal_access_tokens";

const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the token.");

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

fn fields() -> [Parameter; 3] {
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
            ParameterKind::Words(&OFFERED),
            "Scopes of the token.",
        )
        .required(),
        Parameter::body(
            "expires_at",
            ParameterKind::Date,
            "First day on which the token is no longer valid, at most a year ahead (default: a year ahead).",
        ),
    ]
}

async fn list(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let caller = &request.caller().user;
    let filter = read_filter(request.params(), caller, request.now().date())?;
    let paging = Paging::offset(request.params())?;
    let requested = filter.user_id;
    let found = request.read(move |tx| {
        if let Some(id) = requested {
            tx.find_user(id)?
                .ok_or_else(|| ApiError::not_found("User"))?;
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
    let secret = PlainSecret::generate(TOKEN_PREFIX, &OsRandomness);
    let issue = read_new(&request, &secret)?;
    let created = request.write(move |tx| {
        let id = issue_token(tx, issue.clone()).map_err(refusal)?;
        Ok(tx.find_token(id)?.ok_or_else(ApiError::internal)?)
    });
    let token = created.await?;
    Ok(HttpResponse::Created()
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(NewAccessTokenResponse {
            metadata: AccessTokenResponse::new(&token, request.now()),
            token: secret.reveal(),
        }))
}

fn refusal(error: IssueTokenError) -> Failure {
    match error {
        IssueTokenError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}

/// Reads the token that a request creates.
fn read_new(request: &ApiRequest, secret: &PlainSecret) -> Result<IssueToken, ApiError> {
    let user_id = user_id_of(request)?;
    let mut read = request.params().reader();
    read.demand(&["name", "scopes"]);
    let name = read.text("name").unwrap_or_default();
    let registry = registry();
    let offered = |word: &str| registry.parse_offered(word).ok();
    let scopes = read.words("scopes", offered);
    let expires_on = read.date("expires_at");
    read.finish()?;
    let each = scopes.iter().flat_map(ScopeSet::iter).cloned();
    let scopes = each.collect::<Vec<Scope>>().into_iter().collect();
    let mut issue = IssueToken::new(user_id, name, scopes, secret.digest(), request.now());
    issue.expires_on = expires_on;
    // The release of the server, and not the one that a request may choose: it limits what a token can do.
    issue.may_be_endless = request.releases().has(Behaviour::EndlessTokens);
    Ok(issue)
}

fn unknown() -> ApiError {
    ApiError::not_found("Personal access token")
}

/// Token id in the path.
/// Anything that is not a number matches no token.
fn token_id(request: &ApiRequest) -> Result<TokenId, ApiError> {
    let number = request.number(ID.name, "Personal access token")?;
    Ok(TokenId::new(number))
}
