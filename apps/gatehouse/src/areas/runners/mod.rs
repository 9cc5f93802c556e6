//! Runners, which other programs are: this server registers them and gives out no jobs (`DEPR-05`).

mod admin;
mod create;
mod fields;
mod lists;
mod one;
mod page_parts;
mod page_place;
mod pages;
mod place;
mod program;
mod view;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        program::operations(),
        create::operations(),
        one::operations(),
        place::operations(),
        pages::operations(),
        admin::operations(),
    ]
    .concat()
}
