//! `/jwt/auth`: tokens by the token protocol of the Distribution project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use gatehouse_core::container_registry::{ContainerRegistry, SERVICE};
use gatehouse_core::flows::git_access::GitCaller;
use gatehouse_core::flows::registry_access::{ImageActions, ImageGrant, grant, store_repositories};
use gatehouse_core::registry_keys::RegistryAccess;
use projects::ImageName;
use serde::Serialize;
use storage::StoreError;
use url::form_urlencoded;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get, post,
};

use super::token_form::{self, RegistryTokenForm};

use crate::frame::lane;
use crate::frame::public::ImageClient;
use crate::frame::token_login::{LoginProgram, holder};
use crate::state::AppState;

/// Most image repositories in one token.
const MAX_REPOSITORIES: usize = 20;

const SERVICE_PARAMETER: Parameter = Parameter::query(
    "service",
    ParameterKind::Word(&[SERVICE]),
    "Name of the service that the registry states.",
);

const SCOPE: Parameter = Parameter::query(
    "scope",
    ParameterKind::Repeated,
    "Requested access: `repository:`, the name of an image repository, and the actions `pull` and `push`, separated by a \
     comma. Can be repeated. Other access is not granted.",
)
.example("repository:acme/shop:pull,push");

const ACCOUNT: Parameter = Parameter::query(
    "account",
    ParameterKind::ANY_TEXT,
    "Accepted and ignored: the credentials name the account.",
);

/// Token for a container registry.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct RegistryTokenResponse {
    /// The token, a JSON Web Token that lists the granted access.
    token: String,
    /// The same token, under the name of OAuth 2.0.
    access_token: String,
    /// Seconds for which the token is valid.
    expires_in: i64,
    /// Time of issue.
    issued_at: Timestamp,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        described(
            get("createRegistryToken", "/jwt/auth", create)
                .documented("registry", "Create a token for the container registry")
                .takes([SERVICE_PARAMETER.required(), SCOPE, ACCOUNT]),
        ),
        described(
            post("createRegistryTokenByForm", "/jwt/auth", create_by_form)
                .documented(
                    "registry",
                    "Create a token for the container registry, with credentials in a form",
                )
                .takes(token_form::parameters()),
        ),
    ]
}

/// Adds the responses of the token service.
fn described(operation: Operation) -> Operation {
    operation
        .rated(RateClass::Guess)
        .response(ResponseSpec::json::<RegistryTokenResponse>(
            200,
            "A token with that part of the requested access which the caller has, possibly none.",
        ))
        .response(ResponseSpec::refusal(400, "A parameter is invalid."))
        .response(ResponseSpec::refusal(401, "The credentials are wrong."))
        .response(ResponseSpec::refusal(
            403,
            "Too many wrong tokens came from this address.",
        ))
        .response(ResponseSpec::refusal(
            404,
            "The service is unknown, or the server has no container registry.",
        ))
}

async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    _: ImageClient,
) -> Result<HttpResponse, Failure> {
    registry(&state)?;
    let pairs = form_urlencoded::parse(request.query_string().as_bytes());
    let requested = read_request(pairs)?;
    let now = state.now();
    let caller = holder(&request, &state, LoginProgram::RegistryClient, now).await?;
    issue(&request, &state, requested, caller).await
}

async fn create_by_form(
    request: HttpRequest,
    state: Data<AppState>,
    form: RegistryTokenForm,
) -> Result<HttpResponse, Failure> {
    registry(&state)?;
    let requested = read_request(form.pairs())?;
    let (login, now) = (form.login()?, state.now());
    let program = LoginProgram::RegistryClient;
    let caller = login.holder(&request, &state, program, now).await?;
    issue(&request, &state, requested, caller).await
}

/// Returns the registry.
///
/// # Errors
/// 404 if the server has none.
fn registry(state: &AppState) -> Result<&ContainerRegistry, ApiError> {
    let registry = state.registry.as_deref();
    registry.ok_or_else(|| ApiError::not_found("Container registry"))
}

/// Responds with a token for what the caller may do of the requested actions.
async fn issue(
    request: &HttpRequest,
    state: &AppState,
    requested: Vec<ImageActions>,
    caller: GitCaller,
) -> Result<HttpResponse, Failure> {
    let now = state.now();
    let grants = granted(request, state, requested, caller.clone(), now).await?;
    let access: Vec<RegistryAccess> = grants.iter().map(access_of).collect();
    let issued = registry(state)?.issue(&subject(&caller), &access, now);
    let issued = issued.ok_or_else(ApiError::internal)?;
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store"));
    Ok(response.json(RegistryTokenResponse {
        access_token: issued.token.clone(),
        token: issued.token,
        expires_in: issued.expires_in,
        issued_at: now,
    }))
}

