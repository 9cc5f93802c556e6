//! `/admin/users`: the users of the server, for administrators.

use accounts::{User, UserFilter, UserKind, UserState};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use askama::Template;
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use super::activity::{Activities, activity_of};
use super::admin_user;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{ListQuery, Pager, Tab, total};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

pub(super) const PATH: &str = "/admin/users";

/// Views of the list: name, and value of the parameter `filter`.
const VIEWS: [(&str, &str); 4] = [
    ("All", ""),
    ("Active", "active"),
    ("Blocked", "blocked"),
    ("Administrators", "admins"),
];

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("usersPage", PATH, list)]
}

struct UserListRow {
    name: DisplayName,
    username: String,
    email: String,
    /// Path of the page of the user; none for bots.
    path: Option<String>,
    is_admin: bool,
    /// State, if the user is not active.
    state: Option<&'static str>,
    created: DisplayTime,
    seen: Option<DisplayTime>,
}

#[derive(Template)]
#[template(path = "areas/users/admin_list.html")]
struct UserListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    filter: String,
    search: String,
    clear: String,
    rows: Vec<UserListRow>,
    pager: Pager,
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(&request)?;
    let (paging, filter) = (query.paging()?, filter_of(&query));
    let (users, activities) = load(&state, &visitor, filter, paging).await?;
    let (page, now) = (PageRequest::new(&request, &state, &visitor), visitor.now());
    let rows = users.items.iter();
    page.show(&UserListPage {
        shell: page.shell(SiteArea::Administration, "Users"),
        total: total(users.total, "user", "users"),
        tabs: tabs(&query),
        filter: query.text("filter").to_owned(),
        search: query.text("search").to_owned(),
        clear: query.with(&[("search", "")]),
        rows: rows
            .map(|user| UserListRow::new(user, &activities, now))
            .collect(),
        pager: Pager::new(&query, paging, &users),
    })
}

/// Loads a page of users with their activity.
async fn load(
    state: &AppState,
    visitor: &Administrator,
    filter: UserFilter,
    paging: OffsetPage,
) -> Result<(Page<User>, Activities), StoreError> {
    let found = state.database.read(visitor.lane(), move |tx| {
        let users = tx.list_users(&filter, paging)?;
        let ids: Vec<UserId> = users.items.iter().map(|user| user.id).collect();
        let activities = activity_of(tx, &ids)?;
        Ok((users, activities))
    });
    found.await
}

fn filter_of(query: &ListQuery) -> UserFilter {
    let (view, search) = (query.text("filter"), query.text("search"));
    UserFilter {
        active: view == "active",
        blocked: view == "blocked",
        admins: view == "admins",
        search: (!search.is_empty()).then(|| search.to_owned()),
        search_in_emails: true,
        ..UserFilter::default()
    }
}

fn tabs(query: &ListQuery) -> Vec<Tab> {
    let tab = |(name, value): (&'static str, &str)| Tab {
        name,
        href: query.with(&[("filter", value)]),
        count: String::new(),
        is_current: query.text("filter") == value,
    };
    VIEWS.into_iter().map(tab).collect()
}

impl UserListRow {
    fn new(user: &User, activities: &Activities, now: Timestamp) -> Self {
        let seen = activities.of(user.id).last_seen_at;
        Self {
            name: DisplayName::of(&user.name),
            username: user.username.as_str().to_owned(),
            email: user.email.clone(),
            path: (user.kind == UserKind::Human).then(|| admin_user::path_of(user)),
            is_admin: user.is_admin,
            state: (user.state != UserState::Active).then(|| user.state.as_str()),
            created: DisplayTime::at(user.created_at, now),
            seen: seen.map(|at| DisplayTime::at(at, now)),
        }
    }
}
