//! `GET /api/v4/users` and `GET /api/v4/users/:id`.

use std::sync::Arc;

use accounts::flow::find_user::find_user_named;
use accounts::wire::{CurrentUser, PublicUser, UserSummary};
use accounts::{User, UserActivity, Username};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::paging::Paging;
use gatehouse_core::auth::principal::Principal;
use projects::Viewer;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Needs, Operation, Pages, Parameter, ParameterKind, ResponseSpec, get,
};

use super::activity::activity_of;
use super::filter::{UNSUPPORTED_FILTERS, parameters, read_filter};
use crate::config::RequestLimit;
use crate::frame::api::{ApiRequest, AsCaller, CallerKind, RequestBy};
use crate::frame::limits::LimitedOperation as _;
use crate::frame::scopes::ReadUser;

pub(super) const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the user.");

pub(super) const NAMED: Parameter = Parameter::path(
    "id",
    ParameterKind::Text { min: 1, max: 255 },
    "ID or username of the user.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listUsers", "/api/v4/users", list)
            .documented("users", "List the users")
            .takes(parameters())
            .without_filters(UNSUPPORTED_FILTERS)
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<UserView>>(200, "A page of users."))
            .response(ResponseSpec::refusal(
                403,
                "The caller is anonymous and sent no username.",
            )),
        get("showUser", "/api/v4/users/{id}", show)
            .limited_by(RequestLimit::UserLookup)
            .documented("users", "Get a user")
            .takes([NAMED])
            .response(ResponseSpec::json::<UserView>(200, "The user."))
            .response(ResponseSpec::refusal(403, "The caller is anonymous.")),
    ]
}

/// Signed-in users; others get a 403, whose text clients know.
#[derive(Debug)]
struct SignedInOrForbidden;

impl CallerKind for SignedInOrForbidden {
    const NEEDS: Needs = Needs::Nothing;
    type Caller = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        principal.ok_or_else(|| ApiError::forbidden_because("Not authorized!"))
    }
}

/// User as this caller sees them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "User")]
pub(super) enum UserView {
    // In the order of the document, because clients take the first alternative that matches.
    Whole(Box<CurrentUser>),
    Public(Box<PublicUser>),
    Short(UserSummary),
}

impl UserView {
    /// Selects the view of a user for the user `caller`.
    pub(super) fn to(caller: &User, user: &User, activity: &UserActivity, base_url: &str) -> Self {
        if caller.is_admin {
            let whole = CurrentUser::for_administrator(user, activity, base_url);
            Self::Whole(Box::new(whole))
        } else if caller.id == user.id {
            Self::Whole(Box::new(CurrentUser::new(user, activity, base_url)))
        } else {
            Self::Public(Box::new(PublicUser::new(user, base_url)))
        }
    }
}

/// Id of the user in the path.
///
/// # Errors
/// 400 if it is not a number.
pub(super) fn id_of(request: &ApiRequest) -> Result<UserId, ApiError> {
    let invalid = |_| ApiError::invalid_parameters(&["id is invalid".to_owned()]);
    let id = request.segment(ID.name, "User")?;
    id.parse().map(UserId::new).map_err(invalid)
}

/// Id or username of the user in the path. In GitLab only the id works here. A username works, too, as in
/// `/users/:id/events`, because people know names and not numbers.
///
/// # Errors
/// 400 if it can be neither.
fn name_of(request: &ApiRequest) -> Result<String, ApiError> {
    let name = request.segment(NAMED.name, "User")?;
    match Username::parse(&name) {
        Ok(_) => Ok(name),
        Err(_) => Err(ApiError::invalid_parameters(&["id is invalid".to_owned()])),
    }
}

async fn list(request: AsCaller<ReadUser>) -> Result<HttpResponse, Failure> {
    let viewer = *request.caller();
    let filter = read_filter(request.params(), viewer)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx| {
        let page = tx.list_users(&filter, paging)?;
        let ids: Vec<UserId> = match viewer {
            Viewer::Administrator(_) => page.items.iter().map(|user| user.id).collect(),
            Viewer::User(_) | Viewer::Anonymous => Vec::new(),
        };
        let activities = activity_of(tx, &ids)?;
        Ok((page, activities))
    });
    let (page, activities) = found.await?;
    let base_url = request.base_url();
    request.page(paging, page, |user: User| match viewer {
        Viewer::Administrator(_) => {
            let activity = activities.of(user.id);
            let whole = CurrentUser::for_administrator(&user, &activity, base_url);
            UserView::Whole(Box::new(whole))
        }
        Viewer::User(_) | Viewer::Anonymous => UserView::Short(UserSummary::new(&user, base_url)),
    })
}

async fn show(request: RequestBy<SignedInOrForbidden, ReadUser>) -> Result<HttpResponse, Failure> {
    let name = name_of(&request)?;
    let found = request.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        let activities = activity_of(tx, &[user.id])?;
        Ok((user, activities))
    });
    let (user, activities) = found.await?;
    let caller = &request.caller().user;
    let activity = activities.seen_by(user.id, caller.id, request.now());
    request.json(&UserView::to(caller, &user, &activity, request.base_url()))
}
