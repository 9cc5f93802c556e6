//! The tokens that a request brings, in the order in which they count (`AUTH-01`, `AUTH-02`).

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::secret::PlainSecret;
use url::form_urlencoded;

use gatehouse_core::auth::tokens::SentToken;

/// The header that holds a personal access token.
const PRIVATE_TOKEN: HeaderName = HeaderName::from_static("private-token");

/// Headers of credentials that this API knows and of which none can be good: no deploy tokens and no jobs are hosted here.
const NEVER_GOOD: [HeaderName; 2] = [
    HeaderName::from_static("deploy-token"),
    HeaderName::from_static("job-token"),
];

/// The tokens of a request, the one that counts first. An access token of an application, in the parameter
/// `access_token` or in `Authorization`, counts before the parameter `private_token`, that before the header
/// `PRIVATE-TOKEN`, and that before a personal access token in the place of an application's. An empty value is no token.
///
/// # Errors
/// * 400 for two tokens where access tokens of applications are expected (RFC 6750, section 2), because two readers might
///   take different ones, and for a query that cannot be read.
/// * 400 for a header or a parameter that comes twice, with different values.
/// * 401 for a header that holds no token that this API takes.
pub(super) fn sent(request: &HttpRequest) -> Result<Vec<SentToken>, ApiError> {
    let (query, headers) = (request.query_string(), request.headers());
    let is_sent = |name: &HeaderName| headers.get_all(name).any(|value| !value.is_empty());
    if NEVER_GOOD.iter().any(is_sent) {
        return Err(ApiError::unauthorized());
    }
    let mut tokens = Vec::new();
    let mut in_query = None;
    // Most queries hold no token, so they are not read twice. Nobody escapes the letters of these names.
    if query.contains("token") {
        let params = Params::from_query(query)?;
        in_query = query_token(query).map_err(ApiError::invalid_token_request)?;
        let private = params.get("private_token").and_then(|value| value.as_str());
        tokens.extend(private.and_then(token));
        let job = params.get("job_token").and_then(|value| value.as_str());
        if job.is_some_and(|job| !job.is_empty()) {
            return Err(ApiError::unauthorized());
        }
    }
    tokens.extend(private_token(headers)?);
    let in_header = bearer(headers, tokens.is_empty() && in_query.is_none())?;
    let bearer = match (in_header, in_query) {
        (Some(_), Some(_)) => return Err(ApiError::two_access_tokens()),
        (in_header, in_query) => in_header.or(in_query.as_ref().map(SentToken::of)),
    };
    match bearer {
        Some(bearer) if bearer.is_oauth() => tokens.insert(0, bearer),
        other => tokens.extend(other),
    }
    Ok(tokens)
}

fn token(text: &str) -> Option<SentToken> {
    (!text.is_empty()).then(|| SentToken::of(&PlainSecret::new(text)))
}

/// The one value of a header: of two different ones, another reader might take the other.
fn only_value<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h HeaderValue>, ApiError> {
    let mut sent = headers.get_all(name);
    let first = sent.next();
    if sent.any(|other| Some(other) != first) {
        let reason = format!("send the header {name} once: it has two different values");
        return Err(ApiError::bad_request(&reason));
    }
    Ok(first)
}

/// The token in the header `PRIVATE-TOKEN`.
fn private_token(headers: &HeaderMap) -> Result<Option<SentToken>, ApiError> {
    let Some(value) = only_value(headers, &PRIVATE_TOKEN)? else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| ApiError::unauthorized())?;
    Ok(token(text.trim()))
}

/// The token in the header `Authorization`. Another scheme is for a proxy before this server, when there is a token
/// besides; alone it is a credential that this API does not take.
fn bearer(headers: &HeaderMap, is_alone: bool) -> Result<Option<SentToken>, ApiError> {
    let Some(value) = only_value(headers, &AUTHORIZATION)? else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| ApiError::unauthorized())?;
    match Authorization::parse(text) {
        Some(Authorization::Bearer(token)) => Ok(Some(SentToken::of(&token))),
        Some(Authorization::Basic { .. }) | None if !is_alone => Ok(None),
        Some(Authorization::Basic { .. }) | None => Err(ApiError::unauthorized()),
    }
}

/// The access token in a query, once and as text (RFC 6750, section 2.3).
///
/// # Errors
/// What is wrong with it, in a sentence.
pub fn query_token(query: &str) -> Result<Option<PlainSecret>, &'static str> {
    if query.is_empty() {
        return Ok(None);
    }
    let mut found = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name == "access_token")
        .map(|(_, value)| value);
    let first = found.next();
    if found.next().is_some() {
        return Err("The access token was sent more than once.");
    }
    match first {
        Some(token) if token.contains(['\0', char::REPLACEMENT_CHARACTER]) => {
            Err("The access token is not text.")
        }
        first => Ok(first
            .filter(|token| !token.is_empty())
            .map(|token| PlainSecret::new(token.into_owned()))),
    }
}
