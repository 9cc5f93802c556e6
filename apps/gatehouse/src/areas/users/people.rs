//! `GET /api/v4/users` and `GET /api/v4/users/:id`.

use std::sync::Arc;

use accounts::wire::{CurrentUser, PublicUser, UserSummary};
use accounts::{User, UserActivity};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::paging::Paging;
use gatehouse_core::auth::principal::Principal;
use projects::Viewer;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Needs, Operation, Pages, Parameter, get};

use super::activity::activity_of;
use super::filter::{UNBUILT, parameters, read_filter};
use crate::frame::api::{ApiRequest, AsAnybody, By, Kind};
use crate::frame::scopes::ReadUser;

pub(super) const ID: Parameter = Parameter::path(
    "id",
    web_conventions::operations::Kind::ID,
    "The number of the user.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listUsers", "/api/v4/users", list)
            .documented("users", "List the users")
            .takes(parameters())
            .lacks(UNBUILT)
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<Shown>>(200, "A page of the users."))
            .answers(Answer::refusal(403, "An anonymous caller names nobody.")),
        get("showUser", "/api/v4/users/{id}", show)
            .documented("users", "Show a user")
            .takes([ID])
            .answers(Answer::json::<Shown>(200, "The user."))
            .answers(Answer::refusal(403, "The caller is anonymous.")),
    ]
}

/// Signed-in users; others get a 403, whose text clients know.
#[derive(Debug)]
struct Acquaintances;

impl Kind for Acquaintances {
    const NEEDS: Needs = Needs::Nothing;
    type Who = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        principal.ok_or_else(|| ApiError::forbidden_because("Not authorized!"))
    }
}

/// User as this caller sees them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "User")]
pub(super) enum Shown {
    // In the order of the document, because clients take the first alternative that matches.
    Whole(Box<CurrentUser>),
    Public(Box<PublicUser>),
    Short(UserSummary),
}

impl Shown {
    /// Selects the view of a user for the user `who`.
    pub(super) fn to(who: &User, user: &User, activity: &UserActivity, base_url: &str) -> Self {
        if who.is_admin {
            let whole = CurrentUser::for_administrator(user, activity, base_url);
            Self::Whole(Box::new(whole))
        } else if who.id == user.id {
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
pub(super) fn id_of(asked: &ApiRequest) -> Result<UserId, ApiError> {
    let invalid = |_| ApiError::invalid_parameters(&["id is invalid".to_owned()]);
    let id = asked.segment(ID.name, "User")?;
    id.parse().map(UserId::new).map_err(invalid)
}

async fn list(asked: AsAnybody<ReadUser>) -> Result<HttpResponse, Failure> {
    let viewer = *asked.who();
    let filter = read_filter(asked.params(), viewer)?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx| {
        let page = tx.list_users(&filter, paging)?;
        let ids: Vec<UserId> = match viewer {
            Viewer::Administrator(_) => page.items.iter().map(|user| user.id).collect(),
            Viewer::User(_) | Viewer::Anonymous => Vec::new(),
        };
        let activities = activity_of(tx, &ids)?;
        Ok((page, activities))
    });
    let (page, activities) = found.await?;
    let base_url = asked.base_url();
    asked.page(paging, page, |user: User| match viewer {
        Viewer::Administrator(_) => {
            let activity = activities.of(user.id);
            let whole = CurrentUser::for_administrator(&user, &activity, base_url);
            Shown::Whole(Box::new(whole))
        }
        Viewer::User(_) | Viewer::Anonymous => Shown::Short(UserSummary::new(&user, base_url)),
    })
}

async fn show(asked: By<Acquaintances, ReadUser>) -> Result<HttpResponse, Failure> {
    let id = id_of(&asked)?;
    let found = asked.read(move |tx| Ok((tx.find_user(id)?, activity_of(tx, &[id])?)));
    let (user, activities) = found.await?;
    let user = user.ok_or_else(|| ApiError::not_found("User"))?;
    let who = &asked.who().user;
    let activity = activities.seen_by(id, who.id, asked.now());
    asked.json(&Shown::to(who, &user, &activity, asked.base_url()))
}
