//! The check itself: the request of a Git server, and the response with the user, the project and the right.

use accounts::DeployToken;
use actix_web::http::header::{CACHE_CONTROL, HeaderMap};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::ids::{DeployTokenId, ProjectId, UserId};
use api_conventions::params::Params;
use api_conventions::reference::FullPath;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::flows::git_access::{GitCaller, GitRefusal, GitRight, decide};
use projects::Project;
use serde::Serialize;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get,
};

use super::address::{GitTarget, SERVICES, parse, right_of};
use crate::frame::lane;
use crate::frame::public::GitServer;
use crate::frame::token_login::{LoginProgram, holder};
use crate::state::AppState;

/// Headers in which a proxy sends the address of the request that it received.
const ADDRESS_HEADERS: [&str; 2] = ["X-Original-URI", "X-Forwarded-Uri"];

const PATH: Parameter = Parameter::query(
    "path",
    ParameterKind::Text { min: 1, max: 5120 },
    "Full path of the project, without `.git`. A proxy sends the address of the request instead.",
)
.example("acme/shop");

const SERVICE: Parameter = Parameter::query(
    "service",
    ParameterKind::Word(&[SERVICES[0].0, SERVICES[1].0]),
    "Service of Git: `git-upload-pack` to fetch (default) or `git-receive-pack` to push.",
);

const ORIGINAL: Parameter = Parameter::header(
    ADDRESS_HEADERS[0],
    ParameterKind::Text { min: 1, max: 8192 },
    "Path and query of the request that a proxy received from a Git client.",
)
.example("/acme/shop.git/info/refs?service=git-upload-pack");

const FORWARDED: Parameter = Parameter::header(
    ADDRESS_HEADERS[1],
    ParameterKind::Text { min: 1, max: 8192 },
    "The same, as other proxies name it. If both are sent, they must be equal.",
);

