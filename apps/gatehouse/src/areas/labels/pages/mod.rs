//! The labels of a project.

mod change;
mod form;
mod list;

use web_conventions::operations::{Operation, get, post};

const LIST: &str = "/{project}/-/labels";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("labelsPage", LIST, list::show),
        get("newLabelPage", "/{project}/-/labels/new", form::show_new),
        post("createLabelForm", LIST, change::create),
        get(
            "editLabelPage",
            "/{project}/-/labels/{label}/edit",
            form::show_edit,
        ),
        post(
            "changeLabelForm",
            "/{project}/-/labels/{label}",
            change::change,
        ),
    ]
}
