//! What the server can do, and its public keys (`OAUTH-16`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::Webfinger;
use oauth_provider::wire::metadata::{Metadata, paths};
use url::form_urlencoded;

use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::http::oauth::OAuthFailure;
use crate::state::AppState;

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::OPENID_CONFIGURATION).get(metadata).build());
    service.service(at(paths::AUTHORIZATION_SERVER).get(metadata).build());
    service.service(at(paths::KEYS).get(keys).build());
    service.service(at(paths::WEBFINGER).get(webfinger).build());
}

async fn metadata(request: HttpRequest, state: Data<AppState>) -> Result<HttpResponse, Failure> {
    let oauth = &state.settings.oauth;
    let told = Metadata::new(
        &state.base_url,
        oauth.password_grant,
        oauth.signing_algorithm,
    );
    let body = serde_json::to_vec(&told).map_err(answer::unwritable)?;
    Ok(answer::public(&request, body))
}

async fn keys(request: HttpRequest, state: Data<AppState>) -> Result<HttpResponse, OAuthFailure> {
    let published = state.keys.published(state.now()).await;
    let published = published.map_err(Failure::from)?;
    Ok(answer::public(&request, published.as_bytes().to_vec()))
}

async fn webfinger(
    request: HttpRequest,
    state: Data<AppState>,
) -> Result<HttpResponse, OAuthFailure> {
    let pairs: Vec<_> = form_urlencoded::parse(request.query_string().as_bytes()).collect();
    let all = |wanted| pairs.iter().filter(move |(name, _)| name == wanted);
    let relations: Vec<&str> = all("rel").map(|(_, value)| value.as_ref()).collect();
    let resource = all("resource").next().map(|(_, value)| value.as_ref());
    let told = Webfinger::new(resource, &relations, &state.base_url)?;
    let body = serde_json::to_vec(&told).map_err(answer::unwritable)?;
    Ok(answer::public(&request, body))
}
