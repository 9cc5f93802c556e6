//! Compression of responses for clients that accept it (RFC 9110, section 12.5.3).
//!
//! The declaration of an operation decides: see [`Declaration::is_compressible`]. The length of a compressed response
//! reveals something about its content, so that an attacker who controls a part of a response and sees its length could
//! guess the rest. A response with a secret is never compressed, and a page only if it declares that it holds none.

use std::io::Write as _;

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, VARY,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::{Bytes, block};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::operations::declaration_of;

/// Smallest response to compress, in bytes. A smaller one fits into one packet as it is.
const MIN_BYTES: usize = 1400;

/// Size in bytes from which a response is compressed on another thread, so that other responses need not wait for it.
const BLOCKING_BYTES: usize = 64 * 1024;

/// Compresses a response if its operation and the client allow it and the result is smaller. The entity tag stays: it
/// is a weak one, which identifies the content in any encoding.
pub(crate) async fn compress(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let request = response.request();
    let is_compressible = *request.method() == Method::GET
        && declaration_of(request).is_some_and(|declaration| declaration.is_compressible());
    let Some(accepted) = accepted(request.headers()).filter(|_| is_compressible) else {
        return response;
    };
    // Other clients may get another encoding, so `Vary` is needed even if the response is not compressed.
    response
        .headers_mut()
        .append(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !accepted || response.status() != StatusCode::OK || !is_text(response.headers()) {
        return response;
    }
    let (request, answer) = response.into_parts();
    let (mut answer, body) = answer.into_parts();
    let body = match body.try_into_bytes() {
        Ok(body) => body,
        Err(body) => return ServiceResponse::new(request, answer.set_body(body)),
    };
    let compressed = match body.len() {
        0..MIN_BYTES => None,
        MIN_BYTES..BLOCKING_BYTES => gzip(&body),
        _ => {
            let whole = body.clone();
            block(move || gzip(&whole)).await.ok().flatten()
        }
    };
    let body = match compressed.filter(|compressed| compressed.len() < body.len()) {
        Some(compressed) => {
            let gzip = HeaderValue::from_static("gzip");
            answer.headers_mut().insert(CONTENT_ENCODING, gzip);
            Bytes::from(compressed)
        }
        None => body,
    };
    ServiceResponse::new(request, answer.set_body(BoxBody::new(body)))
}

/// True if the client accepts gzip; `None` if it sent no `Accept-Encoding`.
fn accepted(headers: &HeaderMap) -> Option<bool> {
    let mut all = headers.get_all(ACCEPT_ENCODING).peekable();
    all.peek()?;
    let mut accepted = false;
    for entry in all
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
    {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let quality = parameters.trim().strip_prefix("q=");
        let is_refused =
            quality.is_some_and(|quality| quality.parse::<f32>().is_ok_and(|it| it <= 0.0));
        match name.trim().to_ascii_lowercase().as_str() {
            // An entry with the encoding's name takes precedence over the wildcard.
            "gzip" | "x-gzip" => return Some(!is_refused),
            "*" => accepted = !is_refused,
            _ => {}
        }
    }
    Some(accepted)
}

/// True for responses that shrink. Images and archives are compressed already.
fn is_text(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_shrinking = media_type.is_some_and(|media_type| {
        media_type.starts_with("text/") || media_type.contains("json") || media_type.contains("xml")
    });
    is_shrinking && !headers.contains_key(CONTENT_ENCODING)
}

/// Compresses bytes in the format of RFC 1952; `None` on failure, which leaves the response as it is.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_support_is_read_from_accept_encoding() {
        for (text, expected) in [
            ("gzip", true),
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.2", true),
            ("*", true),
            ("br, *;q=0.1", true),
            ("gzip;q=0, *", false),
            ("gzip; q=0.000", false),
            ("br", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_str(text).unwrap());
            assert_eq!(accepted(&headers), Some(expected), "{text}");
        }
        assert_eq!(accepted(&HeaderMap::new()), None);
    }
}
