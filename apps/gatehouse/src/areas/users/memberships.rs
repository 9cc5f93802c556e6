//! `GET /api/v4/users/:id/memberships`: the direct roles of a user.

use accounts::flow::find_user::find_present_user;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::Paging;
use projects::{MemberSource, UserRole, UserRoleFilter};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::people::{ID, id_of};
use crate::frame::api::AsAdministrator;
use crate::frame::scopes::ReadUser;

const PROJECT: &str = "Project";
const NAMESPACE: &str = "Namespace";

const TYPE: Parameter = Parameter::query(
    "type",
    ParameterKind::Word(&[PROJECT, NAMESPACE]),
    "Only roles in projects, or only roles in groups.",
);

/// Role of a user in a project or group.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserMembership")]
struct UserMembershipView {
    source_id: i64,
    source_name: String,
    source_type: &'static str,
    access_level: i16,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "listUserMemberships",
            "/api/v4/users/{id}/memberships",
            list,
        )
        .documented(
            "users",
            "List the projects and groups of which a user is a direct member (administrators only)",
        )
        .takes([ID, TYPE])
        .paged(Pages::Offset)
        .response(ResponseSpec::json::<Vec<UserMembershipView>>(
            200,
            "A page of roles.",
        ))
        .response(ResponseSpec::refusal(404, "User not found.")),
    ]
}

async fn list(request: AsAdministrator<ReadUser>) -> Result<HttpResponse, Failure> {
    let (user, today) = (id_of(&request)?, request.now().date());
    let mut read = request.params().reader();
    let only = read.word(TYPE.name, |word| {
        [PROJECT, NAMESPACE]
            .contains(&word)
            .then_some(word == PROJECT)
    });
    read.finish()?;
    let paging = Paging::offset(request.params())?;
    let filter = UserRoleFilter {
        user,
        projects: only != Some(false),
        groups: only != Some(true),
        today,
    };
    let found = request.read(move |tx| {
        find_present_user(tx, user)?.ok_or_else(|| ApiError::not_found("User"))?;
        Ok(tx.list_roles_of_user(filter, paging)?)
    });
    request.page(paging, found.await?, UserMembershipView::from)
}

impl From<UserRole> for UserMembershipView {
    fn from(role: UserRole) -> Self {
        let (source_id, source_type) = match role.source {
            MemberSource::Project(id) => (id.get(), PROJECT),
            MemberSource::Namespace(id) => (id.get(), NAMESPACE),
        };
        Self {
            source_id,
            source_name: role.source_name,
            source_type,
            access_level: role.level.number(),
        }
    }
}
