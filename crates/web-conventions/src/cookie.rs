//! Cookies (RFC 6265).

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};

use crate::mount::Mount;

/// Attributes of a host's cookies. Scripts cannot read them, other sites send them only when a user follows a link from
/// there, and a host that is reached over TLS never gets them without TLS (RFC 6265, section 4.1.2).
#[derive(Debug, Clone, Copy)]
pub struct CookieRules<'h> {
    /// Mount point of the server: other paths of the same host do not see the cookies.
    pub mount: &'h Mount,
    /// True if browsers reach the server over TLS.
    pub is_https: bool,
}

impl CookieRules<'_> {
    /// Returns the `Set-Cookie` value of a cookie that lasts this many seconds; `None` for a session cookie.
    pub fn set(&self, name: &str, value: &str, seconds: Option<i64>) -> String {
        let mut cookie = Cookie::build(name, value)
            .path(self.mount.cookie_path())
            .http_only(true)
            .same_site(SameSite::Lax);
        if let Some(seconds) = seconds {
            cookie = cookie.max_age(Duration::seconds(seconds));
        }
        if self.is_https {
            cookie = cookie.secure(true);
        }
        cookie.finish().to_string()
    }

    /// Returns the `Set-Cookie` value that deletes a cookie.
    pub fn remove(&self, name: &str) -> String {
        self.set(name, "", Some(0))
    }
}

/// Returns the values of a cookie name, in the order in which the browser sends them (RFC 6265, section 5.4). Malformed
/// cookies are skipped.
pub fn values(request: &HttpRequest, name: &str) -> Vec<String> {
    let headers = request.headers().get_all("Cookie");
    let texts = headers.filter_map(|header| header.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';'));
    let cookies = pairs.filter_map(|pair| Cookie::parse(pair.trim()).ok());
    cookies
        .filter(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_cookie_is_kept_from_scripts_and_other_places() {
        let mount = Mount::of("https://host.example/ops");
        let rules = CookieRules {
            mount: &mount,
            is_https: true,
        };
        let set = rules.set("_x_session", "abc", Some(60));
        for part in [
            "_x_session=abc",
            "; Path=/ops",
            "; HttpOnly",
            "; SameSite=Lax",
            "; Max-Age=60",
            "; Secure",
        ] {
            assert!(set.contains(part), "{set}");
        }
        let plain = CookieRules {
            is_https: false,
            ..rules
        };
        assert!(!plain.set("a", "b", None).contains("Secure"));
        assert!(plain.remove("a").contains("Max-Age=0"));
    }

    #[test]
    fn all_values_of_a_name_are_found() {
        let request = TestRequest::default()
            .insert_header(("Cookie", "a=1; b=2; a=3; broken; c=x=y"))
            .to_http_request();
        assert_eq!(values(&request, "a"), ["1", "3"]);
        assert_eq!(values(&request, "c"), ["x=y"]);
        assert!(values(&request, "broken").is_empty());
    }
}
