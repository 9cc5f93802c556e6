//! Secrets that tell when they were made, so that those made together are kept together.
//!
//! A plain digest is a random key: each new row dirties a page of its own in an index of digests, and that page is
//! most of what storing a token costs. A dated secret has its moment in front, `prefix_moment.secret`, and its digest
//! begins with that moment. New entries then stand side by side at the end of the index. The moment is no secret: the
//! row tells it as well.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::time::Timestamp;

/// The bytes of a moment: milliseconds since 1970, the highest byte first, enough for nine thousand years.
pub const MOMENT_BYTES: usize = 6;

/// The characters that they fill.
const MOMENT_CHARS: usize = 8;

/// What stands between the moment and the secret; no letter of base64.
const SEPARATOR: char = '.';

/// The bytes of `at`. What is before 1970 counts as 1970: the moment orders entries and decides nothing.
pub fn moment_bytes(at: Timestamp) -> [u8; MOMENT_BYTES] {
    let millis = u64::try_from(at.as_micros() / 1000).unwrap_or_default();
    let [_, _, moment @ ..] = millis.to_be_bytes();
    moment
}

/// A dated secret: the prefix, the moment, and the text of the secret.
pub fn assemble(prefix: &str, moment: [u8; MOMENT_BYTES], secret: &str) -> String {
    let mut text = String::with_capacity(prefix.len() + MOMENT_CHARS + 1 + secret.len());
    text.push_str(prefix);
    URL_SAFE_NO_PAD.encode_string(moment, &mut text);
    text.push(SEPARATOR);
    text.push_str(secret);
    text
}

/// The moment in a dated secret; `None` for any other text.
pub(super) fn moment_in(secret: &str) -> Option<[u8; MOMENT_BYTES]> {
    let (head, _) = secret.split_once(SEPARATOR)?;
    let start = head.len().checked_sub(MOMENT_CHARS)?;
    let mut moment = [0; MOMENT_BYTES];
    URL_SAFE_NO_PAD
        .decode_slice(head.get(start..)?, &mut moment)
        .ok()?;
    Some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> [u8; MOMENT_BYTES] {
        moment_bytes(Timestamp::from_micros(micros).unwrap())
    }

    #[test]
    fn later_moments_have_greater_bytes() {
        assert_eq!(at(-5), [0; 6]);
        assert_eq!(at(1000), [0, 0, 0, 0, 0, 1]);
        assert!(at(1_795_268_743_000_000) < at(1_795_268_743_001_000));
    }

    #[test]
    fn the_moment_is_found_again() {
        let text = assemble("ghoa_", [1, 2, 3, 250, 251, 252], "secret");
        assert_eq!(text, "ghoa_AQID-vv8.secret");
        assert_eq!(moment_in(&text), Some([1, 2, 3, 250, 251, 252]));
    }

    #[test]
    fn other_texts_have_no_moment() {
        for text in ["", ".", "ghoa_AQID-vv8", "short.x", "no base?.x", "ééééé.x"] {
            assert_eq!(moment_in(text), None, "{text}");
        }
    }
}
