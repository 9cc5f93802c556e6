//! Tokens of a request, in their order of precedence (`AUTH-01`, `AUTH-02`).

use actix_web::HttpRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::secret::PlainSecret;
use url::form_urlencoded;

use gatehouse_core::auth::tokens::SentToken;

/// Header with a personal access token.
const PRIVATE_TOKEN: HeaderName = HeaderName::from_static("private-token");

/// Credential headers of the API that are never valid here: this server has no deploy tokens and runs no jobs.
const UNSUPPORTED_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("deploy-token"),
    HeaderName::from_static("job-token"),
];

/// Returns the tokens of a request in their order of precedence.
/// The order is: an access token of an application, in the parameter `access_token` or in `Authorization`; the
/// parameter `private_token`; the header `PRIVATE-TOKEN`; a personal access token in the place of an application's. An
/// empty value is not a token.
///
/// # Errors
/// * 400 for two tokens where access tokens of applications are expected (RFC 6750, section 2), because two parsers
///   might pick different ones, and for an invalid query.
/// * 400 for a header or a parameter sent twice with different values.
/// * 401 for a header without a token that this API accepts.
pub(super) fn sent_tokens(request: &HttpRequest) -> Result<Vec<SentToken>, ApiError> {
    let (query, headers) = (request.query_string(), request.headers());
    let is_sent = |name: &HeaderName| headers.get_all(name).any(|value| !value.is_empty());
    if UNSUPPORTED_HEADERS.iter().any(is_sent) {
        return Err(ApiError::unauthorized());
    }
    let mut tokens = Vec::new();
    let mut in_query = None;
    // Most queries have no token and need no parsing here. Clients do not escape the letters of these names.
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

/// Returns the only value of a header.
/// Two different values are refused, because another parser might pick the other one.
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

/// Token in the `PRIVATE-TOKEN` header.
fn private_token(headers: &HeaderMap) -> Result<Option<SentToken>, ApiError> {
    let Some(value) = only_value(headers, &PRIVATE_TOKEN)? else {
        return Ok(None);
    };
    let text = value.to_str().map_err(|_| ApiError::unauthorized())?;
    Ok(token(text.trim()))
}

/// Token in the `Authorization` header.
/// Another scheme is ignored if there is another token, because it may be meant for a proxy; on its own it is refused.
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

/// Returns the access token in a query, sent once and as text (RFC 6750, section 2.3).
///
/// # Errors
/// Description of the error, as a sentence.
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
