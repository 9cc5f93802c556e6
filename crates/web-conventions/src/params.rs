//! Parameters of a request: those of the query and, for methods with a body, those of the body, which take precedence.

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::{self, Bytes};
use actix_web::{FromRequest as _, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::Params;

use crate::body::{BodyLimits, read_body};
use crate::failure::Failure;
use crate::form_data::{FORM_DATA, FormData, UploadedFile, read_form_data};
use crate::media_type::MediaType;
use crate::operations::{ParameterKind, declaration_of};

/// Parses the parameters of the query.
///
/// # Errors
/// 400 if [`Params::from_query`] fails.
pub fn read_query_params(request: &HttpRequest) -> Result<Params, ApiError> {
    Params::from_query(request.query_string())
}

/// Content of a request: its parameters, and the files that its operation accepts.
#[derive(Debug, Clone, Default)]
pub struct RequestInput {
    /// Parameters of the query and of the body; those of the body take precedence.
    pub params: Params,
    /// Files, in the order of the form.
    pub files: Vec<UploadedFile>,
}

/// Returns the fields in which the operation of a request accepts files. Most operations have none.
pub fn file_fields(request: &HttpRequest) -> Vec<&'static str> {
    declaration_of(request).map_or_else(Vec::new, |declaration| {
        let files = declaration.parameters.iter();
        let files = files.filter(|parameter| parameter.kind == ParameterKind::File);
        files.map(|parameter| parameter.name).collect()
    })
}

/// Reads the parameters of the query and the body, where those of the body take precedence, and the files that the
/// operation accepts. The body of a GET or HEAD is ignored.
///
/// # Errors
/// Those of [`read_body`]; 415 for a body of an unsupported type, and 400 for a malformed one.
pub async fn read_input(
    request: &HttpRequest,
    mut payload: Payload,
    limits: BodyLimits<'_>,
    query: Params,
) -> Result<RequestInput, Failure> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(RequestInput {
            params: query,
            files: Vec::new(),
        });
    }
    let payload = web::Payload::from_request(request, &mut payload).await;
    let payload = payload.map_err(|_| ApiError::internal())?;
    let body = read_body(request, payload, limits).await?;
    let FormData { params, files } = decode(request, body).await?;
    Ok(RequestInput {
        params: query.merged(params),
        files,
    })
}

/// Parses a body by its content type. A body without a content type is refused unless it is empty.
async fn decode(request: &HttpRequest, body: Bytes) -> Result<FormData, ApiError> {
    let media_type = MediaType::of(request.headers());
    let (sent, name) = media_type
        .as_ref()
        .map_or(("", ""), |media_type| (media_type.sent, &media_type.name));
    let params = match name {
        "application/json" => Params::from_json(&body)?,
        "application/x-www-form-urlencoded" => Params::from_form(&body)?,
        FORM_DATA => return read_form_data(request.headers(), body, &file_fields(request)).await,
        _ if body.is_empty() => Params::default(),
        _ => return Err(ApiError::unsupported_content_type(sent)),
    };
    Ok(FormData {
        params,
        files: Vec::new(),
    })
}
