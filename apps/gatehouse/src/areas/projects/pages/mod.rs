//! Project pages: lists, overview, creation, settings and deletion.

mod doomed;
mod fields;
mod list;
mod namespaces;
mod new;
mod overview;
mod settings;
mod upkeep;

use web_conventions::operations::{Operation, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("dashboardProjectsPage", "/dashboard/projects", list::mine),
        get("exploreProjectsPage", "/explore/projects", list::all),
        get("newProjectPage", "/projects/new", new::show),
        post("createProjectForm", "/projects", new::create),
        get(
            "projectDeletionPage",
            "/projects/{id}/deletion",
            doomed::show,
        ),
        post(
            "restoreProjectForm",
            "/projects/{id}/deletion",
            doomed::restore,
        ),
        get("projectPage", "/{project}/-", overview::show),
        get(
            "projectSettingsPage",
            "/{project}/-/settings",
            settings::show,
        ),
        post(
            "changeProjectForm",
            "/{project}/-/settings",
            settings::change,
        ),
        post(
            "archiveProjectForm",
            "/{project}/-/settings/archive",
            upkeep::archive,
        ),
        post(
            "transferProjectForm",
            "/{project}/-/settings/transfer",
            upkeep::transfer,
        ),
        post(
            "deleteProjectForm",
            "/{project}/-/settings/delete",
            upkeep::delete,
        ),
    ]
}
