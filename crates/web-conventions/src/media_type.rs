//! What a request says that its body is.

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use api_conventions::error::ApiError;

/// The value of `Content-Type`, and the media type in it.
#[derive(Debug)]
pub struct MediaType<'h> {
    /// As it was sent.
    pub sent: &'h str,
    /// In lower case and without parameters.
    pub name: String,
}

impl<'h> MediaType<'h> {
    /// What the headers say, if they say anything. A value that is no text has no name.
    pub fn of(headers: &'h HeaderMap) -> Option<Self> {
        let sent = headers.get(CONTENT_TYPE)?.to_str().unwrap_or_default();
        let name = sent.split(';').next().unwrap_or_default();
        Some(Self {
            sent,
            name: name.trim().to_ascii_lowercase(),
        })
    }

    /// Whether a body of this type is JSON, also JSON with a further meaning (RFC 6839, section 3.1).
    fn is_json(&self) -> bool {
        let subtype = self.name.strip_prefix("application/");
        let structured = subtype
            .and_then(|subtype| subtype.strip_suffix("+json"))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_of_a_name));
        structured || matches!(self.name.as_str(), "application/json" | "text/json")
    }
}

/// Whether a byte may stand in the name of a media type (RFC 6838, section 4.2).
fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte)
}

/// Accepts a body that is JSON, or of which nothing is said.
///
/// # Errors
/// 415 for anything else.
pub fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    match MediaType::of(headers) {
        Some(media_type) if !media_type.is_json() => {
            Err(ApiError::content_type_is_not_json(media_type.sent))
        }
        _ => Ok(()),
    }
}
