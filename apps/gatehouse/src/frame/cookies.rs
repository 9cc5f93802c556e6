//! Cookies of the server.
//! One is for the session, one carries a notice to the next page, and one carries a new secret, sealed, to the page
//! that shows it.

use accounts::SessionLifetime;
use accounts::model::SESSION_PREFIX;
use actix_web::HttpRequest;
use api_conventions::secret::{PlainSecret, SecretSource};

use web_conventions::cookie::{CookieRules, values};

use super::secret_once::SecretSubject;
use crate::state::AppState;

/// Length of a session cookie's value: its prefix and 24 random bytes in base64.
const VALUE_CHARACTERS: usize = SESSION_PREFIX.len() + PlainSecret::RANDOM_BYTES / 3 * 4;

/// Lifetime of a notice, in seconds.
const NOTICE_SECONDS: i64 = 60;

/// Generates the value of a new session cookie.
/// A value has no checksum, because servers of older versions refuse values of another length.
pub fn fresh_value(source: &dyn SecretSource) -> PlainSecret {
    let random = PlainSecret::generate("", source);
    PlainSecret::new(format!("{SESSION_PREFIX}{}", random.reveal()))
}

/// Value of the session cookie in a request.
/// A malformed value counts as none, so that no one can make a browser keep a value of their choice.
pub fn session_value(request: &HttpRequest, state: &AppState) -> Option<PlainSecret> {
    let name = session_name(state);
    let found = values(request, &name)
        .into_iter()
        .find(|value| is_well_formed(value))?;
    Some(PlainSecret::new(found))
}

/// Notice that the previous response left for this page.
pub fn notice_word(request: &HttpRequest, state: &AppState) -> Option<String> {
    values(request, &notice_name(state)).into_iter().next()
}

/// Sealed secret for the page that shows it.
pub fn secret_value(request: &HttpRequest, state: &AppState, of: SecretSubject) -> Option<String> {
    values(request, &secret_name(state, of)).into_iter().next()
}

/// `Set-Cookie` header of a session.
/// The cookie of a signed-in user lasts as long as the session may; that of an anonymous visitor ends with the browser
/// session.
pub fn session(state: &AppState, value: &PlainSecret, lifetime: Option<SessionLifetime>) -> String {
    let seconds = lifetime.map(|lifetime| lifetime.absolute_seconds);
    rules(state).set(&session_name(state), value.reveal(), seconds)
}

/// `Set-Cookie` header that carries a notice to the next page.
pub fn notice(state: &AppState, word: &str) -> String {
    rules(state).set(&notice_name(state), word, Some(NOTICE_SECONDS))
}

/// `Set-Cookie` header that carries a sealed secret to its page, for this number of seconds.
pub fn secret(state: &AppState, of: SecretSubject, sealed: &str, seconds: i64) -> String {
    rules(state).set(&secret_name(state, of), sealed, Some(seconds))
}

/// `Set-Cookie` header that removes a sealed secret.
pub fn clear_secret(state: &AppState, of: SecretSubject) -> String {
    rules(state).remove(&secret_name(state, of))
}

/// `Set-Cookie` header that removes the session cookie.
pub fn clear_session(state: &AppState) -> String {
    rules(state).remove(&session_name(state))
}

/// `Set-Cookie` header that removes the notice after it was shown.
pub fn clear_notice(state: &AppState) -> String {
    rules(state).remove(&notice_name(state))
}

fn rules(state: &AppState) -> CookieRules<'_> {
    CookieRules {
        mount: &state.mount,
        is_https: state.is_https(),
    }
}

fn session_name(state: &AppState) -> String {
    format!("_{}_session", state.settings.naming.service)
}

fn notice_name(state: &AppState) -> String {
    format!("_{}_notice", state.settings.naming.service)
}

fn secret_name(state: &AppState, of: SecretSubject) -> String {
    format!("_{}_{}", state.settings.naming.service, of.word())
}

fn is_well_formed(value: &str) -> bool {
    let of_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    value.len() == VALUE_CHARACTERS
        && value.starts_with(SESSION_PREFIX)
        && value.bytes().all(of_base64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatehouse_core::randomness::OsRandomness;

    #[test]
    fn only_values_of_our_making_are_read() {
        let fresh = fresh_value(&OsRandomness);
        assert!(is_well_formed(fresh.reveal()), "{}", fresh.reveal());
        for other in ["", "ghse_", "x", "ghse_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBw;H"] {
            assert!(!is_well_formed(other), "{other}");
        }
        assert!(!is_well_formed(&format!("{}x", fresh.reveal())));
        assert!(!is_well_formed(&fresh.reveal().replace("ghse_", "ghp0_")));
    }
}
