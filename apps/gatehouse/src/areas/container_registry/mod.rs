//! `/jwt/auth` and `/api/v4/…/registry/repositories`: tokens for a container registry, and its images (`OAUTH-15`).

mod bulk;
mod of_group;
mod place;
mod repositories;
mod shared;
mod tags;
mod token;
mod token_form;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        token::operations(),
        repositories::operations(),
        of_group::operations(),
        tags::operations(),
        bulk::operations(),
    ]
    .concat()
}
