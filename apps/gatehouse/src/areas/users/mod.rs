//! Users, the calling user, and the token of the request.

mod activity;
mod change;
mod filter;
mod page;
mod people;
mod tokens;
mod user;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        user::operations(),
        people::operations(),
        change::operations(),
        tokens::operations(),
        page::operations(),
    ]
    .concat()
}
