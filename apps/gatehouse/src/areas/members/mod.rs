//! Members of projects and groups, shares of projects with groups, and access tokens whose bots are members (`PATH-04`,
//! `AUTH-02`, `AUTH-11`).

mod changes;
mod json;
mod lists;
mod pages;
mod place;
mod shares;
mod tokens;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        changes::operations(),
        shares::operations(),
        tokens::operations(),
        pages::operations(),
    ]
    .concat()
}
