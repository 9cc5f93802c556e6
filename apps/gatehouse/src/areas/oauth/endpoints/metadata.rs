//! What the server can do, and its public keys (`OAUTH-16`).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::signing::KeySet;
use oauth_provider::wire::Webfinger;
use oauth_provider::wire::metadata::{Metadata, paths};
use oauth_provider::wire::webfinger::MAX_RESOURCE_BYTES;
use url::form_urlencoded;

use web_conventions::answer;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get};

use super::described::described;
use crate::frame::oauth_failure::OAuthFailure;
use crate::frame::public::Reader;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let openid = get("openidConfiguration", paths::OPENID_CONFIGURATION, metadata);
    let oauth = get(
        "authorizationServerMetadata",
        paths::AUTHORIZATION_SERVER,
        metadata,
    );
    let shown = Answer::json::<Metadata>(200, "What the server can do.");
    let keys = get("signingKeys", paths::KEYS, keys)
        .answers(Answer::json::<KeySet>(200, "The public keys."));
    let webfinger = get("webfinger", paths::WEBFINGER, webfinger)
        .takes([RESOURCE, RELATION])
        .answers(Answer::json::<Webfinger>(200, "The issuer."));
    vec![
        described(
            openid.answers(shown),
            "Show the metadata of the provider (OpenID Connect Discovery)",
        ),
        described(
            oauth.answers(shown),
            "Show the metadata of the provider (RFC 8414)",
        ),
        described(keys, "Show the public keys that verify id tokens"),
        described(webfinger, "Show who issues for an account (RFC 7033)"),
    ]
}

const RESOURCE: Parameter = Parameter::query(
    "resource",
    Kind::Text {
        min: 1,
        max: MAX_RESOURCE,
    },
    "The account.",
)
.required();
#[expect(clippy::cast_possible_truncation, reason = "it is a few thousand")]
const MAX_RESOURCE: u32 = MAX_RESOURCE_BYTES as u32;

const RELATION: Parameter = Parameter::query(
    "rel",
    Kind::Repeated,
    "The relations that are asked for; all unless given.",
);

async fn metadata(
    request: HttpRequest,
    state: Data<AppState>,
    _: Reader,
) -> Result<HttpResponse, OAuthFailure> {
    let oauth = &state.settings.oauth;
    let metadata = Metadata::new(
        &state.base_url,
        oauth.password_grant,
        oauth.signing_algorithm,
        &oauth.policy.scopes,
    );
    let body = serde_json::to_vec(&metadata).map_err(answer::unwritable)?;
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
    let found = Webfinger::new(resource, &relations, &state.base_url)?;
    let body = serde_json::to_vec(&found).map_err(answer::unwritable)?;
    Ok(answer::public(&request, body))
}
