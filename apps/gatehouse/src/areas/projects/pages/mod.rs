//! Project pages: lists, overview, creation, settings and deletion.

mod fields;
mod list;
mod namespaces;
mod new;
mod overview;
mod owner_actions;
mod pending_deletion;
mod settings;

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
            pending_deletion::show,
        ),
        post(
            "restoreProjectForm",
            "/projects/{id}/deletion",
            pending_deletion::restore,
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
            owner_actions::archive,
        ),
        post(
            "transferProjectForm",
            "/{project}/-/settings/transfer",
            owner_actions::transfer,
        ),
        post(
            "deleteProjectForm",
            "/{project}/-/settings/delete",
            owner_actions::delete,
        ),
    ]
}
