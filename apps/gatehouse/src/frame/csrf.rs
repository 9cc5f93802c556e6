//! Telling the requests that our own pages make from those that other sites make a browser send.
//!
//! A form carries a token that is computed from the browser's cookie, which other sites can neither read nor guess. So
//! nothing is stored for it, and it changes with the cookie: at every signing in, at every change of password. Where a
//! browser says which site a request comes from, that counts against the request, never for it.

use actix_web::HttpRequest;
use actix_web::http::header::{HOST, HeaderMap, ORIGIN};
use api_conventions::secret::PlainSecret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The field of a form that carries the token.
pub const FIELD: &str = "authenticity_token";

/// The header that carries it where a script sends the request.
pub const HEADER: &str = "X-CSRF-Token";

/// What is digested before the cookie, so that the token is no digest of the cookie that is stored anywhere.
const LABEL: &[u8] = b"gatehouse csrf token\0";

/// The token that belongs to the value of a cookie.
pub fn token(cookie: &PlainSecret) -> String {
    let mut hash = Sha256::new();
    hash.update(LABEL);
    hash.update(cookie.reveal().as_bytes());
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Whether `sent` is the token that belongs to the value of a cookie. Takes the same time whatever differs.
pub fn is_good(cookie: &PlainSecret, sent: &str) -> bool {
    token(cookie).as_bytes().ct_eq(sent.as_bytes()).into()
}

/// Whether the browser says that another site made it send the request: by `Sec-Fetch-Site` where it sends that (W3C
/// Fetch Metadata), else by `Origin` (RFC 6454, section 7).
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

/// Whether a URL is below an origin.
fn is_origin_of(origin: &str, url: &str) -> bool {
    let rest = url.strip_prefix(origin);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

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
    fn a_token_is_good_for_its_cookie_only() {
        let (ours, theirs) = (PlainSecret::new("ghse_a"), PlainSecret::new("ghse_b"));
        assert!(is_good(&ours, &token(&ours)));
        assert!(!is_good(&ours, &token(&theirs)));
        assert!(!is_good(&ours, ""));
        assert_eq!(token(&ours).len(), 43);
    }

    #[test]
    fn the_token_does_not_tell_the_digest_that_is_stored() {
        let cookie = PlainSecret::new("ghse_a");
        let stored = URL_SAFE_NO_PAD.encode(cookie.digest().as_bytes());
        assert_ne!(token(&cookie), stored);
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
    fn an_origin_is_ours_by_its_url_or_by_the_host_that_was_asked() {
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
