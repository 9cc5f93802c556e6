//! Pages of members and access tokens of projects and groups.

mod change;
mod fields;
mod form;
mod list;
mod place;
mod shares;
mod source;
mod tokens;

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
const TOKENS_OF_PROJECT: &str = "/{project}/-/settings/access_tokens";
const TOKENS_OF_GROUP: &str = "/groups/{group}/-/settings/access_tokens";

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
        get(
            "projectAccessTokensPage",
            TOKENS_OF_PROJECT,
            tokens::show::<Projects>,
        ),
        post(
            "createProjectAccessTokenForm",
            TOKENS_OF_PROJECT,
            tokens::create::<Projects>,
        ),
        post(
            "rotateProjectAccessTokenForm",
            "/{project}/-/settings/access_tokens/{token_id}/rotate",
            tokens::rotate::<Projects>,
        ),
        post(
            "revokeProjectAccessTokenForm",
            "/{project}/-/settings/access_tokens/{token_id}",
            tokens::revoke::<Projects>,
        ),
        get(
            "groupAccessTokensPage",
            TOKENS_OF_GROUP,
            tokens::show::<Groups>,
        ),
        post(
            "createGroupAccessTokenForm",
            TOKENS_OF_GROUP,
            tokens::create::<Groups>,
        ),
        post(
            "rotateGroupAccessTokenForm",
            "/groups/{group}/-/settings/access_tokens/{token_id}/rotate",
            tokens::rotate::<Groups>,
        ),
        post(
            "revokeGroupAccessTokenForm",
            "/groups/{group}/-/settings/access_tokens/{token_id}",
            tokens::revoke::<Groups>,
        ),
    ]
}

/// Reason why a form was refused.
#[derive(Debug)]
enum MemberFormError {
    /// Invalid fields.
    Fields(ValidationFailures),
    /// Refusal that is not about a field.
    Whole(MemberError),
}

impl From<MemberError> for MemberFormError {
    fn from(error: MemberError) -> Self {
        match error {
            MemberError::Invalid(failures) => Self::Fields(failures),
            other => Self::Whole(other),
        }
    }
}

impl From<StoreError> for MemberFormError {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}

impl MemberFormError {
    /// Returns the validation failures of the fields.
    /// A refusal that names no field, and that the sender can fix, is assigned to the field `main`.
    ///
    /// # Errors
    /// Refusals that are not about a field.
    fn into_fields(self, main: &str) -> Result<ValidationFailures, PageFailure> {
        let of_main = |text: &str| {
            let mut failures = ValidationFailures::default();
            failures.add(main, text);
            Ok(failures)
        };
        match self {
            Self::Fields(failures) => Ok(failures),
            Self::Whole(MemberError::Exists) => of_main("is already a member"),
            Self::Whole(MemberError::IsShared) => of_main(
                "already has access to the project: remove its share first to grant another role",
            ),
            Self::Whole(MemberError::Unknown("User" | "Group")) => {
                of_main("does not exist, or you cannot see it")
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
