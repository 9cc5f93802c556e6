//! Addresses of places: `/<group>/…/<project>` and the paths below them.
//!
//! A project's path has as many segments as its groups are deep, but the path of an operation has a fixed number. So
//! before routing, the path of the project becomes one segment, with its slashes escaped as in the API:
//! `/acme/shop/-/milestones/3` is routed as `/acme%2Fshop/-/milestones/3`, and `/acme/shop` as `/acme%2Fshop/-`. A
//! project page is an ordinary operation at a path that begins with `/{project}/-`. Groups are below `/groups` in the
//! same way: `/groups/acme/team` is routed as `/groups/acme%2Fteam/-`.

use std::future::Future;

use actix_web::dev::{ServiceRequest, Url};
use actix_web::http::{Method, Uri};
use api_conventions::reference::is_slug;

/// First segments of paths that belong to the server, even if a user or group has such a name.
pub const OURS: [&str; 14] = [
    "-",
    "admin",
    "api",
    "assets",
    "dashboard",
    "explore",
    "groups",
    "help",
    "invitations",
    "jwt",
    "oauth",
    "profile",
    "projects",
    "users",
];

/// Prefix of group paths.
const GROUPS: &str = "groups/";

/// Ends of paths at which projects receive alerts.
/// They have no pages.
const INTAKE: [&str; 2] = ["/alerts/notify.json", "/alerts/notify"];
/// Part of the paths of named endpoints.
const NAMED_INTAKE: &str = "/alerts/notify/";

/// True if a text has the form of a place's full path: groups or a user, then a project.
pub fn is_place(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    !is_ours(first) && path.split('/').all(is_slug)
}

/// True if a first segment belongs to the server, ignoring case.
pub fn is_ours(segment: &str) -> bool {
    OURS.iter().any(|ours| segment.eq_ignore_ascii_case(ours))
}

/// Path under which the router finds the page of a place; `None` to leave the path unchanged.
pub fn folded(path: &str, is_read: bool) -> Option<String> {
    let path = path.strip_prefix('/')?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = path.strip_suffix("/-").unwrap_or(path);
    let (place, rest) = match path.split_once("/-/") {
        Some((place, rest)) => (place, format!("/{rest}")),
        None if is_read && !is_intake(path) => (path, String::new()),
        None => return None,
    };
    if let Some(group) = place.strip_prefix(GROUPS) {
        let is_group = group.split('/').all(is_slug);
        return is_group.then(|| format!("/{GROUPS}{}/-{rest}", group.replace('/', "%2F")));
    }
    let is_project = place.contains('/') && is_place(place);
    is_project.then(|| format!("/{}/-{rest}", place.replace('/', "%2F")))
}

/// True if projects receive alerts at a path.
/// A group may have a name like the end of one.
fn is_intake(path: &str) -> bool {
    let is_end = || INTAKE.iter().any(|end| path.ends_with(end));
    !path.starts_with(GROUPS) && (path.contains(NAMED_INTAKE) || is_end())
}

/// Folds the path of a place into one segment, and passes the request on.
pub fn fold<F: Future>(mut request: ServiceRequest, next: impl FnOnce(ServiceRequest) -> F) -> F {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    if let Some(path) = folded(request.path(), is_read)
        && let Ok(uri) = path.parse::<Uri>()
    {
        request.match_info_mut().set(Url::new(uri));
    }
    next(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_project_becomes_one_segment() {
        for (path, found) in [
            ("/acme/shop", Some("/acme%2Fshop/-")),
            ("/acme/shop/", Some("/acme%2Fshop/-")),
            ("/acme/shop/-", Some("/acme%2Fshop/-")),
            ("/a/b/c.d", Some("/a%2Fb%2Fc.d/-")),
            ("/acme/shop/-/activity", Some("/acme%2Fshop/-/activity")),
            (
                "/a/b/-/milestones/7/edit",
                Some("/a%2Fb/-/milestones/7/edit"),
            ),
            ("/a/b/-/labels/-/-/x", Some("/a%2Fb/-/labels/-/-/x")),
            ("/groups/acme", Some("/groups/acme/-")),
            ("/groups/acme/team/", Some("/groups/acme%2Fteam/-")),
            (
                "/groups/acme/team/-/edit",
                Some("/groups/acme%2Fteam/-/edit"),
            ),
            ("/groups", None),
            ("/groups/%3Cb%3E", None),
            ("/ann", None),
            ("/ann/-/activity", None),
            ("/-/health", None),
            ("/api/v4/projects", None),
            ("/Api/v4/-/x", None),
            ("/users/sign_in", None),
            ("/a//b", None),
            ("/a/%3Cb%3E", None),
            ("/a/b/alerts/notify.json", None),
            ("/a/b/prometheus/alerts/notify", None),
            ("/a/b/alerts/notify/kuma/0123", None),
            ("/a/b/alerts/notify/kuma/0123/v2/alerts/x/close", None),
            ("/", None),
        ] {
            assert_eq!(folded(path, true).as_deref(), found, "{path}");
        }
    }

    #[test]
    fn writes_to_a_bare_project_or_group_path_are_not_folded() {
        assert_eq!(folded("/acme/shop", false), None);
        assert!(folded("/acme/shop/-/labels", false).is_some());
        assert_eq!(folded("/groups/acme", false), None);
        assert!(folded("/groups/acme/-/edit", false).is_some());
    }
}
