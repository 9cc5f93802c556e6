//! Metadata and public keys of the server (`OAUTH-16`).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use oauth_provider::signing::KeySet;
use oauth_provider::wire::Webfinger;
use oauth_provider::wire::metadata::{Metadata, paths};
use oauth_provider::wire::webfinger::MAX_RESOURCE_BYTES;
use url::form_urlencoded;

use web_conventions::answer;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::described::described;
use crate::areas::oauth::protocol::subject::role_claims;
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
    let shown = ResponseSpec::json::<Metadata>(200, "The metadata of the provider.");
    let of_issuer = |id, path| get(id, path, metadata_of_issuer).takes([ISSUER_PATH]);
    let openid_below = of_issuer("openidConfigurationOfIssuer", OPENID_BELOW);
    let oauth_below = of_issuer("authorizationServerMetadataOfIssuer", OAUTH_BELOW);
    let keys = get("signingKeys", paths::KEYS, keys)
        .response(ResponseSpec::json::<KeySet>(200, "The public keys."));
    let webfinger = get("webfinger", paths::WEBFINGER, webfinger)
        .takes([RESOURCE, RELATION])
        .response(ResponseSpec::json::<Webfinger>(200, "The issuer."));
    vec![
        described(
            openid.response(shown),
            "Get the metadata of the provider (OpenID Connect Discovery)",
        ),
        described(
            oauth.response(shown),
            "Get the metadata of the provider (RFC 8414)",
        ),
        described(
            openid_below.response(shown),
            "Get the metadata of a provider below a path (RFC 8414, section 5)",
        ),
        described(
            oauth_below.response(shown),
            "Get the metadata of a provider below a path (RFC 8414, section 3.1)",
        ),
        described(keys, "Get the public keys that verify ID tokens"),
        described(
            webfinger,
            "Get the issuer of an account (WebFinger, RFC 7033)",
        ),
    ]
}

/// Paths for an issuer with a path: clients append the issuer's path to the well-known path.
const OPENID_BELOW: &str = "/.well-known/openid-configuration/{*issuer_path}";
const OAUTH_BELOW: &str = "/.well-known/oauth-authorization-server/{*issuer_path}";

const ISSUER_PATH: Parameter = Parameter::path(
    "issuer_path",
    ParameterKind::ANY_TEXT,
    "Path of the issuer, without the leading slash.",
);

const RESOURCE: Parameter = Parameter::query(
    "resource",
    ParameterKind::Text {
        min: 1,
        max: MAX_RESOURCE,
    },
    "Account to look up.",
)
.required();
#[expect(
    clippy::cast_possible_truncation,
    reason = "the limit is a few thousand"
)]
const MAX_RESOURCE: u32 = MAX_RESOURCE_BYTES as u32;

const RELATION: Parameter = Parameter::query(
    "rel",
    ParameterKind::Repeated,
    "Link relations to return (default: all).",
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
    )
    .with_claims(role_claims(&state).map(|(_, name)| name));
    let body = serde_json::to_vec(&metadata).map_err(answer::serialization_failure)?;
    Ok(answer::public(&request, body))
}

/// Responds with the metadata if the path is the prefix under which browsers see the server.
/// Any other path belongs to another issuer.
async fn metadata_of_issuer(
    request: HttpRequest,
    state: Data<AppState>,
    reader: Reader,
) -> Result<HttpResponse, OAuthFailure> {
    let path = request.match_info().get("issuer_path").unwrap_or_default();
    if format!("/{path}") != state.mount.prefix() {
        return Err(ApiError::unknown_route().into());
    }
    metadata(request, state, reader).await
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
    let body = serde_json::to_vec(&found).map_err(answer::serialization_failure)?;
    Ok(answer::public(&request, body))
}
