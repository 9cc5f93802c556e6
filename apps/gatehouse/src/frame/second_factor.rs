//! Helpers shared by sign-in and the second-factor settings.

use actix_web::http::StatusCode;
use api_conventions::ids::UserId;

use super::page::failure::PageFailure;

/// Context in which a user's secret is sealed, so that the secret of another user cannot be opened in its place.
pub fn sealing_context(user: UserId) -> String {
    format!("second factor of user {user}")
}

/// True if a text has as many digits as a one-time password, and nothing else but spaces.
pub fn is_one_time_password(typed: &str) -> bool {
    let typed = typed.chars().filter(|c| !c.is_whitespace());
    let digits: Vec<char> = typed.collect();
    digits.len() == accounts::model::one_time_password::DIGITS
        && digits.iter().all(char::is_ascii_digit)
}

/// Failure to open a secret sealed by this server: its secret key has changed.
pub fn unreadable(error: gatehouse_core::vault::VaultError) -> PageFailure {
    PageFailure::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Your code cannot be checked",
        "This is a server error and was logged. You can still use a recovery code.",
    )
    .caused_by(error)
}
