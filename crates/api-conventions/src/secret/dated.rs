//! Dated secrets, which contain their creation time so that secrets created together are stored together.
//!
//! A plain digest is a random key: each new row dirties a different page of an index of digests, and that page is most
//! of the cost of storing a token. A dated secret starts with its timestamp, `prefix_timestamp.secret`, and its digest
//! begins with that timestamp. New entries are then adjacent at the end of the index. The timestamp is not secret: the
//! row contains it as well.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::time::Timestamp;

/// Length of a timestamp in bytes: milliseconds since 1970, big-endian, enough for nine thousand years.
pub const TIMESTAMP_BYTES: usize = 6;

/// Length of an encoded timestamp in characters.
const TIMESTAMP_CHARS: usize = 8;

/// Separator between the timestamp and the secret; not a base64 character.
const SEPARATOR: char = '.';

/// Returns the timestamp bytes of `at`. Times before 1970 count as 1970: the timestamp only orders index entries.
pub fn timestamp_bytes(at: Timestamp) -> [u8; TIMESTAMP_BYTES] {
    let millis = u64::try_from(at.as_micros() / 1000).unwrap_or_default();
    let [_, _, timestamp @ ..] = millis.to_be_bytes();
    timestamp
}

/// Assembles a dated secret from the prefix, the timestamp, and the text of the secret.
pub fn assemble(prefix: &str, timestamp: [u8; TIMESTAMP_BYTES], secret: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + TIMESTAMP_CHARS + 1 + secret.len());
    text.push_str(prefix);
    URL_SAFE_NO_PAD.encode_string(timestamp, &mut text);
    text.push(SEPARATOR);
    text.push_str(secret);
    text
}

/// Returns the timestamp of a dated secret; `None` for any other text.
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