/// Parses the requested access, and merges requests for the same repository.
fn read_request<'p>(
    pairs: impl Iterator<Item = (Cow<'p, str>, Cow<'p, str>)>,
) -> Result<Vec<ImageActions>, ApiError> {
    let mut requested: BTreeMap<ImageName, ImageActions> = BTreeMap::new();
    let mut services = Vec::new();
    for (name, value) in pairs {
        match &*name {
            "service" => services.push(value),
            "scope" => {
                for actions in value.split(' ').filter_map(image_actions) {
                    let merged = requested.entry(actions.name.clone());
                    let merged = merged.or_insert_with(|| actions.clone());
                    merged.pull |= actions.pull;
                    merged.push |= actions.push;
                }
            }
            _ => {}
        }
    }
    if services.is_empty() {
        return Err(ApiError::missing_attribute("service"));
    }
    if services.iter().any(|service| service != SERVICE) {
        return Err(ApiError::not_found("Service"));
    }
    if requested.len() > MAX_REPOSITORIES {
        let text = format!("scope names more than {MAX_REPOSITORIES} repositories");
        return Err(ApiError::bad_request(&text));
    }
    Ok(requested.into_values().collect())
}

/// Parses one scope (`resourcescope` of the token protocol). `None` for everything but an image repository.
fn image_actions(scope: &str) -> Option<ImageActions> {
    let rest = scope.strip_prefix("repository:")?;
    let (name, actions) = rest.rsplit_once(':')?;
    let has = |action: &str| actions.split(',').any(|one| one == action);
    Some(ImageActions {
        name: ImageName::parse(name)?,
        pull: has("pull"),
        push: has("push"),
    })
}

/// Grants access, and stores the repositories that may be pushed to.
async fn granted(
    request: &HttpRequest,
    state: &AppState,
    requested: Vec<ImageActions>,
    caller: GitCaller,
    now: Timestamp,
) -> Result<Vec<ImageGrant>, Failure> {
    if requested.is_empty() {
        return Ok(Vec::new());
    }
    let user = match &caller {
        GitCaller::User(principal) => Some(principal.user.id),
        GitCaller::Anonymous | GitCaller::Deploy(_) => None,
    };
    let lane = lane::of_request(request, state, user);
    let decided = state
        .database
        .read(lane, move |tx| grant(tx, &requested, &caller, now));
    let grants: Result<Vec<ImageGrant>, StoreError> = decided.await;
    let grants = grants?;
    if !grants.iter().any(ImageGrant::needs_to_be_stored) {
        return Ok(grants);
    }
    let stored = state.write(move |tx| store_repositories(tx, &grants, now));
    let stored: Result<Vec<ImageGrant>, StoreError> = stored.await;
    Ok(stored?)
}

fn access_of(grant: &ImageGrant) -> RegistryAccess {
    let ImageActions { name, pull, push } = &grant.actions;
    let actions = [("pull", *pull), ("push", *push)];
    let actions = actions.into_iter().filter(|(_, has)| *has);
    RegistryAccess::of_repository(name.as_str(), actions.map(|(action, _)| action).collect())
}

/// Returns the username of the caller; empty for an anonymous one.
fn subject(caller: &GitCaller) -> String {
    match caller {
        GitCaller::Anonymous => String::new(),
        GitCaller::User(principal) => principal.user.username.as_str().to_owned(),
        GitCaller::Deploy(token) => token.username(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requested access as text.
    fn read(query: &str) -> Result<String, u16> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        let requested = read_request(pairs).map_err(|error| error.status())?;
        let text = |one: &ImageActions| format!("{} {} {}", one.name.as_str(), one.pull, one.push);
        Ok(requested.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn scopes_are_read_as_clients_send_them() {
        let of = |scopes: &str| read(&format!("service=container_registry{scopes}")).unwrap();
        for (scopes, expected) in [
            ("", ""),
            ("&account=ann&client_id=docker&offline_token=true", ""),
            ("&scope=repository:a/b:pull", "a/b true false"),
            ("&scope=repository%3Aa%2Fb%3Apull%2Cpush", "a/b true true"),
            (
                "&scope=repository:a/b:pull&scope=repository:c/d:push",
                "a/b true false, c/d false true",
            ),
            (
                "&scope=repository:a/b:pull+repository:a/b:push",
                "a/b true true",
            ),
            ("&scope=repository:a/b:delete,*", "a/b false false"),
            ("&scope=registry:catalog:*", ""),
            ("&scope=repository(plugin):a/b:pull", ""),
            ("&scope=repository:A/b:pull", ""),
            ("&scope=repository:a/../b:pull", ""),
            ("&scope=repository", ""),
        ] {
            assert_eq!(of(scopes), expected, "{scopes}");
        }
    }

    #[test]
    fn other_services_and_too_many_repositories_are_refused() {
        assert_eq!(read(""), Err(400));
        assert_eq!(read("service=other"), Err(404));
        assert_eq!(read("service=container_registry&service=other"), Err(404));
        let scopes = (0..21).map(|n| format!("&scope=repository:a/{n}:pull"));
        let scopes = scopes.collect::<Vec<_>>().concat();
        assert_eq!(
            read(&format!("service=container_registry{scopes}")),
            Err(400)
        );
    }
}
