//! References to resources in paths and parameters: by id, or by full path with `/` encoded as `%2F`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::ids::{NamespaceId, ProjectId, UserId};

/// Percent-encodes a text as one segment of a path: [`decode_segment`] returns the text again.
pub fn encode_segment(text: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, ESCAPED).collect()
}

/// Decodes the percent escapes of one path segment, once.
///
/// Returns `None` if the result is not UTF-8 or contains a NUL, which no stored name can contain.
pub fn decode_segment(raw: &str) -> Option<String> {
    let decoded = percent_decode_str(raw).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.into_owned())
}

/// Full path of a project, group or user namespace: slugs joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FullPath(String);

impl FullPath {
    /// Longest full path in bytes: twenty nested slugs of 255.
    pub const MAX_BYTES: usize = 20 * 256;

    /// Parses `text` as one or more non-empty segments joined by `/`.
    pub fn parse(text: &str) -> Option<Self> {
        let well_formed =
            text.len() <= Self::MAX_BYTES && text.split('/').all(|part| !part.is_empty());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the lookup form. Paths match in any case, so two paths that differ only in case are the same.
    pub fn lookup_key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Reference to a project by id or by full path (`API-03` of the requirements).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectRef {
    /// Digits only: the id.
    Id(ProjectId),
    /// Full path, which always has a namespace before the project.
    Path(FullPath),
}

impl ProjectRef {
    /// Parses a raw path segment. Returns `None` for a bare name, a number beyond 64 bits, or an invalid escape.
    pub fn parse(raw: &str) -> Option<Self> {
        let decoded = decode_segment(raw)?;
        if is_number(&decoded) {
            return decoded
                .parse()
                .ok()
                .map(|number| Self::Id(ProjectId::new(number)));
        }
        FullPath::parse(&decoded)
            .filter(|path| path.as_str().contains('/'))
            .map(Self::Path)
    }
}

/// Reference to a group or a user's namespace by id or by full path, which may have a single segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceRef {
    /// Digits only: the id.
    Id(NamespaceId),
    /// Full path.
    Path(FullPath),
}

impl NamespaceRef {
    /// Parses a raw path segment. Returns `None` for a number beyond 64 bits, an invalid escape, or an empty segment.
    pub fn parse(raw: &str) -> Option<Self> {
        decode_segment(raw).and_then(|text| Self::parse_text(&text))
    }

    /// Parses a decoded parameter. Returns `None` for an invalid reference.
    pub fn parse_text(text: &str) -> Option<Self> {
        if is_number(text) {
            let number = text.parse().ok();
            return number.map(|number| Self::Id(NamespaceId::new(number)));
        }
        FullPath::parse(text).map(Self::Path)
    }
}

/// Reference to a user by id or by username, ignoring case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserRef {
    /// Digits only: the id.
    Id(UserId),
    /// Username.
    Username(String),
}

impl UserRef {
    /// Parses a decoded parameter or header. Returns `None` for an empty text or a number beyond 64 bits.
    pub fn parse(text: &str) -> Option<Self> {
        if is_number(text) {
            return text
                .parse()
                .ok()
                .map(|number| Self::Id(UserId::new(number)));
        }
        (!text.is_empty()).then(|| Self::Username(text.to_owned()))
    }
}

/// True if `text` is valid as one segment of a path: a username, or the path of a group or project.
///
/// 1 to 255 ASCII letters, digits, `.`, `_` and `-`; not starting with `-` or `.`; not ending in `.`, `.git` or
/// `.atom`, which have other meanings for clients.
pub fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let lower = text.to_ascii_lowercase();
    (1..=255).contains(&text.len())
        && text.bytes().all(allowed)
        && !text.starts_with(['-', '.'])
        && ![".", ".git", ".atom"]
            .iter()
            .any(|ending| lower.ends_with(ending))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(raw: &str) -> Option<String> {
        match ProjectRef::parse(raw)? {
            ProjectRef::Path(path) => Some(path.as_str().to_owned()),
            ProjectRef::Id(id) => Some(format!("#{id}")),
        }
    }

    #[test]
    fn a_namespace_is_a_number_or_a_path_of_any_length() {
        let path = |text: &str| FullPath::parse(text).map(NamespaceRef::Path);
        for (raw, namespace) in [
            ("7", Some(NamespaceRef::Id(NamespaceId::new(7)))),
            ("shop", path("shop")),
            ("shop%2Fteam", path("shop/team")),
            ("99999999999999999999", None),
            ("", None),
            ("a%2F", None),
            ("%FF", None),
        ] {
            assert_eq!(NamespaceRef::parse(raw), namespace, "{raw}");
        }
    }

    #[test]
    fn a_project_is_a_number_or_an_encoded_path() {
        let cases = [
            ("42", Some("#42")),
            ("group%2Fproject", Some("group/project")),
            (
                "group%2fsub%2Fproject%2Ename",
                Some("group/sub/project.name"),
            ),
            ("%34%32", Some("#42")),
            ("bare-name", None),
            ("group%2F", None),
            ("%2Fproject", None),
            ("group%252Fproject", None),
            ("99999999999999999999", None),
            ("a%2Fb%00", None),
            ("a%2F%FF", None),
            ("", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(path(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn a_user_is_a_number_or_a_name() {
        assert_eq!(UserRef::parse("7"), Some(UserRef::Id(UserId::new(7))));
        assert_eq!(
            UserRef::parse("Ann"),
            Some(UserRef::Username("Ann".to_owned()))
        );
        assert_eq!(UserRef::parse(""), None);
    }
}
