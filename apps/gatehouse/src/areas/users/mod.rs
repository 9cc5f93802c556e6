//! Users, the calling user, and the token of the request.

mod activity;
mod change;
mod filter;
mod impersonation_tokens;
mod page;
mod people;
mod personal_tokens;
mod rotation;
mod token_filter;
mod token_page;
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
        rotation::operations(),
        personal_tokens::operations(),
        impersonation_tokens::operations(),
        token_page::operations(),
        page::operations(),
    ]
    .concat()
}
