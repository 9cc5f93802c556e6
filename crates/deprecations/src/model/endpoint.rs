//! Operations of an HTTP API, as records name them.

use std::fmt;
use std::str::FromStr;

/// Methods that an endpoint may have.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// A method and a path. A path segment that begins with `:` matches anything.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    method: &'static str,
    path: String,
}

/// The text is not an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an endpoint; write a method and an absolute path, such as `GET /api/v4/projects/:id`"
)]
pub struct NoEndpoint(pub String);

impl Endpoint {
    /// Method of the endpoint.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Path from the root, such as `/api/v4/projects/:id`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// True if this is the endpoint with this method and path, whose parameters may have other names and may be in
    /// braces.
    pub fn is(&self, method: &str, path: &str) -> bool {
        method == self.method
            && same_segments(&self.path, path, |own, other| {
                own == other || is_parameter(own) && is_parameter(other)
            })
    }

    /// Text that is the same for all endpoints with a method and a path, whatever the names of their parameters.
    pub(crate) fn shape(method: &str, path: &str) -> String {
        let mut shape = method.to_owned();
        for (place, segment) in path.split('/').enumerate() {
            shape.push(if place == 0 { ' ' } else { '/' });
            shape.push_str(if is_parameter(segment) { ":" } else { segment });
        }
        shape
    }

    /// True if a request goes to this endpoint, by its method and its path as sent.
    /// A segment such as `group%2Fproject` matches a parameter, and `HEAD` matches `GET`. A trailing slash or `.json`
    /// makes no difference.
    pub fn matches(&self, method: &str, path: &str) -> bool {
        let method = if method == "HEAD" { "GET" } else { method };
        let path = path.strip_suffix('/').unwrap_or(path);
        let path = path.strip_suffix(".json").unwrap_or(path);
        method == self.method
            && same_segments(&self.path, path, |own, sent| {
                own == sent || is_parameter(own) && !sent.is_empty()
            })
    }

    /// Number of segments that are not parameters: of two endpoints that match a request, the one with more of them
    /// applies.
    pub fn precision(&self) -> usize {
        let segments = self.path.split('/');
        segments.filter(|segment| !is_parameter(segment)).count()
    }
}

/// Compares two paths by their segments, from the end: many paths begin in the same way.
fn same_segments(left: &str, right: &str, is_same: impl Fn(&str, &str) -> bool) -> bool {
    let mut left = left.rsplit('/');
    let mut right = right.rsplit('/');
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if is_same(left, right) => {}
            _ => return false,
        }
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with([':', '{'])
}

/// Format: `GET /api/v4/projects/:id`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl FromStr for Endpoint {
    type Err = NoEndpoint;

    fn from_str(text: &str) -> Result<Self, NoEndpoint> {
        let parts = text.split_once(' ').and_then(|(method, path)| {
            let method = METHODS.into_iter().find(|known| *known == method)?;
            let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"?#{}".contains(&byte);
            let is_path = path.starts_with('/') && path.len() > 1 && !path.ends_with('/');
            (is_path && path.bytes().all(is_plain)).then(|| Self {
                method,
                path: path.to_owned(),
            })
        });
        parts.ok_or_else(|| NoEndpoint(text.to_owned()))
    }
}

impl<'de> serde::Deserialize<'de> for Endpoint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl serde::Serialize for Endpoint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        text.parse().unwrap()
    }

    #[test]
    fn requests_are_matched_by_segments() {
        let found = endpoint("GET /api/v4/projects/:id/deployments");
        for (method, path, expected) in [
            ("GET", "/api/v4/projects/1/deployments", true),
            ("HEAD", "/api/v4/projects/1/deployments", true),
            ("GET", "/api/v4/projects/a%2Fb/deployments/", true),
            ("GET", "/api/v4/projects/1/deployments.json", true),
            ("POST", "/api/v4/projects/1/deployments", false),
            ("GET", "/api/v4/projects//deployments", false),
            ("GET", "/api/v4/projects/a/b/deployments", false),
            ("GET", "/api/v4/projects/1/deployments/2", false),
        ] {
            assert_eq!(found.matches(method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn parameter_names_do_not_affect_matching() {
        let found = endpoint("GET /api/v4/users/:id");
        assert!(found.is("GET", "/api/v4/users/{user_id}"));
        assert!(found.is("GET", "/api/v4/users/:name"));
        assert!(!found.is("GET", "/api/v4/users/me"));
        assert!(!found.is("PUT", "/api/v4/users/{id}"));
        let shape = Endpoint::shape("GET", "/api/v4/users/{user_id}");
        assert_eq!(shape, "GET /api/v4/users/:");
        assert_eq!(shape, Endpoint::shape(found.method(), found.path()));
        assert_ne!(shape, Endpoint::shape("GET", "/api/v4/users/me"));
    }

    #[test]
    fn malformed_endpoints_are_rejected() {
        for text in [
            "",
            "GET",
            "GET ",
            "GET api/v4",
            "get /api",
            "BREW /tea",
            "GET /",
            "GET /a/",
            "GET /a?b",
            "GET /a b",
            "GET /{id}",
        ] {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
