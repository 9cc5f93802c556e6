//! Media type of a request body.

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use api_conventions::error::ApiError;

/// Value of `Content-Type`, and the media type in it.
#[derive(Debug)]
pub struct MediaType<'h> {
    /// Value as sent.
    pub sent: &'h str,
    /// Media type in lower case, without parameters.
    pub name: String,
}

impl<'h> MediaType<'h> {
    /// Returns the media type in the headers, if present. The name of a value that is not text is empty.
    pub fn of(headers: &'h HeaderMap) -> Option<Self> {
        let sent = headers.get(CONTENT_TYPE)?.to_str().unwrap_or_default();
        let name = sent.split(';').next().unwrap_or_default();
        Some(Self {
            sent,
            name: name.trim().to_ascii_lowercase(),
        })
    }

    /// True if a body of this type is JSON, including structured types (RFC 6839, section 3.1).
    fn is_json(&self) -> bool {
        let subtype = self.name.strip_prefix("application/");
        let structured = subtype
            .and_then(|subtype| subtype.strip_suffix("+json"))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_name_byte));
        structured || matches!(self.name.as_str(), "application/json" | "text/json")
    }
}

/// True if a byte is allowed in the name of a media type (RFC 6838, section 4.2).
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte)
}

/// Accepts a body that is JSON or has no content type.
///
/// # Errors
/// 415 for any other type.
pub fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    match MediaType::of(headers) {
        Some(media_type) if !media_type.is_json() => {
            Err(ApiError::content_type_is_not_json(media_type.sent))
        }
        _ => Ok(()),
    }
}
