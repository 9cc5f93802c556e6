//! Conditional requests, with which clients skip what they already have (RFC 9110, section 13).

use chrono::NaiveDateTime;
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::time::Timestamp;

/// Returns the weak entity tag of a body: `W/"` and 32 hexadecimal digits.
pub fn etag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let half = digest.as_slice().get(..16).unwrap_or_default();
    format!("W/\"{}\"", HEXLOWER.encode(half))
}

/// True if an `If-None-Match` header matches the entity tag `tag`, compared weakly. `*` matches every tag.
pub fn none_match(header: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    header
        .split(',')
        .any(|candidate| candidate.trim() == "*" || opaque(candidate) == opaque(tag))
}

/// Parses the time of an `If-Unmodified-Since` header, to the second. Returns `None` if it is not an HTTP date; ignore
/// the header in that case (RFC 9110, section 13.1.4).
pub fn http_date(header: &str) -> Option<Timestamp> {
    let parsed = NaiveDateTime::parse_from_str(header.trim(), "%a, %d %b %Y %H:%M:%S GMT");
    parsed
        .ok()
        .and_then(|date| Timestamp::from_chrono(&date.and_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_as_http_writes_it() {
        let read = |text| http_date(text).map(|date| date.to_string());
        let date = Some("2024-02-29T08:12:31.000Z".to_owned());
        assert_eq!(read("Thu, 29 Feb 2024 08:12:31 GMT"), date);
        for wrong in ["", "2024-02-29T08:12:31Z", "Thu, 30 Feb 2024 08:12:31 GMT"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

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
