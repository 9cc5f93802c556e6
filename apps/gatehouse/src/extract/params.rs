//! The parameters of a request: those of the query, and with any method that has a body those of the body, which
//! win (`API-02`, `API-07`).

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::{self, Bytes};
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::paging::ListAddress;
use api_conventions::params::Params;
use futures_util::future::LocalBoxFuture;

use crate::http::body::{BodyLimits, read_body};
use crate::http::failure::Failure;
use crate::http::media_type::MediaType;
use crate::state::AppState;

/// The parameters of a request.
#[derive(Debug)]
pub struct RequestParams(pub Params);

impl FromRequest for RequestParams {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let query = Params::from_query(request.query_string());
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let query = query?;
            if matches!(*request.method(), Method::GET | Method::HEAD) {
                return Ok(Self(query));
            }
            let limits = limits(&request)?;
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            let body = read_body(request.headers(), payload, limits).await?;
            Ok(Self(query.merged(decode(&request, &body)?)))
        })
    }
}

fn limits(request: &HttpRequest) -> Result<BodyLimits, ApiError> {
    let state = request
        .app_data::<web::Data<AppState>>()
        .ok_or_else(ApiError::internal)?;
    let server = &state.settings.server;
    Ok(BodyLimits {
        max_bytes: server.max_body_bytes,
        timeout: server.body_timeout,
    })
}

/// A body without a content type is refused as soon as there is a body.
fn decode(request: &HttpRequest, body: &Bytes) -> Result<Params, ApiError> {
    let media_type = MediaType::of(request.headers());
    let (sent, name) = media_type
        .as_ref()
        .map_or(("", ""), |media_type| (media_type.sent, &media_type.name));
    match name {
        "application/json" => Params::from_json(body),
        "application/x-www-form-urlencoded" => Params::from_form(body),
        _ if body.is_empty() => Ok(Params::default()),
        _ => Err(ApiError::unsupported_content_type(sent)),
    }
}

/// The address of the list that a request asks for, below the base URL that clients use.
pub fn list_address<'r>(request: &'r HttpRequest, state: &'r AppState) -> ListAddress<'r> {
    ListAddress {
        base_url: &state.base_url,
        path: request.uri().path(),
        query: request.query_string(),
    }
}
