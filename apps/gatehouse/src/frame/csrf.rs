//! CSRF protection: distinguishes requests of our own pages from those that other sites make a browser send.
//!
//! A form carries a token derived from the browser's cookie, which other sites can neither read nor guess. So nothing
//! is stored for it, and it changes with the cookie: at every sign-in and every change of password. A random mask makes
//! it look different each time, so that the length of compressed pages reveals nothing about it. If the browser reports
//! the site a request comes from, that can only count against the request, never for it.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};
use api_conventions::secret::{PlainSecret, SecretSource};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Form field with the token.
pub const FIELD: &str = "authenticity_token";

/// Header with the token, for requests of scripts.
pub const HEADER: &str = "X-CSRF-Token";

/// Prefix hashed before the cookie, so that the token is not the hash of the cookie that the store holds.
const LABEL: &[u8] = b"gatehouse csrf token\0";

/// Length of a hash, and of its mask, in bytes.
const BYTES: usize = 32;

/// Creates a token for the value of a cookie: a random mask, and the masked hash.
pub fn token(cookie: &PlainSecret, randomness: &dyn SecretSource) -> String {
    let mut token = [0; 2 * BYTES];
    let (mask, masked) = token.split_at_mut(BYTES);
    randomness.fill(mask);
    masked.copy_from_slice(&digest(cookie));
    apply(mask, masked);
    URL_SAFE_NO_PAD.encode(token)
}

/// True if `sent` is a token for the value of a cookie.
/// Takes constant time.
pub fn is_valid(cookie: &PlainSecret, sent: &str) -> bool {
    let Ok(mut token) = URL_SAFE_NO_PAD.decode(sent) else {
        return false;
    };
    if token.len() != 2 * BYTES {
        return false;
    }
    let (mask, masked) = token.split_at_mut(BYTES);
    apply(mask, masked);
    digest(cookie).ct_eq(masked).into()
}

/// Hash that proves knowledge of a cookie.
fn digest(cookie: &PlainSecret) -> [u8; BYTES] {
    let mut hash = Sha256::new();
    hash.update(LABEL);
    hash.update(cookie.reveal().as_bytes());
    hash.finalize().into()
}

/// Applies or removes a mask.
fn apply(mask: &[u8], bytes: &mut [u8]) {
    for (byte, mask) in bytes.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

/// True if the browser reports that another site caused the request.
/// It reports this by `Sec-Fetch-Site` if it sends that (W3C Fetch Metadata), otherwise by `Origin` (RFC 6454, section
/// 7).
pub fn is_cross_site(request: &HttpRequest, base_url: &str) -> bool {
    says_cross_site(request.headers(), base_url)
}

fn says_cross_site(headers: &HeaderMap, base_url: &str) -> bool {
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = header("Sec-Fetch-Site") {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = header(ORIGIN.as_str()) else {
        return false;
    };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    let is_ours = authority.is_some() && authority == header(HOST.as_str());
    !is_ours && !is_origin_of(origin, base_url)
}

/// True if a URL belongs to an origin.
fn is_origin_of(origin: &str, url: &str) -> bool {
    let rest = url.strip_prefix(origin);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;
    use gatehouse_core::randomness::OsRandomness;

    fn cross_site(sent: &[(&'static str, &'static str)]) -> bool {
        let headers: HeaderMap = sent
            .iter()
            .map(|(name, value)| {
                let name = HeaderName::try_from(*name).unwrap();
                (name, HeaderValue::from_static(value))
            })
            .collect();
        says_cross_site(&headers, "https://gate.example/ops")
    }

    #[test]
    fn a_token_is_good_for_its_cookie_only_and_never_the_same() {
        let token = |cookie| token(cookie, &OsRandomness);
        let (ours, theirs) = (PlainSecret::new("ghse_a"), PlainSecret::new("ghse_b"));
        let [first, second] = [token(&ours), token(&ours)];
        assert!(is_valid(&ours, &first) && is_valid(&ours, &second));
        assert_ne!(first, second);
        assert!(!is_valid(&ours, &token(&theirs)));
        for bad in [
            "",
            "ghse_a",
            &first[1..],
            &first[..85],
            &"A".repeat(86),
            &format!("{first}A"),
        ] {
            assert!(!is_valid(&ours, bad), "{bad}");
        }
    }

    #[test]
    fn the_token_does_not_reveal_the_stored_digest() {
        let cookie = PlainSecret::new("ghse_a");
        assert_ne!(&digest(&cookie), cookie.digest().as_bytes());
    }

    #[test]
    fn the_site_named_by_a_browser_counts_against_the_request_only() {
        assert!(!cross_site(&[]));
        assert!(!cross_site(&[("sec-fetch-site", "same-origin")]));
        assert!(!cross_site(&[("sec-fetch-site", "none")]));
        assert!(cross_site(&[("sec-fetch-site", "cross-site")]));
        assert!(cross_site(&[("sec-fetch-site", "same-site")]));
    }

    #[test]
    fn an_origin_matches_the_external_url_or_the_request_host() {
        assert!(!cross_site(&[("origin", "https://gate.example")]));
        assert!(!cross_site(&[
            ("origin", "http://localhost:8080"),
            ("host", "localhost:8080")
        ]));
        for other in [
            "https://gate.exampl",
            "https://gate.example.evil",
            "https://evil",
            "null",
        ] {
            assert!(
                cross_site(&[("origin", other), ("host", "gate.example")]),
                "{other}"
            );
        }
    }
}
