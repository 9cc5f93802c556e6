//! Pages of the deprecation schedule.
//! They are public.

mod list;
mod record;
mod release;
mod shown;
mod used;

use web_conventions::operations::{Operation, get};

/// Path of the schedule.
const LIST: &str = "/-/deprecations";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("deprecationList", LIST, list::show).open_page(),
        get(
            "deprecationsOfRelease",
            "/-/deprecations/releases/{release}",
            release::show,
        )
        .open_page(),
        get("deprecation", "/-/deprecations/{id}", record::show).open_page(),
        get("ownDeprecatedUses", used::OWN, used::show_own),
        get("deprecatedUses", used::ALL, used::show_all),
    ]
}
