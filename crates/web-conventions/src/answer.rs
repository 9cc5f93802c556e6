//! JSON responses with an entity tag, and pages with their headers.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::conditional::{etag, none_match};
use api_conventions::error::ApiError;
use api_conventions::paging::Header;
use serde::Serialize;

use crate::failure::Failure;

/// Returns a JSON response. A GET has an entity tag, and a client that already has the body gets 304 (`API-14`).
///
/// # Errors
/// If the value cannot be serialized as JSON, which is a bug of the server.
pub fn json<T: Serialize>(request: &HttpRequest, value: &T) -> Result<HttpResponse, Failure> {
    page(request, value, Vec::new())
}

/// Returns a JSON response with further headers.
///
/// # Errors
/// As [`json`].
pub fn page<T: Serialize>(
    request: &HttpRequest,
    value: &T,
    headers: Vec<Header>,
) -> Result<HttpResponse, Failure> {
    let body = serde_json::to_vec(value).map_err(serialization_failure)?;
    Ok(tagged(
        request,
        body,
        "max-age=0, private, must-revalidate",
        headers,
    ))
}

/// Returns a JSON response that is the same for everyone and changes rarely. Clients may cache it for five minutes.
pub fn public(request: &HttpRequest, body: Vec<u8>) -> HttpResponse {
    tagged(request, body, "public, max-age=300", Vec::new())
}

/// Returns the failure of a value that cannot be serialized as JSON.
pub fn serialization_failure(error: serde_json::Error) -> Failure {
    Failure::caused(ApiError::internal(), error)
}

fn tagged(
    request: &HttpRequest,
    body: Vec<u8>,
    caching: &'static str,
    headers: Vec<Header>,
) -> HttpResponse {
    let mut answer = HttpResponse::build(StatusCode::OK);
    for header in headers {
        answer.insert_header(header);
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        let tag = etag(&body);
        let known = request
            .headers()
            .get(IF_NONE_MATCH)
            .and_then(|value| value.to_str().ok());
        let unchanged = known.is_some_and(|known| none_match(known, &tag));
        answer.insert_header((ETAG, tag));
        answer.insert_header((CACHE_CONTROL, HeaderValue::from_static(caching)));
        if unchanged {
            return answer.status(StatusCode::NOT_MODIFIED).finish();
        }
    }
    answer
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(body)
}
