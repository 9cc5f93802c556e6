//! Headers of all pages.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_FRAME_OPTIONS,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use oauth_provider::wire::metadata::paths;
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

use crate::frame::return_to::{SECOND_FACTOR, SIGN_IN};

/// Content policy of sign-in and consent pages: our stylesheet and images, forms that post to us, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

/// Content policy of all other pages: also allows our script.
const POLICY_WITH_SCRIPT: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Value of `Strict-Transport-Security`: one year, in seconds.
const TRANSPORT_SECURITY: &str = "max-age=31536000";

/// True if a response is a page.
pub fn is_page(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    media_type.is_some_and(|media_type| media_type.starts_with(b"text/html"))
}

/// True if the pages at a path may be in the popup of an application that waits for the result.
/// These are sign-in, second factor and consent, including their errors; the application waits in the opener.
///
/// Browsers permanently separate a popup from an opener of another origin as soon as one of its pages has an opener
/// policy other than `unsafe-none` (HTML Living Standard, section 7.1.3). `same-origin-allow-popups` would not help: it
/// is for pages that open popups, not for those in one.
pub fn keeps_opener(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    matches!(path, SIGN_IN | SECOND_FACTOR | paths::AUTHORIZE)
}

/// Adds the headers of every page at a path.
/// A policy already set by the page is kept.
///
/// The referrer is sent to this server only: a browser that sends none at all also sends `Origin: null` with forms, and
/// then our own forms cannot be distinguished from others.
pub fn add(headers: &mut HeaderMap, path: &str, is_https: bool) {
    let (opener, policy) = if keeps_opener(path) {
        ("unsafe-none", POLICY)
    } else {
        ("same-origin", POLICY_WITH_SCRIPT)
    };
    let fixed = [
        (CONTENT_SECURITY_POLICY, policy),
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
        (OPENER_POLICY, opener),
    ];
    for (name, value) in fixed {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    if is_https {
        let value = HeaderValue::from_static(TRANSPORT_SECURITY);
        headers.insert(STRICT_TRANSPORT_SECURITY, value);
    }
}

/// Content policy of a page whose form ends with a redirect to an application.
/// It has no `form-action`: browsers apply that directive to the whole chain of redirects after a form (Content
/// Security Policy Level 3, section 6.4.2), and the addresses to which an application redirects its users are unknown
/// here. The forms of such a page have fixed addresses, and the rest of the policy keeps out other content.
pub const POLICY_TOWARD_APPLICATIONS: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/// Same policy for a page with one inline script, identified by its hash.
pub fn policy_with_inline_script(text: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!("{POLICY_TOWARD_APPLICATIONS}; script-src 'sha256-{digest}'")
}

/// Content policy of a page with a CAPTCHA whose script is at this address.
/// The widget runs in a frame of its provider, loads further files from the reCAPTCHA provider's file host, and sets
/// its own styles.
pub fn policy_with_captcha(script: &str) -> String {
    let provider = source_of(script).unwrap_or_default();
    format!(
        "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' {provider} https://www.gstatic.com; \
         frame-src {provider}; connect-src {provider}; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; \
         form-action 'self'"
    )
}

/// Origin of an address, or its scheme if it has no host.
/// The policy contains nothing else of the address, so an address cannot add a directive.
fn source_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    match (url.scheme(), url.host()) {
        ("http" | "https", Some(Host::Domain(name))) if !name.bytes().all(is_of_a_host) => None,
        ("http" | "https", Some(Host::Domain(_) | Host::Ipv4(_))) => {
            Some(url.origin().ascii_serialization())
        }
        // A policy cannot contain an IPv6 address (section 2.3.1), only its scheme.
        ("http" | "https", _) => Some(format!("{}:", url.scheme())),
        ("urn" | "javascript" | "data" | "blob" | "about", _) => None,
        (scheme, _) => Some(format!("{scheme}:")),
    }
}

/// URLs allow more characters in a host than a policy can hold, such as `;`.
fn is_of_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_an_origin_or_a_scheme() {
        for (address, source) in [
            ("https://app.example/cb?x=1", Some("https://app.example")),
            ("http://127.0.0.1:7171/auth", Some("http://127.0.0.1:7171")),
            ("http://[::1]:7171/auth", Some("http:")),
            ("com.example.app:/cb", Some("com.example.app:")),
            ("urn:ietf:wg:oauth:2.0:oob", None),
            ("javascript:alert(1)", None),
            ("not a uri", None),
        ] {
            assert_eq!(source_of(address).as_deref(), source, "{address}");
        }
    }

    #[test]
    fn no_address_adds_a_directive() {
        for hostile in [
            "https://a.example;report-to",
            "https://a.example;report-to *",
            "https://a.example/;report-to%20*",
            "https://a.example,default-src",
            "x;y:/cb",
        ] {
            let policy = policy_with_captcha(hostile);
            let plain = policy_with_captcha("https://a.example");
            assert!(!policy.contains("report-to"), "{policy}");
            assert_eq!(policy.matches(';').count(), plain.matches(';').count());
            assert!(!policy.contains(','), "{policy}");
        }
    }

    #[test]
    fn the_way_to_an_application_differs_in_the_forms_only() {
        assert_eq!(
            format!("{POLICY_TOWARD_APPLICATIONS}; form-action 'self'"),
            POLICY
        );
    }

    #[test]
    fn only_the_way_to_an_application_keeps_its_opener() {
        for path in [
            SIGN_IN,
            SECOND_FACTOR,
            "/oauth/authorize",
            "/oauth/authorize/",
        ] {
            assert!(keeps_opener(path), "{path}");
        }
        for path in [
            "/",
            "/profile",
            "/oauth/authorize/native",
            "/oauth/applications",
        ] {
            assert!(!keeps_opener(path), "{path}");
        }
    }

    #[test]
    fn a_policy_that_the_page_brought_stays() {
        let mut headers = HeaderMap::new();
        let own = HeaderValue::from_static("default-src 'none'");
        headers.insert(CONTENT_SECURITY_POLICY, own.clone());
        add(&mut headers, "/profile", true);
        assert_eq!(headers.get(CONTENT_SECURITY_POLICY), Some(&own));
        assert!(headers.contains_key(STRICT_TRANSPORT_SECURITY));
    }
}
