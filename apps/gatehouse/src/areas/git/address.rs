//! Addresses of Git's HTTP protocols: the project, and the right that the request needs.

use api_conventions::reference::{FullPath, decode_segment};
use gatehouse_core::flows::git_access::GitRight;

/// Services of the smart protocol, with the right that each needs.
pub(super) const SERVICES: [(&str, GitRight); 2] = [
    ("git-upload-pack", GitRight::Read),
    ("git-receive-pack", GitRight::Write),
];

/// Project and right that a request concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitTarget {
    /// Full path of the project.
    pub(super) project: FullPath,
    /// Right that the request needs.
    pub(super) right: GitRight,
}

/// Returns the right that a service needs; `None` for an unknown service.
pub(super) fn right_of(service: &str) -> Option<GitRight> {
    let found = SERVICES.iter().find(|(name, _)| *name == service);
    found.map(|(_, right)| *right)
}

/// Parses the address of a request to a Git server: its path, and its query if there is one.
///
/// Everything that a Git client does not send is refused, because the server might read it in another way: other queries,
/// and paths with dots that a server resolves.
pub(super) fn parse(address: &str) -> Option<GitTarget> {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let path = decode_segment(path)?;
    let path = path.strip_prefix('/')?;
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    if !path.split('/').all(is_plain) {
        return None;
    }
    let (project, rest) = split(path)?;
    let right = right_to(rest, query)?;
    let project = FullPath::parse(project)?;
    Some(GitTarget { project, right })
}

/// Splits a path after the name of the repository, which may end with `.git`.
fn split(path: &str) -> Option<(&str, &str)> {
    if let Some(found) = path.split_once(".git/") {
        return Some(found);
    }
    let ends = ["info/refs", SERVICES[0].0, SERVICES[1].0];
    let end = ends.iter().find(|end| path.ends_with(**end))?;
    let project = path.strip_suffix(end)?.strip_suffix('/')?;
    Some((project, end))
}

/// Returns the right that a request to a file of a repository needs.
fn right_to(rest: &str, query: &str) -> Option<GitRight> {
    match rest {
        "info/refs" if !query.is_empty() => right_of(query.strip_prefix("service=")?),
        _ if !query.is_empty() => None,
        // The older protocol reads files.
        "info/refs" | "HEAD" => Some(GitRight::Read),
        objects if objects.starts_with("objects/") => Some(GitRight::Read),
        service => right_of(service),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(address: &str) -> Option<(String, GitRight)> {
        let target = parse(address)?;
        Some((target.project.as_str().to_owned(), target.right))
    }

    #[test]
    fn the_requests_of_git_clients_name_a_project_and_a_right() {
        for (address, right) in [
            ("/a/b.git/info/refs?service=git-upload-pack", GitRight::Read),
            (
                "/a/b.git/info/refs?service=git-receive-pack",
                GitRight::Write,
            ),
            ("/a/b.git/git-upload-pack", GitRight::Read),
            ("/a/b.git/git-receive-pack", GitRight::Write),
            ("/a/b/info/refs?service=git-receive-pack", GitRight::Write),
            ("/a/b/git-upload-pack", GitRight::Read),
            ("/a/b.git/info/refs", GitRight::Read),
            ("/a/b.git/HEAD", GitRight::Read),
            ("/a/b.git/objects/info/packs", GitRight::Read),
            ("/%61/b.git/HEAD", GitRight::Read),
        ] {
            assert_eq!(
                parsed(address),
                Some(("a/b".to_owned(), right)),
                "{address}"
            );
        }
        let nested = parsed("/a/b/c.git/git-upload-pack").unwrap();
        assert_eq!(nested.0, "a/b/c");
    }

    /// A server resolves dots, merges slashes and reads the last of several values, and would serve another repository
    /// or another service than the one that was checked.
    #[test]
    fn addresses_that_a_server_may_read_in_another_way_are_refused() {
        for address in [
            "",
            "/",
            "a/b.git/HEAD",
            "/a/b.git/objects/../../../c/d.git/HEAD",
            "/a/b.git/%2e%2e/d.git/HEAD",
            "/a/b.git/objects/./x",
            "/a//b.git/HEAD",
            "/a/b.git/",
            "/a/b.git",
            "/a/b",
            "/a/b.git/config",
            "/a/b.git/info/refs?service=git-upload-pack&service=git-receive-pack",
            "/a/b.git/info/refs?service=git-archive",
            "/a/b.git/info/refs?Service=git-receive-pack",
            "/a/b.git/git-upload-pack?service=git-receive-pack",
            "/a/b.git/git-receive-pack/x",
            "/a/b.git/hooks/info/refs",
            "/a/b.git/HEAD%00",
            "//a/b.git/HEAD",
            "/info/refs?service=git-upload-pack",
        ] {
            assert_eq!(parsed(address), None, "{address}");
        }
    }
}
