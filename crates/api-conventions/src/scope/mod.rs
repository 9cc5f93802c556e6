//! What a token may be used for.
//!
//! A [`Scope`] is a name that the host chose (RFC 6749, section 3.3), and a [`ScopeSet`] is what a token or an application
//! has. Neither knows which names there are: a name that nobody asks for permits nothing. The scopes of this platform
//! are associated constants of [`Scope`], such as [`Scope::API`].

mod openid;
mod platform;
mod set;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use set::ScopeSet;

/// One permission of a token: a scope-token of RFC 6749, section 3.3, which is one or more printable ASCII characters
/// without space, quotation mark and backslash. Upper and lower case differ. Two scopes are the same when their names
/// are, and they are ordered by name. A clone copies a reference and never allocates.
#[derive(Clone)]
pub struct Scope(Name);

#[derive(Clone)]
enum Name {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Scope {
    /// The scope with a name that is written in the code. In a constant, a name that is none fails the compilation.
    ///
    /// # Panics
    /// When the name is no scope-token. Names from outside are read by [`Scope::parse`].
    pub const fn from_static(name: &'static str) -> Self {
        assert!(is_scope_token(name), "a scope-token of RFC 6749");
        Self(Name::Static(name))
    }

    /// Reads a name.
    ///
    /// # Errors
    /// When it is no scope-token.
    pub fn parse(name: &str) -> Result<Self, InvalidScope> {
        if is_scope_token(name) {
            Ok(Self(Name::Shared(name.into())))
        } else {
            Err(InvalidScope(name.to_owned()))
        }
    }

    /// The name in requests, bodies and rows.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Static(name) => name,
            Name::Shared(name) => name,
        }
    }
}

/// Whether a text is a scope-token: `1*( %x21 / %x23-5B / %x5D-7E )`.
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

/// The hash of the name, so that a map of scopes can be searched by name.
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

/// A text that cannot name a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot be a scope: it has to be printable ASCII without space, quotation mark and backslash"
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
