//! Reading of request bodies: whole, within a size and a time limit, and decompressed within the same size.
//!
//! Every body is read here, and counts in the [budget](BodyBudget) of held bytes until its request is answered.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut, Payload};
use actix_web::{HttpMessage as _, HttpRequest};
use api_conventions::error::ApiError;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use futures_util::StreamExt as _;

use crate::body_budget::{BodyBudget, HeldBody};
use crate::failure::Failure;
use crate::operations::declaration_of;

/// Size up to which bodies are parsed on the worker. Larger ones are parsed on a thread that may block, where every
/// compressed body is decoded, because its size says little about the work.
pub const INLINE_BYTES: usize = 64 * 1024;

/// Bytes to decode between two checks of the limits.
const CHECK_INTERVAL: u64 = 256 * 1024;

/// Limits of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits<'b> {
    /// Maximum size in bytes, before and after decompression.
    pub max_bytes: usize,
    /// Maximum time until the whole body has arrived.
    pub timeout: Duration,
    /// Budget for all bodies together.
    pub budget: &'b Arc<BodyBudget>,
    /// Kind of sender.
    pub sender: BodySender,
}

/// Kind of sender, which decides the share of the budget in which a body counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodySender {
    /// Sender with permission for this path: each path has its own share.
    Authorized,
    /// Any sender: bodies of strangers to all paths of an operation count in one share.
    Anonymous,
}

/// Reads and decompresses the body.
///
/// # Errors
/// 413 if it is too large, 408 if it takes too long, 415 for an unsupported encoding, 400 if it ends early or cannot be
/// decompressed, 503 if other bodies use up the budget.
pub async fn read_body(
    request: &HttpRequest,
    payload: Payload,
    limits: BodyLimits<'_>,
) -> Result<Bytes, Failure> {
    let compression = compression(request.headers())?;
    let (raw, mut held) = read_held(request, payload, limits).await?;
    let body = if let Some(compression) = compression {
        let max_bytes = limits.max_bytes;
        let decoded = actix_web::web::block(move || {
            let body = compression.decode(&raw, max_bytes, &mut held)?;
            drop(raw);
            held.hold(body.len())?;
            Ok::<_, ApiError>((body, held))
        });
        let decoded = decoded.await;
        let decoded = decoded.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))?;
        let (body, decoded_held) = decoded?;
        held = decoded_held;
        body
    } else {
        raw
    };
    request.extensions_mut().insert(held);
    Ok(body)
}

/// Reads the body without decompressing it, for handlers that decompress it themselves.
///
/// # Errors
/// 413 if it is too large, 408 if it takes too long, 400 if it ends early, 503 if other bodies use up the budget.
pub async fn read_raw_body(
    request: &HttpRequest,
    payload: Payload,
    limits: BodyLimits<'_>,
) -> Result<Bytes, ApiError> {
    let (body, held) = read_held(request, payload, limits).await?;
    request.extensions_mut().insert(held);
    Ok(body)
}

async fn read_held(
    request: &HttpRequest,
    payload: Payload,
    limits: BodyLimits<'_>,
) -> Result<(Bytes, HeldBody), ApiError> {
    let mut held = limits.budget.begin(&share_of(request, limits.sender));
    let collected = read_payload(request.headers(), payload, limits.max_bytes, &mut held);
    let body = tokio::time::timeout(limits.timeout, collected)
        .await
        .map_err(|_| ApiError::request_timeout())??;
    Ok((body, held))
}

/// Returns the name of the share in which a body counts.
fn share_of(request: &HttpRequest, sender: BodySender) -> String {
    match sender {
        BodySender::Authorized => request.path().to_owned(),
        BodySender::Anonymous => declaration_of(request)
            .map_or_else(String::new, |declaration| declaration.id.to_owned()),
    }
}

