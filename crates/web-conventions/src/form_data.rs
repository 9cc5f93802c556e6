//! Forms as `multipart/form-data` (RFC 7578), as browsers and clients send them that may also send files.

use std::future::ready;

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use api_conventions::error::ApiError;
use api_conventions::params::{MAX_PAIRS, Params};
use futures_util::{StreamExt as _, stream};

/// The media type.
pub const FORM_DATA: &str = "multipart/form-data";

/// Reads the fields of a body that was read whole, within the bounds of any body.
///
/// # Errors
/// 400 for a body that is not what its type says, for a field that is no text, and for a file, which nothing takes.
pub async fn read_fields(headers: &HeaderMap, body: Bytes) -> Result<Params, ApiError> {
    if body.is_empty() {
        return Ok(Params::default());
    }
    let whole = stream::once(ready(Ok::<_, PayloadError>(body)));
    let mut form = Multipart::new(headers, whole);
    let mut fields = Vec::new();
    while let Some(field) = form.next().await {
        fields.push(read_field(field.map_err(|error| malformed(&error))?).await?);
        if fields.len() > MAX_PAIRS {
            break;
        }
    }
    Params::from_fields(&fields)
}

async fn read_field(mut field: Field) -> Result<(String, String), ApiError> {
    let name = field.name().unwrap_or_default().to_owned();
    let parameters = field.content_disposition();
    let is_file = parameters.is_some_and(|parameters| {
        parameters.get_filename().is_some() || parameters.get_filename_ext().is_some()
    });
    if is_file {
        let problem = format!("{name} is a file, and no file is taken here");
        return Err(ApiError::invalid_parameters(&[problem]));
    }
    let mut value = Vec::new();
    while let Some(chunk) = field.next().await {
        value.extend_from_slice(&chunk.map_err(|error| malformed(&error))?);
    }
    let not_text = |_| ApiError::malformed_body("a field of the form is not UTF-8");
    Ok((name, String::from_utf8(value).map_err(not_text)?))
}

fn malformed(error: &MultipartError) -> ApiError {
    ApiError::malformed_body(&format!("the form cannot be read: {error}"))
}
