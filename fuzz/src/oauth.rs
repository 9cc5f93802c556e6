//! Properties of the OAuth provider's error responses.

use oauth_provider::wire::OAuthError;

/// Checks that an error has a status of 400 or 401, and a description in the characters that RFC 6749, section 5.2,
/// allows.
pub fn check_refusal(error: &OAuthError) {
    assert!(matches!(error.status(), 400 | 401), "{error}");
    let sentence = error.description();
    let allowed = |one: char| matches!(one, ' '..='~') && one != '"' && one != '\\';
    assert!(
        !sentence.is_empty() && sentence.chars().all(allowed),
        "{error}"
    );
}
