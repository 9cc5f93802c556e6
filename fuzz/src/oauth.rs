//! What must hold for refusals of the OAuth provider.

use oauth_provider::wire::OAuthError;

/// A refusal has a status of a client's fault, and a sentence of the characters that RFC 6749, section 5.2, allows.
pub fn check_refusal(error: &OAuthError) {
    assert!(matches!(error.status(), 400 | 401), "{error}");
    let sentence = error.description();
    let allowed = |one: char| matches!(one, ' '..='~') && one != '"' && one != '\\';
    assert!(
        !sentence.is_empty() && sentence.chars().all(allowed),
        "{error}"
    );
}
