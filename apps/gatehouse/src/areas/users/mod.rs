//! Users, the calling user, and the token of the request.

mod activity;
mod admin_edit;
mod admin_list;
mod admin_new;
mod admin_recovery;
mod admin_user;
mod change;
mod contribution_grid;
mod create;
mod deletion;
mod filter;
mod impersonation_tokens;
mod invitations;
mod memberships;
mod page;
mod people;
mod personal_tokens;
mod rotation;
mod states;
mod status;
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
        status::operations(),
        change::operations(),
        create::operations(),
        states::operations(),
        deletion::operations(),
        memberships::operations(),
        tokens::operations(),
        rotation::operations(),
        personal_tokens::operations(),
        impersonation_tokens::operations(),
        token_page::operations(),
        admin_list::operations(),
        admin_new::operations(),
        admin_recovery::operations(),
        invitations::operations(),
        admin_user::operations(),
        admin_edit::operations(),
        page::operations(),
    ]
    .concat()
}
