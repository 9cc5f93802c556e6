//! Secrets that tell when they were made, so that those made together are kept together.
//!
//! A plain digest is a random key: each new row dirties a page of its own in an index of digests, and that page is
//! most of what storing a token costs. A dated secret has its timestamp in front, `prefix_timestamp.secret`, and its digest
//! begins with that timestamp. New entries then stand side by side at the end of the index. The timestamp is no secret: the
//! row tells it as well.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::time::Timestamp;

/// The bytes of a timestamp: milliseconds since 1970, the highest byte first, enough for nine thousand years.
pub const TIMESTAMP_BYTES: usize = 6;

/// The characters that they fill.
const TIMESTAMP_CHARS: usize = 8;

/// What stands between the timestamp and the secret; no letter of base64.
const SEPARATOR: char = '.';

/// The bytes of `at`. What is before 1970 counts as 1970: the timestamp orders entries and decides nothing.
pub fn timestamp_bytes(at: Timestamp) -> [u8; TIMESTAMP_BYTES] {
    let millis = u64::try_from(at.as_micros() / 1000).unwrap_or_default();
    let [_, _, timestamp @ ..] = millis.to_be_bytes();
    timestamp
}

/// A dated secret: the prefix, the timestamp, and the text of the secret.
pub fn assemble(prefix: &str, timestamp: [u8; TIMESTAMP_BYTES], secret: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + TIMESTAMP_CHARS + 1 + secret.len());
    text.push_str(prefix);
    URL_SAFE_NO_PAD.encode_string(timestamp, &mut text);
    text.push(SEPARATOR);
    text.push_str(secret);
    text
}

/// The timestamp in a dated secret; `None` for any other text.
pub(super) fn timestamp_in(secret: &str) -> Option<[u8; TIMESTAMP_BYTES]> {
    let (head, _) = secret.split_once(SEPARATOR)?;
    let start = head.len().checked_sub(TIMESTAMP_CHARS)?;
    let mut timestamp = [0; TIMESTAMP_BYTES];
    URL_SAFE_NO_PAD
        .decode_slice(head.get(start..)?, &mut timestamp)
        .ok()?;
    Some(timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> [u8; TIMESTAMP_BYTES] {
        timestamp_bytes(Timestamp::from_micros(micros).unwrap())
    }

    #[test]
    fn later_timestamps_have_greater_bytes() {
        assert_eq!(at(-5), [0; 6]);
        assert_eq!(at(1000), [0, 0, 0, 0, 0, 1]);
        assert!(at(1_795_268_743_000_000) < at(1_795_268_743_001_000));
    }

    #[test]
    fn the_timestamp_is_found_again() {
        let text = assemble("ghoa_", [1, 2, 3, 250, 251, 252], "secret");
        assert_eq!(text, "ghoa_AQID-vv8.secret");
        assert_eq!(timestamp_in(&text), Some([1, 2, 3, 250, 251, 252]));
    }

    #[test]
    fn other_texts_have_no_timestamp() {
        for text in ["", ".", "ghoa_AQID-vv8", "short.x", "no base?.x", "ééééé.x"] {
            assert_eq!(timestamp_in(text), None, "{text}");
        }
    }
}
