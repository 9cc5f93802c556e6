//! Who may do what in a project or a group, and who gave them that.

mod change;
mod fields;
mod form;
mod list;
mod place;
mod shares;
mod source;

use api_conventions::error::{ApiError, ValidationFailures};
use projects::flow::members::MemberError;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use crate::frame::group::Groups;
use crate::frame::page::failure::PageFailure;
use crate::frame::project::Projects;

const OF_PROJECT: &str = "/{project}/-/project_members";
const ONE_OF_PROJECT: &str = "/{project}/-/project_members/{user_id}";
const OF_GROUP: &str = "/groups/{group}/-/group_members";
const ONE_OF_GROUP: &str = "/groups/{group}/-/group_members/{user_id}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("projectMembersPage", OF_PROJECT, list::show::<Projects>),
        post("addProjectMemberForm", OF_PROJECT, change::add::<Projects>),
        get(
            "editProjectMemberPage",
            "/{project}/-/project_members/{user_id}/edit",
            form::show::<Projects>,
        ),
        post(
            "changeProjectMemberForm",
            ONE_OF_PROJECT,
            change::change::<Projects>,
        ),
        get("groupMembersPage", OF_GROUP, list::show::<Groups>),
        post("addGroupMemberForm", OF_GROUP, change::add::<Groups>),
        get(
            "editGroupMemberPage",
            "/groups/{group}/-/group_members/{user_id}/edit",
            form::show::<Groups>,
        ),
        post(
            "changeGroupMemberForm",
            ONE_OF_GROUP,
            change::change::<Groups>,
        ),
        post(
            "shareProjectForm",
            "/{project}/-/group_links",
            shares::share,
        ),
        post(
            "unshareProjectForm",
            "/{project}/-/group_links/{group_id}",
            shares::unshare,
        ),
    ]
}

/// Why a form did nothing.
#[derive(Debug)]
enum Refused {
    /// These fields are wrong.
    Fields(ValidationFailures),
    /// It is no fault of a field.
    Whole(MemberError),
}

impl From<MemberError> for Refused {
    fn from(error: MemberError) -> Self {
        match error {
            MemberError::Invalid(failures) => Self::Fields(failures),
            other => Self::Whole(other),
        }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}

impl Refused {
    /// What is wrong with the fields. A refusal that names none, and that the sender can do something about, belongs to
    /// `main`.
    ///
    /// # Errors
    /// What is no fault of a field.
    fn into_fields(self, main: &str) -> Result<ValidationFailures, PageFailure> {
        let of_main = |text: &str| {
            let mut failures = ValidationFailures::default();
            failures.add(main, text);
            Ok(failures)
        };
        match self {
            Self::Fields(failures) => Ok(failures),
            Self::Whole(MemberError::Exists) => of_main("has a role here already"),
            Self::Whole(MemberError::IsShared) => {
                of_main("has a share of the project already: end it first to give another role")
            }
            Self::Whole(MemberError::Unknown("User" | "Group")) => {
                of_main("does not exist, or you do not see it")
            }
            Self::Whole(MemberError::Impossible(reason)) => {
                of_main(&format!("cannot be chosen: {reason}"))
            }
            Self::Whole(MemberError::Forbidden) => Err(PageFailure::forbidden()),
            Self::Whole(MemberError::Store(error)) => Err(error.into()),
            Self::Whole(other) => Err(Failure::from(ApiError::from(other)).into()),
        }
    }
}
