//! What the server can do, and its public keys (`OAUTH-16`).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::Webfinger;
use oauth_provider::wire::metadata::{Metadata, paths};
use url::form_urlencoded;

use web_conventions::answer;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use crate::frame::oauth_failure::OAuthFailure;
use crate::frame::public::Reader;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("openidConfiguration", paths::OPENID_CONFIGURATION, metadata),
        get(
            "authorizationServerMetadata",
            paths::AUTHORIZATION_SERVER,
            metadata,
        ),
        get("signingKeys", paths::KEYS, keys),
        get("webfinger", paths::WEBFINGER, webfinger),
    ]
}

async fn metadata(
    request: HttpRequest,
    state: Data<AppState>,
    _: Reader,
) -> Result<HttpResponse, Failure> {
    let oauth = &state.settings.oauth;
    let told = Metadata::new(
        &state.base_url,
        oauth.password_grant,
        oauth.signing_algorithm,
        &oauth.policy.scopes,
    );
    let body = serde_json::to_vec(&told).map_err(answer::unwritable)?;
    Ok(answer::public(&request, body))
}

async fn keys(
    request: HttpRequest,
    state: Data<AppState>,
    _: Reader,
) -> Result<HttpResponse, OAuthFailure> {
    let published = state.keys.published(state.now()).await;
    let published = published?;
    Ok(answer::public(&request, published.as_bytes().to_vec()))
}

async fn webfinger(
    request: HttpRequest,
    state: Data<AppState>,
    _: Reader,
) -> Result<HttpResponse, OAuthFailure> {
    let pairs: Vec<_> = form_urlencoded::parse(request.query_string().as_bytes()).collect();
    let all = |wanted| pairs.iter().filter(move |(name, _)| name == wanted);
    let relations: Vec<&str> = all("rel").map(|(_, value)| value.as_ref()).collect();
    let resource = all("resource").next().map(|(_, value)| value.as_ref());
    let told = Webfinger::new(resource, &relations, &state.base_url)?;
    let body = serde_json::to_vec(&told).map_err(answer::unwritable)?;
    Ok(answer::public(&request, body))
}
