//! The scopes of a request.

use api_conventions::scope::{Scope, ScopeSet};

use crate::scopes::{ScopeRegistry, UnknownScope};

/// What asks for a refresh token (OpenID Connect Core 1.0, section 11). Here every code gives one, so it asks for nothing.
const OFFLINE_ACCESS: &str = "offline_access";

/// Reads the scopes that a client asks for, as words between white space.
///
/// `offline_access` beside `openid` is passed over: the standard defines it for exactly such requests, and a server
/// ignores what it does not offer of that kind (sections 3.1.2.1 and 11). Without `openid` it is a word like any other
/// that is unknown here. A host that registers `offline_access` as a scope of its own gets it as such.
///
/// # Errors
/// The first word that names no registered scope.
pub fn requested(words: &str, registry: &ScopeRegistry) -> Result<ScopeSet, UnknownScope> {
    let mut all = words.split_whitespace();
    let is_ignored =
        all.any(|word| word == Scope::OPENID.as_str()) && registry.find(OFFLINE_ACCESS).is_none();
    let counting = words
        .split_whitespace()
        .filter(|word| !is_ignored || *word != OFFLINE_ACCESS);
    registry.parse_words(counting, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::ScopeEntry;
    use crate::scopes::samples::registry;

    #[test]
    fn offline_access_beside_openid_asks_for_nothing() {
        for (words, expected) in [
            ("openid offline_access", "openid"),
            ("offline_access email openid offline_access", "email openid"),
            ("api", "api"),
        ] {
            let read = requested(words, &registry()).map(|scopes| scopes.to_string());
            assert_eq!(read.as_deref(), Ok(expected), "{words}");
        }
    }

    #[test]
    fn every_other_unknown_word_is_named() {
        for (words, unknown) in [
            ("offline_access", "offline_access"),
            ("api offline_access", "offline_access"),
            ("openid offline", "offline"),
            ("OPENID offline_access", "OPENID"),
        ] {
            let read = requested(words, &registry()).unwrap_err();
            assert_eq!(read.word, unknown, "{words}");
        }
    }
    #[test]
    fn a_host_may_have_offline_access_as_a_scope() {
        let entry = |name: &'static str| {
            ScopeEntry::new(Scope::from_static(name), "A title", "A description.")
        };
        let registry = ScopeRegistry::new(["openid", "offline_access"].map(entry)).unwrap();
        let read = requested("openid offline_access", &registry).unwrap();
        assert_eq!(read.to_string(), "offline_access openid");
    }
}
