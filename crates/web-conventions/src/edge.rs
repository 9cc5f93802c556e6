//! Middleware around every request: a request id, the headers of every response, the limit on the query, the CORS
//! policy, and the end of the connection after an early response.

use std::rc::Rc;
use std::time::{Duration, Instant};

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, HttpResponse, web};
use api_conventions::error::ApiError;
use uuid::Uuid;

use crate::compression::compress;
use crate::connection::{PipelineGate, PipelineGuard};
use crate::cors::{self, CorsPolicy};
use crate::early_response::{AnswerBody, HeldPayload};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const X_RUNTIME: HeaderName = HeaderName::from_static("x-runtime");

/// Decisions of a host about all requests. Register it in the application's data, as [`web::Data`].
pub trait Edge: 'static {
    /// Returns the maximum length of a query in bytes.
    fn max_query_bytes(&self) -> usize;

    /// Returns the CORS policy of a path; `None` for no access.
    fn cors_policy(&self, path: &str) -> Option<CorsPolicy>;

    /// Creates a refusal in the format of the request's path.
    fn refuse(&self, request: &HttpRequest, refusal: ApiError) -> Error;

    /// Processes a response before it is sent: logs it, and changes host-specific parts.
    fn finish(
        &self,
        response: ServiceResponse<BoxBody>,
        summary: &RequestSummary,
    ) -> ServiceResponse<BoxBody>;
}

/// A request that has been answered.
#[derive(Debug, Clone, Copy)]
pub struct RequestSummary {
    /// Request id, which the response has in `X-Request-Id`.
    pub id: uuid::fmt::Simple,
    /// Duration of the request.
    pub duration: Duration,
}

#[derive(Debug, Clone, Copy)]
struct RequestId(uuid::fmt::Simple);

/// Returns the id of the current request, which the response has in `X-Request-Id`; `None` outside of [`observe`].
pub fn request_id(request: &HttpRequest) -> Option<String> {
    let extensions = request.extensions();
    extensions.get().map(|RequestId(id)| id.to_string())
}

/// Wraps every request of an application, as a middleware function.
///
/// # Errors
/// Errors that the inner services return; refusals are responses.
pub async fn observe<E: Edge>(
    host: web::Data<E>,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<AnswerBody>, Error> {
    let started = Instant::now();
    let id = Uuid::now_v7().simple();
    request.extensions_mut().insert(RequestId(id));
    let payload = HeldPayload::of(&mut request);
    let gate = request.conn_data::<Rc<PipelineGate>>();
    let guard = gate.map(PipelineGuard::of);
    let response = if let Some(refusal) = too_long_query(&request, &**host) {
        let refusal = HttpResponse::from_error(host.refuse(request.request(), refusal));
        add_cors_headers(request.into_response(refusal), &**host)
    } else if cors::is_preflight(&request) {
        let policy = host.cors_policy(request.path());
        let answer = cors::preflight_response(request.headers(), policy);
        request.into_response(answer)
    } else {
        add_cors_headers(next.call(request).await?, &**host)
    };
    let summary = RequestSummary {
        id,
        duration: started.elapsed(),
    };
    let response = compress(host.finish(response, &summary)).await;
    let mut response = response.map_body(|_, body| AnswerBody::new(body, payload, guard));
    add_headers(response.headers_mut(), &summary);
    Ok(response)
}

/// Adds the CORS headers to a response. A preflight response has its own.
fn add_cors_headers<E: Edge>(
    mut response: ServiceResponse<BoxBody>,
    host: &E,
) -> ServiceResponse<BoxBody> {
    let request = response.request();
    if request.headers().contains_key(ORIGIN)
        && let Some(policy) = host.cors_policy(request.path())
    {
        policy.add_to(response.headers_mut());
    }
    response
}

fn too_long_query<E: Edge>(request: &ServiceRequest, host: &E) -> Option<ApiError> {
    let limit = host.max_query_bytes();
    (request.query_string().len() > limit).then(|| ApiError::query_too_long(limit))
}

fn add_headers(headers: &mut HeaderMap, summary: &RequestSummary) {
    let mut buffer = [0_u8; uuid::fmt::Simple::LENGTH];
    if let Ok(value) = HeaderValue::from_str(summary.id.encode_lower(&mut buffer)) {
        headers.insert(X_REQUEST_ID, value);
    }
    if let Ok(value) = HeaderValue::from_str(&runtime(summary.duration)) {
        headers.insert(X_RUNTIME, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(X_FRAME_OPTIONS) {
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    let others: Vec<HeaderValue> = headers.remove(VARY).collect();
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    for other in others {
        headers.append(VARY, other);
    }
}

/// Formats a duration in seconds with six decimals.
fn runtime(duration: Duration) -> String {
    format!("{}.{:06}", duration.as_secs(), duration.subsec_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_a_request_took_is_in_seconds() {
        assert_eq!(runtime(Duration::from_nanos(1_234_567)), "0.001234");
        assert_eq!(runtime(Duration::new(61, 5_000)), "61.000005");
    }
}
