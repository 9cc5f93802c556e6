//! Pages of the deprecation schedule.
//! They are public.

mod list;
mod record;
mod record_row;
mod release;
mod uses;

use web_conventions::operations::{Operation, get};

/// Path of the schedule.
const LIST: &str = "/-/deprecations";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("deprecationList", LIST, list::show).compressible_page(),
        get(
            "deprecationsOfRelease",
            "/-/deprecations/releases/{release}",
            release::show,
        )
        .compressible_page(),
        get("deprecation", "/-/deprecations/{id}", record::show).compressible_page(),
        get("ownDeprecatedUses", uses::OWN, uses::show_own),
        get("deprecatedUses", uses::ALL, uses::show_all),
    ]
}
