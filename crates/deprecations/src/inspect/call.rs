//! A call, as shown by a file.

use std::borrow::Cow;

use api_conventions::params::{MAX_PAIRS, Params};
use api_conventions::reference::decode_segment;
use serde_json::Value;

/// A call, as far as the file shows it.
#[derive(Debug)]
pub(super) struct RecordedCall<'c> {
    /// Method in capitals.
    pub(super) method: String,
    /// Address as sent: a path or a URL, with or without a query.
    pub(super) target: &'c str,
    /// Parameters of the query and the body.
    pub(super) parameters: Params,
    /// True if these are all parameters of the call.
    pub(super) shows_parameters: bool,
    /// Body as sent, if it does not consist of parameters.
    pub(super) body: Option<&'c str>,
    /// Response to the call.
    pub(super) response: RecordedResponse,
    /// Number of the line or entry, from 1.
    pub(super) position: u64,
}

/// Response to a call.
#[derive(Debug)]
pub(super) enum RecordedResponse {
    /// The file contains this response.
    Shown(Value),
    /// The file does not show the response.
    Hidden,
    /// The response has no fields.
    Nothing,
}

/// Destination of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallTarget {
    /// An operation of the REST API; the path begins with `/api/v4/`, whichever version was called.
    Api(String),
    /// The GraphQL API.
    Graphql,
    /// An operation of OAuth, or a page with a similar address; the path begins with `/oauth/`.
    Oauth(String),
    /// Anything else.
    Page,
}

/// Splits the path of an address into segments, whatever its scheme, host and query.
/// Escapes are decoded if the result is still one segment (RFC 3986, section 6.2.2.2).
pub(super) fn segments(target: &str) -> Vec<Cow<'_, str>> {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    let path = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => {
            rest.split_once('/').map_or("", |(_, path)| path)
        }
        _ => target.strip_prefix('/').unwrap_or(target),
    };
    path.split('/').map(plain).collect()
}

/// Decodes a segment. One with an escaped slash stays as it is, because it is the path of a project or file.
fn plain(segment: &str) -> Cow<'_, str> {
    if !segment.contains('%') {
        return Cow::Borrowed(segment);
    }
    let decoded = decode_segment(segment);
    let is_segment = |text: &String| !text.is_empty() && !text.contains(['/', '%', '?', '#']);
    decoded
        .filter(is_segment)
        .map_or(Cow::Borrowed(segment), Cow::Owned)
}

/// Returns the destination of a path. The API may be behind any prefix.
pub(super) fn target_of(segments: &[Cow<'_, str>]) -> CallTarget {
    for (at, segment) in segments.iter().enumerate() {
        let rest = segments.get(at + 1..).unwrap_or_default();
        match (&**segment, rest) {
            ("api", [name] | [name, _]) if name == "graphql" => return CallTarget::Graphql,
            ("api", [version, rest @ ..]) if is_version(version) => {
                // Everything that v5 has not removed is the same as in v4 (specification, Versioning 1 and 2).
                let version = if version == "v5" { "v4" } else { version };
                return CallTarget::Api(format!("/api/{version}/{}", rest.join("/")));
            }
            ("oauth", [_, ..]) => return CallTarget::Oauth(format!("/oauth/{}", rest.join("/"))),
            _ => {}
        }
    }
    CallTarget::Page
}

fn is_version(segment: &str) -> bool {
    let number = segment.strip_prefix('v');
    number.is_some_and(|number| {
        (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the path of an unknown operation, safe to show.
/// A segment is shown if it looks like the name of an API resource, and is replaced by `:id` otherwise, so that no
/// names or tokens are revealed.
pub(super) fn template(path: &str) -> String {
    let mut shown = String::new();
    for segment in path.split('/').skip(1) {
        let is_name = segment.len() <= 32
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte));
        let is_name = is_name || is_version(segment);
        shown.push('/');
        shown.push_str(if is_name { segment } else { ":id" });
        if shown.len() > MAX_TEMPLATE {
            shown.push_str("/...");
            break;
        }
    }
    shown
}

/// Maximum length of the path that is shown of an unknown operation, in bytes and without its last segment.
const MAX_TEMPLATE: usize = 160;

/// Parses the parameters of a query or a form. A malformed pair does not hide the others.
pub(super) fn pairs(text: &str) -> Params {
    Params::from_query(text).unwrap_or_else(|_| {
        let pairs = text.split('&').take(MAX_PAIRS);
        let read = pairs.filter_map(|pair| Params::from_query(pair).ok());
        read.fold(Params::default(), Params::merged)
    })
}

/// Parses parameters given as decoded names and values. A malformed one does not hide the others.
pub(super) fn fields(fields: &[(String, String)]) -> Params {
    Params::from_fields(fields).unwrap_or_else(|_| {
        let each = fields.iter().take(MAX_PAIRS).map(std::slice::from_ref);
        let read = each.filter_map(|field| Params::from_fields(field).ok());
        read.fold(Params::default(), Params::merged)
    })
}

/// Returns the query of an address.
pub(super) fn query_of(target: &str) -> Option<&str> {
    let address = target.split('#').next().unwrap_or_default();
    address.split_once('?').map(|(_, query)| query)
}

/// True if requests with this method have bodies whose fields are parameters.
pub(super) fn has_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

/// Returns a method in capitals; `None` if it is not one (RFC 9110, section 9.1: a token; those in use have letters
/// only).
pub(super) fn method(text: &str) -> Option<String> {
    let is_word = (3..=20).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_alphabetic());
    is_word.then(|| text.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_is_found_behind_any_host_and_prefix() {
        let place = |target| target_of(&segments(target));
        let api = |path: &str| CallTarget::Api(path.to_owned());
        for (target, expected) in [
            ("/api/v4/projects/1?a=/api/v4/x", api("/api/v4/projects/1")),
            (
                "https://u:p@h.example:8/git/api/v4/runners/#x",
                api("/api/v4/runners/"),
            ),
            ("/api/v5/runners", api("/api/v4/runners")),
            ("/api/v3/runners", api("/api/v3/runners")),
            (
                "/%61pi/v4/pro%6Aects/a%2Fb%20c",
                api("/api/v4/projects/a%2Fb%20c"),
            ),
            (
                "/x/oauth/token",
                CallTarget::Oauth("/oauth/token".to_owned()),
            ),
            ("/api/graphql/", CallTarget::Graphql),
            ("/a/b/issues", CallTarget::Page),
            ("/oauth", CallTarget::Page),
            ("https://h.example", CallTarget::Page),
            ("", CallTarget::Page),
        ] {
            assert_eq!(place(target), expected, "{target}");
        }
    }

    #[test]
    fn path_segments_that_may_identify_resources_are_hidden() {
        let shown = template("/api/v4/projects/12/triggers/glpat-A1/a%2Fb/my_things//x.y");
        assert_eq!(
            shown,
            "/api/v4/projects/:id/triggers/:id/:id/my_things//:id"
        );
        assert!(template(&"/abcdef".repeat(10_000)).len() < 200);
    }
}
