//! Projects.

mod api;
mod change;
mod deletion;
mod export;
mod filter;
mod import;
mod import_status;
mod of_user;
mod pages;
mod view;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        change::operations(),
        deletion::operations(),
        export::operations(),
        import::operations(),
        of_user::operations(),
        pages::operations(),
    ]
    .concat()
}
