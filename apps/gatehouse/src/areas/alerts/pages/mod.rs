//! The alerts of a project, as Developers see and work on them.

mod detail;
mod list;

use web_conventions::operations::{Operation, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("alertsPage", "/{project}/-/alert_management", list::show),
        get(
            "alertPage",
            "/{project}/-/alert_management/{iid}/details",
            detail::show,
        ),
        post(
            "changeAlertForm",
            "/{project}/-/alert_management/{iid}/details",
            detail::change,
        ),
    ]
}
