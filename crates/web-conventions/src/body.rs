//! Reading a request's body: whole, within a limit and a time, and decompressed under the same limit.

use std::io::Read as _;
use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Payload};
use api_conventions::error::ApiError;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use futures_util::StreamExt as _;

use crate::failure::Failure;

/// Bodies up to this size are parsed on the worker; larger ones on a thread that may block, where every compressed
/// body is decoded, because its size says little about the work.
pub const INLINE_BYTES: usize = 64 * 1024;

/// The bounds of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits {
    /// The largest body in bytes, before and after decompression.
    pub max_bytes: usize,
    /// How long it may take to arrive.
    pub timeout: Duration,
}

/// Reads the body.
///
/// # Errors
/// 413 when it is too large, 408 when it takes too long, 415 for an encoding that is not read here, 400 when it
/// breaks off or cannot be decompressed.
pub async fn read_body(
    headers: &HeaderMap,
    payload: Payload,
    limits: BodyLimits,
) -> Result<Bytes, Failure> {
    let compression = compression(headers)?;
    let raw = read_packed(headers, payload, limits).await?;
    let Some(compression) = compression else {
        return Ok(raw);
    };
    let decoded = actix_web::web::block(move || compression.decode(&raw, limits.max_bytes)).await;
    Ok(decoded.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))??)
}

/// Reads the body as it came, for those who unpack it themselves.
///
/// # Errors
/// 413 when it is too large, 408 when it takes too long, 400 when it breaks off.
pub async fn read_packed(
    headers: &HeaderMap,
    payload: Payload,
    limits: BodyLimits,
) -> Result<Bytes, ApiError> {
    tokio::time::timeout(limits.timeout, collect(headers, payload, limits.max_bytes))
        .await
        .map_err(|_| ApiError::request_timeout())?
}

async fn collect(
    headers: &HeaderMap,
    mut payload: Payload,
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > max_bytes) {
        return Err(ApiError::body_too_large(max_bytes));
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk =
            chunk.map_err(|_| ApiError::malformed_body("the body broke off before its end"))?;
        if body.len() + chunk.len() > max_bytes {
            return Err(ApiError::body_too_large(max_bytes));
        }
        if body.is_empty() && announced == Some(chunk.len()) {
            return Ok(chunk);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

#[derive(Debug, Clone, Copy)]
enum Compression {
    Gzip,
    Deflate,
}

fn compression(headers: &HeaderMap) -> Result<Option<Compression>, ApiError> {
    let Some(value) = headers.get(CONTENT_ENCODING) else {
        return Ok(None);
    };
    match value
        .to_str()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
        .as_str()
    {
        "" | "identity" => Ok(None),
        "gzip" | "x-gzip" => Ok(Some(Compression::Gzip)),
        "deflate" => Ok(Some(Compression::Deflate)),
        other => Err(ApiError::unsupported_content_encoding(other)),
    }
}

impl Compression {
    /// Stops one byte after the limit, so that a small body that decodes to a huge one costs no more than the
    /// limit in memory and time.
    fn decode(self, raw: &[u8], max_bytes: usize) -> Result<Bytes, ApiError> {
        let mut decoded = Vec::new();
        let bound = u64::try_from(max_bytes)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let outcome = match self {
            Self::Gzip => MultiGzDecoder::new(raw)
                .take(bound)
                .read_to_end(&mut decoded),
            Self::Deflate => ZlibDecoder::new(raw).take(bound).read_to_end(&mut decoded),
        };
        outcome.map_err(|_| ApiError::malformed_body("the body cannot be decompressed"))?;
        if decoded.len() > max_bytes {
            Err(ApiError::body_too_large(max_bytes))
        } else {
            Ok(decoded.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_body_is_decoded_up_to_the_limit_and_refused_beyond() {
        let packed = gzip(&[b'x'; 1000]);
        assert_eq!(Compression::Gzip.decode(&packed, 1000).unwrap().len(), 1000);
        assert_eq!(
            Compression::Gzip.decode(&packed, 999).unwrap_err().status(),
            413
        );
    }

    #[test]
    fn a_bomb_is_refused_at_the_limit() {
        let bomb = gzip(&vec![0_u8; 50_000_000]);
        assert!(bomb.len() < 100_000);
        assert_eq!(
            Compression::Gzip
                .decode(&bomb, 1_000_000)
                .unwrap_err()
                .status(),
            413
        );
    }

    #[test]
    fn garbage_is_a_clear_refusal() {
        assert_eq!(
            Compression::Gzip
                .decode(b"not gzip", 1000)
                .unwrap_err()
                .status(),
            400
        );
        let mut cut = gzip(b"whole body");
        cut.truncate(cut.len() - 4);
        assert_eq!(
            Compression::Gzip.decode(&cut, 1000).unwrap_err().status(),
            400
        );
    }
}
