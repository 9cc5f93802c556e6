//! Scopes of tokens.
//!
//! A [`Scope`] is a name chosen by the host (RFC 6749, section 3.3), and a [`ScopeSet`] holds the scopes of a token or
//! an application. Neither has a list of known names: a name that no endpoint requires permits nothing. The scopes of
//! this platform are associated constants of [`Scope`], such as [`Scope::API`].

mod openid;
mod platform;
mod set;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use set::ScopeSet;

/// A permission of a token: a scope-token of RFC 6749, section 3.3, which is one or more printable ASCII characters
/// without space, quotation mark and backslash. Case-sensitive. Scopes are equal if their names are equal, and are
/// ordered by name. A clone copies a reference and never allocates.
#[derive(Clone)]
pub struct Scope(ScopeName);

#[derive(Clone)]
enum ScopeName {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Scope {
    /// Creates a scope from a name in the code. In a constant, an invalid name fails the compilation.
    ///
    /// # Panics
    /// Panics if the name is not a scope-token. Use [`Scope::parse`] for external names.
    pub const fn from_static(name: &'static str) -> Self {
        assert!(is_scope_token(name), "a scope-token of RFC 6749");
        Self(ScopeName::Static(name))
    }

    /// Parses a name.
    ///
    /// # Errors
    /// Fails if the name is not a scope-token.
    pub fn parse(name: &str) -> Result<Self, InvalidScope> {
        if is_scope_token(name) {
            Ok(Self(ScopeName::Shared(name.into())))
        } else {
            Err(InvalidScope(name.to_owned()))
        }
    }

    /// Name in requests, bodies and rows.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            ScopeName::Static(name) => name,
            ScopeName::Shared(name) => name,
        }
    }
}

/// True if a text is a scope-token: `1*( %x21 / %x23-5B / %x5D-7E )`.
const fn is_scope_token(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [first, others @ ..] = rest {
        if !matches!(first, 0x21 | 0x23..=0x5b | 0x5d..=0x7e) {
            return false;
        }
        rest = others;
    }
    !name.is_empty()
}

impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Scope {}

impl PartialOrd for Scope {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scope {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

/// Hash of the name, so that a map of scopes can be searched by name.
impl Hash for Scope {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for Scope {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error for a text that is not a valid scope name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a valid scope; use printable ASCII without spaces, quotation marks and backslashes"
)]
pub struct InvalidScope(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_tokens_of_the_standard() {
        for name in ["api", "invoices:read", "https://a.example/all", "!", "#[]~"] {
            assert_eq!(Scope::parse(name).unwrap().as_str(), name);
        }
        for name in [
            "", " ", "a b", "a\"b", "a\\b", "a\tb", "a\n", "\u{7f}", "\u{e9}",
        ] {
            assert_eq!(Scope::parse(name), Err(InvalidScope(name.to_owned())));
        }
    }

    #[test]
    fn a_name_from_outside_is_the_same_scope_as_one_of_the_code() {
        const READ: Scope = Scope::from_static("invoices:read");
        let read = Scope::parse("invoices:read").unwrap();
        assert_eq!((&read, read.cmp(&READ)), (&READ, Ordering::Equal));
        assert_ne!(read, Scope::parse("Invoices:read").unwrap());
        let known = std::collections::HashSet::from([READ]);
        assert!(known.contains(&read) && known.contains("invoices:read"));
    }

    #[test]
    #[should_panic(expected = "a scope-token of RFC 6749")]
    fn a_name_of_the_code_that_is_no_token_is_refused() {
        let _ = Scope::from_static("two words");
    }
}
