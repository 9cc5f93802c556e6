//! The lists of projects, and what a project is.

mod list;
mod overview;

use web_conventions::operations::{Operation, get};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("dashboardProjectsPage", "/dashboard/projects", list::mine),
        get("exploreProjectsPage", "/explore/projects", list::all),
        get("projectPage", "/{project}/-", overview::show),
    ]
}
