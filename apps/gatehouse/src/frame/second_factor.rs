//! What signing in and the settings of the second factor have in common.

use actix_web::http::StatusCode;
use api_conventions::ids::UserId;

use super::page::failure::PageFailure;

/// For what the secret of a user is sealed, so that no other user's opens in its place.
pub fn sealing_context(user: UserId) -> String {
    format!("second factor of user {user}")
}

/// Whether a text has as many digits as a one-time password, and nothing else but spaces.
pub fn is_one_time_password(typed: &str) -> bool {
    let typed = typed.chars().filter(|c| !c.is_whitespace());
    let digits: Vec<char> = typed.collect();
    digits.len() == accounts::model::one_time_password::DIGITS
        && digits.iter().all(char::is_ascii_digit)
}

/// A secret that was sealed here and does not open: the key of this server is another one.
pub fn unreadable(error: gatehouse_core::vault::VaultError) -> PageFailure {
    PageFailure::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "The second factor cannot be checked",
        "The fault is on our side and was logged. A recovery code works all the same.",
    )
    .caused_by(error)
}
