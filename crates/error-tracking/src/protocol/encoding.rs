//! Decompression of bodies under a limit.
//! A body that would exceed it is refused as soon as that is known, so a small body never fills the memory.

use std::borrow::Cow;
use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Bytes that are decompressed between two checks of the time.
const CHUNK: usize = 64 * 1024;

/// Compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// No compression.
    Identity,
    /// `gzip`.
    Gzip,
    /// `deflate`: with the zlib frame, or without.
    Deflate,
    /// `br`.
    Brotli,
    /// `zstd`.
    Zstandard,
}

impl Encoding {
    /// Parses the value of the header.
    /// Some SDKs send an empty one, or a character encoding; both mean no compression.
    ///
    /// # Errors
    /// The encoding is unknown, or a list of several.
    pub fn parse(header: Option<&str>) -> Result<Self, DecodeError> {
        let name = header.unwrap_or_default().trim().to_ascii_lowercase();
        match name.as_str() {
            "" | "identity" | "utf-8" | "utf8" => Ok(Self::Identity),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "deflate" => Ok(Self::Deflate),
            "br" => Ok(Self::Brotli),
            "zstd" => Ok(Self::Zstandard),
            _ => Err(DecodeError::Unknown),
        }
    }
}

/// Reason why a body cannot be decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The encoding is unknown: 415.
    #[error("the Content-Encoding is not supported: use gzip, deflate, br, zstd or identity")]
    Unknown,
    /// The body is damaged: 400.
    #[error("the body does not match its Content-Encoding")]
    Damaged,
    /// The decompressed body would be too large: 413.
    #[error("the decompressed body is too large")]
    TooLarge,
    /// Decompression takes too long: 413.
    #[error("the body takes too long to decompress")]
    TooSlow,
}

/// Limits of decompression.
#[derive(Clone, Copy)]
pub struct Limits<'l> {
    /// Maximum size in bytes.
    pub bytes: usize,
    /// True once the time is over; called repeatedly.
    pub is_over: &'l (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for Limits<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Limits({} bytes)", self.bytes)
    }
}

/// Decompresses a body.
///
/// # Errors
/// The body is damaged, or exceeds the limits.
pub fn unpack<'b>(
    body: &'b [u8],
    encoding: Encoding,
    limits: Limits<'_>,
) -> Result<Cow<'b, [u8]>, DecodeError> {
    let unpacked = match encoding {
        Encoding::Identity if body.len() > limits.bytes => return Err(DecodeError::TooLarge),
        Encoding::Identity => return Ok(Cow::Borrowed(body)),
        Encoding::Gzip => read(flate2::read::MultiGzDecoder::new(body), limits),
        Encoding::Deflate => {
            let framed = read(flate2::read::ZlibDecoder::new(body), limits);
            match framed {
                Err(DecodeError::Damaged) => read(flate2::read::DeflateDecoder::new(body), limits),
                outcome => outcome,
            }
        }
        Encoding::Brotli => read(brotli_decompressor::Decompressor::new(body, 4096), limits),
        Encoding::Zstandard => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(body).map_err(|_| DecodeError::Damaged)?;
            // Every sender uses a window of at most 8 MiB; a larger one would only take memory.
            decoder
                .window_log_max(23)
                .map_err(|_| DecodeError::Damaged)?;
            read(decoder, limits)
        }
    };
    unpacked.map(Cow::Owned)
}

/// Reads to the end, or to a limit.
/// A decoder that returns nothing more has ended; a truncated one returns an error.
fn read(mut decoder: impl Read, limits: Limits<'_>) -> Result<Vec<u8>, DecodeError> {
    let mut unpacked = Vec::new();
    loop {
        if (limits.is_over)() {
            return Err(DecodeError::TooSlow);
        }
        // One byte more than allowed shows that the limit is exceeded.
        let step = CHUNK.min(limits.bytes + 1 - unpacked.len());
        let mut part = decoder.by_ref().take(step as u64);
        match part.read_to_end(&mut unpacked) {
            Ok(0) => return Ok(unpacked),
            Ok(_) if unpacked.len() > limits.bytes => return Err(DecodeError::TooLarge),
            Ok(_) => {}
            Err(_) => return Err(DecodeError::Damaged),
        }
    }
}

