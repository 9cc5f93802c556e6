//! Forms as `multipart/form-data` (RFC 7578), as sent by browsers and by clients that upload files.

use std::future::ready;

use actix_multipart::{Field, Multipart, MultipartError};
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::web::Bytes;
use api_conventions::error::ApiError;
use api_conventions::params::{MAX_PAIRS, Params};
use futures_util::{StreamExt as _, stream};

/// Media type of these forms.
pub const FORM_DATA: &str = "multipart/form-data";

/// A file in a form. The file name that the sender gives is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile {
    /// Name of the form field.
    pub field: String,
    /// Content of the file.
    pub bytes: Bytes,
}

/// Parsed form.
#[derive(Debug, Clone, Default)]
pub struct FormData {
    /// Text fields.
    pub params: Params,
    /// Files, in the order of the form.
    pub files: Vec<UploadedFile>,
}

/// Parses the fields of a body that was already read whole, within the limits of any body.
///
/// # Errors
/// As [`read_form_data`]; files are refused.
pub async fn read_fields(headers: &HeaderMap, body: Bytes) -> Result<Params, ApiError> {
    Ok(read_form_data(headers, body, &[]).await?.params)
}

/// Parses a body that was already read whole, within the limits of any body. Files are accepted only in the fields
/// `files`.
///
/// # Errors
/// 400 for a malformed body, for a field that is not text, and for a file in any other field.
pub async fn read_form_data(
    headers: &HeaderMap,
    body: Bytes,
    files: &[&str],
) -> Result<FormData, ApiError> {
    if body.is_empty() {
        return Ok(FormData::default());
    }
    let whole = stream::once(ready(Ok::<_, PayloadError>(body)));
    let mut form = Multipart::new(headers, whole);
    let mut fields = Vec::new();
    let mut read = FormData::default();
    while let Some(field) = form.next().await {
        let field = field.map_err(|error| malformed(&error))?;
        let name = field.name().unwrap_or_default().to_owned();
        if !is_file(&field) {
            fields.push((name, read_text(field).await?));
        } else if files.contains(&name.as_str()) {
            let bytes = read_bytes(field).await?.into();
            read.files.push(UploadedFile { field: name, bytes });
        } else {
            let problem = format!("{name} is a file, but files are not accepted here");
            return Err(ApiError::invalid_parameters(&[problem]));
        }
        if fields.len() + read.files.len() > MAX_PAIRS {
            break;
        }
    }
    read.params = Params::from_fields(&fields)?;
    Ok(read)
}

fn is_file(field: &Field) -> bool {
    let parameters = field.content_disposition();
    parameters.is_some_and(|parameters| {
        parameters.get_filename().is_some() || parameters.get_filename_ext().is_some()
    })
}

async fn read_text(field: Field) -> Result<String, ApiError> {
    let not_text = |_| ApiError::malformed_body("a form field is not valid UTF-8");
    String::from_utf8(read_bytes(field).await?).map_err(not_text)
}

async fn read_bytes(mut field: Field) -> Result<Vec<u8>, ApiError> {
    let mut value = Vec::new();
    while let Some(chunk) = field.next().await {
        value.extend_from_slice(&chunk.map_err(|error| malformed(&error))?);
    }
    Ok(value)
}

fn malformed(error: &MultipartError) -> ApiError {
    ApiError::malformed_body(&format!("the form cannot be parsed: {error}"))
}
