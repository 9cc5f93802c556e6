//! Conditional requests: what lets a client skip what it has already (RFC 9110, section 13).

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The weak entity tag of a body, `W/"` and 32 hexadecimal digits.
pub fn etag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let half = digest.as_slice().get(..16).unwrap_or_default();
    format!("W/\"{}\"", HEXLOWER.encode(half))
}

/// Whether an `If-None-Match` header names the entity `tag`, compared weakly. `*` names every entity.
pub fn none_match(header: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    header
        .split(',')
        .any(|candidate| candidate.trim() == "*" || opaque(candidate) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bodies_have_equal_tags_and_others_do_not() {
        let tag = etag(b"[]");
        assert_eq!(tag, etag(b"[]"));
        assert_ne!(tag, etag(b"[1]"));
        assert_eq!(
            (tag.len(), &tag[..3], tag.ends_with('"')),
            (36, "W/\"", true)
        );
    }

    #[test]
    fn a_client_that_has_the_body_is_known_by_any_of_its_tags() {
        let tag = etag(b"[]");
        let strong = tag.trim_start_matches("W/");
        for header in [tag.as_str(), strong, "*", &format!("\"x\", {tag}")] {
            assert!(none_match(header, &tag), "{header}");
        }
        for header in ["", "\"x\"", "W/\"x\", \"y\"", &tag[..30]] {
            assert!(!none_match(header, &tag), "{header}");
        }
    }
}