async fn read_payload(
    headers: &HeaderMap,
    mut payload: Payload,
    max_bytes: usize,
    held: &mut HeldBody,
) -> Result<Bytes, ApiError> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if let Some(length) = announced {
        if length > max_bytes {
            return Err(ApiError::body_too_large(max_bytes));
        }
        held.expect(length)?;
    }
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk =
            chunk.map_err(|_| ApiError::malformed_body("the body ended before it was complete"))?;
        if body.len() + chunk.len() > max_bytes {
            return Err(ApiError::body_too_large(max_bytes));
        }
        held.hold(body.len() + chunk.len())?;
        if body.is_empty() && announced == Some(chunk.len()) {
            return Ok(chunk);
        }
        if body.is_empty() {
            // The budget has admitted the announced length. Growth by doubling would take up to twice as much.
            body.reserve(announced.unwrap_or_default());
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
    /// Decompresses a body and stops one byte after the limit, so that a small body that decodes to a huge one costs no
    /// more than the limit in memory and time. The decoded bytes count in addition to the raw ones.
    fn decode(self, raw: &[u8], max_bytes: usize, held: &mut HeldBody) -> Result<Bytes, ApiError> {
        match self {
            Self::Gzip => decode_from(MultiGzDecoder::new(raw), raw.len(), max_bytes, held),
            Self::Deflate => decode_from(ZlibDecoder::new(raw), raw.len(), max_bytes, held),
        }
    }
}

fn decode_from(
    mut decoder: impl Read,
    raw_bytes: usize,
    max_bytes: usize,
    held: &mut HeldBody,
) -> Result<Bytes, ApiError> {
    let mut plain = Vec::new();
    loop {
        let left = (max_bytes - plain.len()) as u64;
        let read = decoder
            .by_ref()
            .take(left.saturating_add(1).min(CHECK_INTERVAL))
            .read_to_end(&mut plain);
        let read = read.map_err(|_| ApiError::malformed_body("the body cannot be decompressed"))?;
        if plain.len() > max_bytes {
            return Err(ApiError::body_too_large(max_bytes));
        }
        if read == 0 {
            return Ok(plain.into());
        }
        held.hold(raw_bytes + plain.len())?;
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

    fn decode(packed: &[u8], max_bytes: usize) -> Result<Bytes, ApiError> {
        let budget = BodyBudget::new(usize::MAX, usize::MAX);
        Compression::Gzip.decode(packed, max_bytes, &mut budget.begin("/"))
    }

    fn refusal(packed: &[u8], max_bytes: usize) -> u16 {
        decode(packed, max_bytes).unwrap_err().status()
    }

    #[test]
    fn a_body_is_decoded_up_to_the_limit_and_refused_beyond() {
        let packed = gzip(&[b'x'; 1000]);
        assert_eq!(decode(&packed, 1000).unwrap().len(), 1000);
        assert_eq!(refusal(&packed, 999), 413);
        let packed = gzip(&vec![b'x'; 1_000_000]);
        assert_eq!(decode(&packed, 1_000_000).unwrap().len(), 1_000_000);
        assert_eq!(refusal(&packed, 999_999), 413);
    }

    #[test]
    fn a_bomb_is_refused_at_the_limit() {
        let bomb = gzip(&vec![0_u8; 50_000_000]);
        assert!(bomb.len() < 100_000);
        assert_eq!(refusal(&bomb, 1_000_000), 413);
    }

    #[test]
    fn decoded_bytes_count_against_the_budget() {
        let bomb = gzip(&vec![0_u8; 1_000_000]);
        let budget = BodyBudget::new(500_000, 500_000);
        let mut other = budget.begin("/other");
        other.hold(100_000).unwrap();
        let mut held = budget.begin("/");
        let refused = Compression::Gzip.decode(&bomb, 2_000_000, &mut held);
        assert_eq!(refused.unwrap_err().status(), 503);
        drop(other);
        Compression::Gzip
            .decode(&bomb, 2_000_000, &mut held)
            .unwrap();
    }

    #[test]
    fn garbage_is_a_clear_refusal() {
        assert_eq!(refusal(b"not gzip", 1000), 400);
        let mut cut = gzip(b"whole body");
        cut.truncate(cut.len() - 4);
        assert_eq!(refusal(&cut, 1000), 400);
    }
}
