//! The user's own account: profile, password, sessions, second factor, access tokens.

mod overview;
mod privacy;
mod sessions;
mod token_forms;
mod tokens;
mod two_factor;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        overview::operations(),
        privacy::operations(),
        sessions::operations(),
        tokens::operations(),
        two_factor::operations(),
    ]
    .concat()
}
