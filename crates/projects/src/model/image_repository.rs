//! Image repositories of projects in a container registry.

use api_conventions::ids::{ImageRepositoryId, ProjectId};
use api_conventions::time::Timestamp;

/// Longest name of an image repository, in bytes (Distribution specification, end point `tags/list`).
const MAX_NAME: usize = 255;
/// Most segments of the name of an image repository: the groups of a project, the project and two more.
const MAX_SEGMENTS: usize = 24;

/// Name of an image repository in a registry: the path of a project in lower case, with further segments if there are
/// several repositories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageName(String);

impl ImageName {
    /// Parses a name: segments of lower-case letters, digits and the characters `.`, `_` and `-`, separated by slashes.
    /// Each segment begins and ends with a letter or a digit (Distribution specification, pulling manifests).
    pub fn parse(text: &str) -> Option<Self> {
        let is_inner = |byte: u8| b"._-".contains(&byte);
        let is_outer = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_segment = |segment: &str| {
            let bytes = segment.as_bytes();
            let ends = [bytes.first(), bytes.last()];
            ends.into_iter()
                .all(|end| end.is_some_and(|byte| is_outer(*byte)))
                && bytes.iter().all(|byte| is_outer(*byte) || is_inner(*byte))
        };
        let is_short = text.len() <= MAX_NAME && text.split('/').count() <= MAX_SEGMENTS;
        (is_short && text.split('/').all(is_segment)).then(|| Self(text.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the paths of projects that the repository may belong to, the longest first.
    pub fn project_paths(&self) -> impl Iterator<Item = &str> {
        let mut rest = Some(self.0.as_str());
        std::iter::from_fn(move || {
            let path = rest.filter(|path| path.contains('/'))?;
            rest = path.rsplit_once('/').map(|(shorter, _)| shorter);
            Some(path)
        })
    }
}

/// Image repository of a project. It is stored when a client may first push to it, and keeps its name when the project
/// is renamed or moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageRepository {
    /// Id.
    pub id: ImageRepositoryId,
    /// Project that the repository belongs to.
    pub project_id: ProjectId,
    /// Name in the registry, unique.
    pub name: String,
    /// Time of the first token to push.
    pub created_at: Timestamp,
}

/// Image repository to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImageRepository {
    /// Project that the repository belongs to.
    pub project_id: ProjectId,
    /// Name in the registry, unique.
    pub name: String,
    /// Current time.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_distribution_specification() {
        for name in ["a", "a/b", "a.b/c_d/e--f", "0/1", "a__b/c"] {
            assert!(ImageName::parse(name).is_some(), "{name}");
        }
        let long = "a".repeat(256);
        let deep = ["a"; 25].join("/");
        for name in [
            "", "/", "a/", "/a", "a//b", "A/b", "a/.b", "a/..", "a/b-", "a b", "a:b", "a%2f",
            "\u{e4}", &long, &deep,
        ] {
            assert_eq!(ImageName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn the_longest_path_of_a_project_comes_first() {
        let name = ImageName::parse("a/b/c/d").unwrap();
        let paths: Vec<&str> = name.project_paths().collect();
        assert_eq!(paths, ["a/b/c/d", "a/b/c", "a/b"]);
        assert_eq!(ImageName::parse("a").unwrap().project_paths().count(), 0);
    }
}
