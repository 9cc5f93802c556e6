//! The user's own account: profile, password, sessions, second factor.

mod overview;
mod privacy;
mod sessions;
mod two_factor;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        overview::operations(),
        privacy::operations(),
        sessions::operations(),
        two_factor::operations(),
    ]
    .concat()
}
