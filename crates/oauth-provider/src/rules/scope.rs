//! The scopes of a request.

use api_conventions::scope::{ScopeSet, UnknownScope};

/// What asks for a refresh token (OpenID Connect Core 1.0, section 11). Here every code gives one, so it asks for nothing.
const OFFLINE_ACCESS: &str = "offline_access";

/// Reads the scopes that a client asks for, as words between white space.
///
/// `offline_access` beside `openid` is passed over: the standard defines it for exactly such requests, and a server
/// ignores what it does not offer of that kind (sections 3.1.2.1 and 11). Without `openid` it is a word like any other
/// that is unknown here.
///
/// # Errors
/// The first word that names no scope.
pub fn requested(words: &str) -> Result<ScopeSet, UnknownScope> {
    let is_openid = words.split_whitespace().any(|word| word == "openid");
    let counts = |word: &&str| !is_openid || *word != OFFLINE_ACCESS;
    let counting: Vec<&str> = words.split_whitespace().filter(counts).collect();
    ScopeSet::parse(&counting.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offline_access_beside_openid_asks_for_nothing() {
        for (words, expected) in [
            ("openid offline_access", "openid"),
            ("offline_access email openid offline_access", "openid email"),
            ("api", "api"),
        ] {
            let read = requested(words).map(|scopes| scopes.to_string());
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
            let read = requested(words);
            assert_eq!(read, Err(UnknownScope(unknown.to_owned())), "{words}");
        }
    }
}
