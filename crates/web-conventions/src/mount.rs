//! Mount point of the server on its host. It may be below a path, such as `https://host.example/gatehouse`: then a
//! proxy removes the path from requests, so that every internal path begins at our own root, and this module adds it
//! back for browsers. Templates add it to links and forms, the middleware adds it to redirects, and cookies get it when
//! they are set.

use actix_web::http::header::{HeaderMap, HeaderValue, LOCATION};
use url::Url;

/// The path below which browsers see the server; empty for the root of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mount(String);

impl Mount {
    /// Returns the mount point of a base URL, without a trailing slash.
    pub fn of(base_url: &str) -> Self {
        let path = Url::parse(base_url).map(|url| url.path().trim_end_matches('/').to_owned());
        Self(path.unwrap_or_default())
    }

    /// Returns the prefix for our paths in URLs for browsers.
    pub fn prefix(&self) -> &str {
        &self.0
    }

    /// True if the mount point is the root of the host.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the `Path` of our cookies (RFC 6265, section 5.1.4), which hides them from other services on the host.
    pub fn cookie_path(&self) -> &str {
        if self.is_root() { "/" } else { &self.0 }
    }

    /// Adds the mount point to a redirect within the server, for browsers. A redirect to another server stays as it is.
    pub fn prefix_location(&self, headers: &mut HeaderMap) {
        let within = headers.get(LOCATION).map(HeaderValue::as_bytes);
        let within = within.filter(|path| path.starts_with(b"/") && !self.is_root());
        let outward = within.map(|path| [self.0.as_bytes(), path].concat());
        if let Some(Ok(address)) = outward.map(|bytes| HeaderValue::from_bytes(&bytes)) {
            headers.insert(LOCATION, address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirected(base_url: &str, location: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_static(location));
        Mount::of(base_url).prefix_location(&mut headers);
        let redirected = headers.get(LOCATION).unwrap();
        redirected.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_redirect_within_the_server_begins_where_browsers_see_it() {
        for (base_url, location, expected) in [
            ("https://gate.example", "/profile", "/profile"),
            (
                "https://gate.example/ops",
                "/profile?a=%2F",
                "/ops/profile?a=%2F",
            ),
            ("https://gate.example/a/b", "/", "/a/b/"),
            (
                "https://gate.example/ops",
                "https://app.example/cb",
                "https://app.example/cb",
            ),
            (
                "https://gate.example/ops",
                "com.example.app:/cb",
                "com.example.app:/cb",
            ),
        ] {
            assert_eq!(redirected(base_url, location), expected, "{base_url}");
        }
    }

    #[test]
    fn cookies_are_restricted_to_the_mount_path() {
        let path = |base_url| Mount::of(base_url).cookie_path().to_owned();
        assert_eq!(path("http://127.0.0.1:8080"), "/");
        assert_eq!(path("https://gate.example/ops"), "/ops");
    }
}
