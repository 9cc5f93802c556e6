//! The parameters of a request: those of the query, and with any method that has a body those of the body, which win.

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::{self, Bytes};
use actix_web::{FromRequest as _, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::Params;

use crate::body::{BodyLimits, read_body};
use crate::failure::Failure;
use crate::form_data::{FORM_DATA, read_fields};
use crate::media_type::MediaType;

/// The parameters of the query.
///
/// # Errors
/// 400 for what [`Params::from_query`] cannot read.
pub fn read_query_params(request: &HttpRequest) -> Result<Params, ApiError> {
    Params::from_query(request.query_string())
}

/// The parameters of the query together with those of the body, which win. The body of a method that only reads does not
/// count.
///
/// # Errors
/// Those of [`read_body`]; 415 for a body of a type that is not read, and 400 for one that is not what its type says.
pub async fn read_body_params(
    request: &HttpRequest,
    mut payload: Payload,
    limits: BodyLimits,
    query: Params,
) -> Result<Params, Failure> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(query);
    }
    let payload = web::Payload::from_request(request, &mut payload).await;
    let payload = payload.map_err(|_| ApiError::internal())?;
    let body = read_body(request.headers(), payload, limits).await?;
    Ok(query.merged(decode(request, body).await?))
}

/// A body without a content type is refused as soon as there is a body.
async fn decode(request: &HttpRequest, body: Bytes) -> Result<Params, ApiError> {
    let media_type = MediaType::of(request.headers());
    let (sent, name) = media_type
        .as_ref()
        .map_or(("", ""), |media_type| (media_type.sent, &media_type.name));
    match name {
        "application/json" => Params::from_json(&body),
        "application/x-www-form-urlencoded" => Params::from_form(&body),
        FORM_DATA => read_fields(request.headers(), body).await,
        _ if body.is_empty() => Ok(Params::default()),
        _ => Err(ApiError::unsupported_content_type(sent)),
    }
}