/// User, project and right of a request to a Git server.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct GitAccess {
    /// User whom the token acts for; `null` for a deploy token, and without a token.
    user: Option<GitUser>,
    /// Deploy token of the request; `null` for other tokens, and without a token.
    deploy_token: Option<GitDeployToken>,
    /// The project, by its current path.
    project: GitProject,
    /// Right that was checked: `read` or `write`.
    access: &'static str,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct GitUser {
    /// Id of the user.
    id: UserId,
    /// Username.
    username: String,
    /// Display name.
    name: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct GitDeployToken {
    /// Id of the token.
    id: DeployTokenId,
    /// Username of the token.
    username: String,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct GitProject {
    /// Id of the project.
    id: ProjectId,
    /// Full path of the project.
    path_with_namespace: String,
}

impl From<&Principal> for GitUser {
    fn from(principal: &Principal) -> Self {
        let user = &principal.user;
        Self {
            id: user.id,
            username: user.username.as_str().to_owned(),
            name: user.name.clone(),
        }
    }
}

impl From<&DeployToken> for GitDeployToken {
    fn from(token: &DeployToken) -> Self {
        Self {
            id: token.id,
            username: token.username(),
        }
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("checkGitAccess", "/-/git/access", check)
            .documented("git", "Check the credentials of a Git client")
            .takes([PATH, SERVICE, ORIGINAL, FORWARDED])
            .rated(RateClass::Guess)
            .response(ResponseSpec::json::<GitAccess>(
                200,
                "Access is granted. The headers X-Gatehouse-User, X-Gatehouse-User-Id, X-Gatehouse-Project, \
                 X-Gatehouse-Project-Id and X-Gatehouse-Access have the same values, for proxies.",
            ))
            .response(ResponseSpec::refusal(
                401,
                "The credentials are missing or wrong.",
            ))
            .response(ResponseSpec::refusal(
                403,
                "The token lacks a scope; the project does not exist for this caller; the role is too low; the project is \
                 archived; or too many wrong tokens came from this address.",
            )),
    ]
}

async fn check(
    request: HttpRequest,
    state: Data<AppState>,
    _: GitServer,
) -> Result<HttpResponse, Failure> {
    let now = state.now();
    let target = target_of(&request)?;
    let holder = holder(&request, &state, LoginProgram::Git, now).await?;
    let (of, sent, right) = (target.project, holder.clone(), target.right);
    let user = match &holder {
        GitCaller::User(principal) => Some(principal.user.id),
        GitCaller::Anonymous | GitCaller::Deploy(_) => None,
    };
    let lane = lane::of_request(&request, &state, user);
    let decided = state
        .database
        .read(lane, move |tx| decide(tx, &of, right, &sent, now));
    let decided: Result<Result<Project, GitRefusal>, StoreError> = decided.await;
    let project = decided?.map_err(|refusal| refused(refusal, right))?;
    Ok(response(&holder, &project, right))
}

/// Reads the project and the right that the request names.
fn target_of(request: &HttpRequest) -> Result<GitTarget, ApiError> {
    let params = Params::from_query(request.query_string())?;
    let mut read = params.reader();
    let path = read.word(PATH.name, FullPath::parse);
    let service = read.word(SERVICE.name, right_of);
    read.finish()?;
    if let Some(project) = path {
        let right = service.unwrap_or(GitRight::Read);
        return Ok(GitTarget { project, right });
    }
    let address = address_of(request.headers())?;
    parse(address).ok_or_else(|| {
        ApiError::forbidden_because("the address is not one that a Git client requests")
    })
}

/// Returns the address of the request that a proxy received.
/// The client may have sent one of the two headers itself, so different values are refused.
fn address_of(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut sent = ADDRESS_HEADERS
        .iter()
        .flat_map(|name| headers.get_all(*name));
    let first = sent.next().and_then(|value| value.to_str().ok());
    let first = first.ok_or_else(|| {
        let text = "send the project as the parameter path, or the address of the request as the header X-Original-URI";
        ApiError::bad_request(text)
    })?;
    if sent.any(|other| other.as_bytes() != first.as_bytes()) {
        return Err(ApiError::forbidden_because(
            "X-Original-URI and X-Forwarded-Uri have different values",
        ));
    }
    Ok(first)
}

fn refused(refusal: GitRefusal, right: GitRight) -> ApiError {
    let reason = match refusal {
        GitRefusal::TokenNeeded => return LoginProgram::Git.credentials_needed(),
        GitRefusal::ScopeNeeded => match right {
            GitRight::Read => {
                "the token needs the scope read_repository, or write_repository of an access token"
            }
            GitRight::Write => "the token needs the scope write_repository",
        },
        GitRefusal::Unknown => "the project does not exist, or you may not fetch from it",
        GitRefusal::RoleTooLow => "pushing needs the Developer role or a higher one",
        GitRefusal::ReadOnlyToken => "a deploy token cannot push",
        GitRefusal::Archived => "the project is archived",
    };
    ApiError::forbidden_because(reason)
}

fn response(holder: &GitCaller, project: &Project, right: GitRight) -> HttpResponse {
    let (user, deploy_token) = match holder {
        GitCaller::Anonymous => (None, None),
        GitCaller::User(principal) => (Some(GitUser::from(&**principal)), None),
        GitCaller::Deploy(token) => (None, Some(GitDeployToken::from(token))),
    };
    let mut response = HttpResponse::Ok();
    // The decision is about the credentials of this request.
    response.insert_header((CACHE_CONTROL, "no-store"));
    let username = user.as_ref().map(|user| &user.username);
    let username = username.or(deploy_token.as_ref().map(|token| &token.username));
    if let Some(username) = username {
        response.insert_header(("X-Gatehouse-User", username.as_str()));
    }
    if let Some(user) = &user {
        response.insert_header(("X-Gatehouse-User-Id", user.id.to_string()));
    }
    response
        .insert_header(("X-Gatehouse-Project", project.full_path.as_str()))
        .insert_header(("X-Gatehouse-Project-Id", project.id.to_string()))
        .insert_header(("X-Gatehouse-Access", right.as_str()))
        .json(GitAccess {
            user,
            deploy_token,
            project: GitProject {
                id: project.id,
                path_with_namespace: project.full_path.as_str().to_owned(),
            },
            access: right.as_str(),
        })
}
