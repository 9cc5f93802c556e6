//! Conversion of responses for other releases.

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue};
use api_conventions::conditional::{etag, none_match};
use serde_json::Value;

use super::releases::RequestAdaptation;

/// Converts the JSON of a successful response into that of the requested edition. The entity tag becomes that of the
/// new body, and a client to which it is `known` gets 304.
pub(super) async fn rewrite(
    answer: ServiceResponse<BoxBody>,
    adapted: &RequestAdaptation,
    known: Option<HeaderValue>,
) -> ServiceResponse<BoxBody> {
    let headers = answer.headers();
    let is_json = headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if !answer.status().is_success() || !is_json {
        return answer;
    }
    let (request, response) = answer.into_parts();
    let (mut response, body) = response.into_parts();
    let Ok(body) = actix_web::body::to_bytes(body).await else {
        let failed = actix_web::HttpResponse::InternalServerError().finish();
        return ServiceResponse::new(request, failed);
    };
    let body = match serde_json::from_slice::<Value>(&body) {
        Ok(mut value) => {
            adapted.adapter.adapt_response(adapted.edition, &mut value);
            value.to_string().into_bytes()
        }
        Err(_) => body.to_vec(),
    };
    response.headers_mut().remove(CONTENT_LENGTH);
    let known = known.as_ref().and_then(|value| value.to_str().ok());
    if response.headers().contains_key(ETAG) {
        let tag = etag(&body);
        let is_known = known.is_some_and(|known| none_match(known, &tag));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response.headers_mut().remove(CONTENT_TYPE);
            return ServiceResponse::new(request, response.set_body(BoxBody::new(())));
        }
    }
    ServiceResponse::new(request, response.set_body(body.boxed()))
}
