//! Parsing of the scopes in a request.

use api_conventions::scope::{Scope, ScopeSet};

use crate::scopes::{ScopeRegistry, UnknownScope};

/// Parses the scopes that a client requests, separated by spaces.
///
/// Unknown scopes next to known ones are ignored: the response says what was granted (RFC 6749, section 3.3; OpenID
/// Connect Core 1.0, section 3.1.2.1). `offline_access` is ignored, too, unless the host registers it: every code gives
/// a refresh token.
///
/// # Errors
/// The first malformed word; otherwise the first word, if none names a registered scope.
pub fn requested(words: &str, registry: &ScopeRegistry) -> Result<ScopeSet, UnknownScope> {
    let words = words.split(' ').filter(|word| !word.is_empty());
    if let Some(malformed) = words.clone().find(|word| Scope::parse(word).is_err()) {
        return Err(registry.unknown(malformed));
    }
    let known: ScopeSet = words
        .clone()
        .filter_map(|word| registry.find(word))
        .map(|entry| entry.scope().clone())
        .collect();
    match words.clone().next() {
        Some(first) if known.is_empty() => Err(registry.unknown(first)),
        _ => Ok(known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scopes::ScopeEntry;
    use crate::scopes::samples::registry;

    #[test]
    fn unknown_scopes_next_to_known_ones_are_ignored() {
        for (words, expected) in [
            ("openid offline_access", "openid"),
            ("offline_access email openid offline_access", "email openid"),
            ("api offline_access", "api"),
            ("mcp:tools api claudeai", "api"),
            ("OPENID api", "api"),
            ("api", "api"),
            ("", ""),
        ] {
            let read = requested(words, &registry()).map(|scopes| scopes.to_string());
            assert_eq!(read.as_deref(), Ok(expected), "{words}");
        }
    }

    #[test]
    fn malformed_words_and_unknown_ones_alone_are_refused_by_the_first() {
        for (words, unknown) in [
            ("offline_access", "offline_access"),
            ("OPENID offline_access", "OPENID"),
            ("a b", "a"),
            ("api a\"b", "a\"b"),
            ("api\tread_user", "api\tread_user"),
            ("api a\\b\n", "a\\b\n"),
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
