//! Group pages: lists, overview, settings, transfer and deletion.

mod change;
mod deletion;
mod form;
mod home;
mod list;
mod row;
mod settings;
mod transfer;

use actix_web::HttpResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use projects::flow::error::NamespaceError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use crate::frame::page::answer::see_other;
use crate::frame::page::failure::PageFailure;
use crate::frame::visitor::Visitor;

/// Path of the visitor's groups.
const MINE: &str = "/dashboard/groups";
/// Path of all groups that the visitor can view.
const ALL: &str = "/explore/groups";
/// Path of a group pending deletion.
const DELETION: &str = "/dashboard/groups/{id}/deletion";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("groupsPage", "/groups", redirect_to_list),
        get("dashboardGroupsPage", MINE, list::mine),
        get("exploreGroupsPage", ALL, list::all),
        get("newGroupPage", "/dashboard/groups/new", form::show_new),
        post("createGroupForm", MINE, change::create),
        get("groupDeletionPage", DELETION, deletion::show),
        post("restoreGroupForm", DELETION, deletion::restore),
        get("groupPage", "/groups/{group}/-", home::show),
        get(
            "newSubgroupPage",
            "/groups/{group}/-/subgroups/new",
            form::show_new_subgroup,
        ),
        post(
            "createSubgroupForm",
            "/groups/{group}/-/subgroups",
            change::create_subgroup,
        ),
        get("editGroupPage", "/groups/{group}/-/edit", settings::show),
        post("changeGroupForm", "/groups/{group}/-/edit", change::save),
        post(
            "transferGroupForm",
            "/groups/{group}/-/transfer",
            transfer::transfer,
        ),
        post(
            "deleteGroupForm",
            "/groups/{group}/-/delete",
            deletion::delete,
        ),
    ]
}

/// Redirects signed-in visitors to their groups, and others to all groups.
async fn redirect_to_list(visitor: Visitor) -> Result<HttpResponse, PageFailure> {
    let list = visitor.signed_in().map_or(ALL, |_| MINE);
    Ok(see_other(list).finish())
}

/// Reason why a form was refused.
#[derive(Debug)]
enum GroupFormError {
    /// Invalid fields.
    Fields(ValidationFailures),
    /// Refusal that is not about a field.
    Whole(NamespaceError),
}

impl From<NamespaceError> for GroupFormError {
    fn from(error: NamespaceError) -> Self {
        let name_conflict = |field| {
            let mut failures = ValidationFailures::default();
            failures.add(field, "has already been taken");
            Self::Fields(failures)
        };
        match error {
            NamespaceError::Invalid(failures) => Self::Fields(failures),
            NamespaceError::PathTaken => name_conflict("path"),
            NamespaceError::NameTaken => name_conflict("name"),
            other => Self::Whole(other),
        }
    }
}

impl GroupFormError {
    /// Returns the validation failures of the fields.
    ///
    /// # Errors
    /// Refusals that are not about a field.
    fn into_fields(self) -> Result<ValidationFailures, PageFailure> {
        match self {
            Self::Fields(failures) => Ok(failures),
            Self::Whole(error) => Err(whole(error)),
        }
    }
}

/// Page for a refusal that is not about a field.
/// Store failures keep their cause for the log.
fn whole(error: NamespaceError) -> PageFailure {
    match error {
        NamespaceError::Store(error) => error.into(),
        NamespaceError::Forbidden => PageFailure::forbidden(),
        other => Failure::from(ApiError::from(other)).into(),
    }
}
