//! Members of projects and groups, and shares of projects with groups (`PATH-04`, `AUTH-11`).

mod changes;
mod json;
mod lists;
mod pages;
mod place;
mod shares;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        changes::operations(),
        shares::operations(),
        pages::operations(),
    ]
    .concat()
}