/// Unpacks the JSON of an event sent to the legacy endpoint: plain, or base64 of zlib of it, as old clients send it.
/// A body that is neither is returned unchanged, and the JSON parser reports the problem.
///
/// # Errors
/// As [`unpack`].
pub fn event_of_store<'b>(
    body: &'b [u8],
    limits: Limits<'_>,
) -> Result<Cow<'b, [u8]>, DecodeError> {
    let start = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(start, Some(b'{' | b'[')) {
        return Ok(Cow::Borrowed(body));
    }
    let text: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let Ok(packed) = STANDARD.decode(text) else {
        return Ok(Cow::Borrowed(body));
    };
    if packed.is_empty() {
        return Ok(Cow::Borrowed(body));
    }
    read(flate2::read::ZlibDecoder::new(packed.as_slice()), limits).map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    const NEVER: Limits<'static> = Limits {
        bytes: 1 << 20,
        is_over: &|| false,
    };

    const ALL: [Encoding; 4] = [
        Encoding::Gzip,
        Encoding::Deflate,
        Encoding::Brotli,
        Encoding::Zstandard,
    ];

    fn pack(bytes: &[u8], encoding: Encoding) -> Vec<u8> {
        match encoding {
            Encoding::Identity => bytes.to_vec(),
            Encoding::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            Encoding::Deflate => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            Encoding::Brotli => stored_brotli(bytes),
            Encoding::Zstandard => zstd::encode_all(bytes, 3).unwrap(),
        }
    }

    /// Brotli data as the format allows it without compression: a stream of uncompressed blocks (RFC 7932, section
    /// 9.2), each of at most 65,536 bytes.
    fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
        // A window of 16 bits is one bit, 0. Each block begins with 0 for "not the last", two bits 0 for a length of
        // four digits, sixteen bits of the length less one, and 1 for "not compressed"; then zeros up to a whole byte.
        let mut packed = Vec::new();
        for (place, block) in bytes.chunks(65_536).enumerate() {
            let length = u32::try_from(block.len() - 1).unwrap();
            let bits = length << 3 | 1 << 19;
            let bits = if place == 0 { bits << 1 } else { bits };
            packed.extend_from_slice(&bits.to_le_bytes()[..3]);
            packed.extend_from_slice(block);
        }
        // The last block is empty: two bits 1, after the bit of the window where there was no other block.
        packed.push(if bytes.is_empty() { 0b110 } else { 0b11 });
        packed
    }

    #[test]
    fn names_are_those_that_sdks_send() {
        for (name, expected) in [
            (None, Ok(Encoding::Identity)),
            (Some(""), Ok(Encoding::Identity)),
            (Some("UTF-8"), Ok(Encoding::Identity)),
            (Some("identity"), Ok(Encoding::Identity)),
            (Some("GZIP"), Ok(Encoding::Gzip)),
            (Some(" deflate "), Ok(Encoding::Deflate)),
            (Some("br"), Ok(Encoding::Brotli)),
            (Some("zstd"), Ok(Encoding::Zstandard)),
            (Some("lzma"), Err(DecodeError::Unknown)),
            (Some("gzip, br"), Err(DecodeError::Unknown)),
        ] {
            assert_eq!(Encoding::parse(name), expected, "{name:?}");
        }
    }

    #[test]
    fn bare_deflate_is_read_too() {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(b"{\"a\": 1}").unwrap();
        let packed = encoder.finish().unwrap();
        let unpacked = unpack(&packed, Encoding::Deflate, NEVER).unwrap();
        assert_eq!(&*unpacked, b"{\"a\": 1}");
    }

    #[test]
    fn decoding_over_the_size_limit_is_rejected() {
        let bomb = vec![0; 8 << 20];
        for encoding in ALL {
            let packed = pack(&bomb, encoding);
            assert_eq!(
                unpack(&packed, encoding, NEVER),
                Err(DecodeError::TooLarge),
                "{encoding:?}"
            );
        }
        assert_eq!(
            unpack(&bomb, Encoding::Identity, NEVER),
            Err(DecodeError::TooLarge)
        );
    }

    #[test]
    fn decoding_over_the_time_limit_is_rejected() {
        let over = Limits {
            bytes: 1 << 20,
            is_over: &|| true,
        };
        for encoding in ALL {
            let packed = pack(b"{}", encoding);
            assert_eq!(
                unpack(&packed, encoding, over),
                Err(DecodeError::TooSlow),
                "{encoding:?}"
            );
        }
    }

    #[test]
    fn damaged_or_truncated_bodies_are_rejected() {
        for encoding in ALL {
            let packed = pack("much that is said ".repeat(50).as_bytes(), encoding);
            let cut = packed.len() - 9;
            assert_eq!(
                unpack(&packed[..cut], encoding, NEVER),
                Err(DecodeError::Damaged),
                "{encoding:?}"
            );
            assert_eq!(
                unpack(b"{\"a\": \"no such thing\"}", encoding, NEVER),
                Err(DecodeError::Damaged),
                "{encoding:?}"
            );
        }
    }

    #[test]
    fn the_old_endpoint_takes_base64_of_zlib() {
        let event = br#"{"message": "x"}"#;
        let old = STANDARD.encode(pack(event, Encoding::Deflate));
        for body in [
            event.to_vec(),
            old.clone().into_bytes(),
            format!("{old}\n").into_bytes(),
        ] {
            assert_eq!(&*event_of_store(&body, NEVER).unwrap(), event);
        }
        for body in ["nothing=", "eA=="] {
            assert_eq!(
                event_of_store(body.as_bytes(), NEVER),
                Err(DecodeError::Damaged),
                "{body}"
            );
        }
        // A body that is neither is left to the JSON parser, which reports the problem.
        for body in ["", " ", "<xml/>", "no json"] {
            assert_eq!(
                event_of_store(body.as_bytes(), NEVER).as_deref(),
                Ok(body.as_bytes())
            );
        }
    }

    proptest! {
        #[test]
        fn encoded_bodies_decode_to_the_original(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            for encoding in ALL {
                let packed = pack(&bytes, encoding);
                prop_assert_eq!(&*unpack(&packed, encoding, NEVER).unwrap(), bytes.as_slice());
            }
        }

        #[test]
        fn no_body_is_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for encoding in ALL {
                let _ = unpack(&bytes, encoding, NEVER);
            }
            let _ = event_of_store(&bytes, NEVER);
        }
    }
}
