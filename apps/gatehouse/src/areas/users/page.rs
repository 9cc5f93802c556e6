//! Page of a user: their profile and the projects in their own namespace.
//! Of a private profile, others see the name only.

use accounts::{Availability, User, UserKind, UserState, UserStatus, Username};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::reference::{FullPath, NamespaceRef};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::account::sees_profile;
use gatehouse_core::flows::contributions::count_contributions_by_day;
use projects::flow::groups::find_visible_group;
use projects::{Project, ProjectFilter, ProjectOrder, Viewer};
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use super::contribution_grid::{ContributionGrid, first_day};
use super::{admin_user, token_page};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::list::{ListQuery, Pager, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Shell, SiteArea, initial};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("userPage", "/{user}", show)]
}

/// Project of the user.
struct UserProjectRow {
    name: DisplayName,
    path: String,
    description: String,
    visibility: Pill,
    last_activity: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/users/user.html")]
struct UserPage {
    shell: Shell,
    initial: String,
    name: DisplayName,
    username: String,
    is_bot: bool,
    is_blocked: bool,
    id: String,
    since: DisplayTime,
    /// Status that the user shows.
    status: Option<ShownStatus>,
    grid: ContributionGrid,
    total: String,
    search: String,
    clear: String,
    rows: Vec<UserProjectRow>,
    pager: Pager,
    is_self: bool,
    /// Path of the page of the user's tokens, for administrators.
    tokens: Option<String>,
    /// Path of the page that manages the user, for administrators.
    administration: Option<String>,
}

/// Status of a user, as the page shows it.
struct ShownStatus {
    emoji: String,
    message: DisplayName,
    is_busy: bool,
}

/// Page of a private profile for other users.
#[derive(Template)]
#[template(path = "areas/users/user_private.html")]
struct PrivateUserPage {
    shell: Shell,
    initial: String,
    name: DisplayName,
    username: String,
}

/// User or group with a name at the root of the server.
enum NamedOwner {
    /// User with their profile; without one if it is private.
    User(Box<(User, Option<UserProfile>)>),
    /// Path of a group's page.
    Group(String),
}

/// Profile of a user: their projects, status and contributions.
struct UserProfile {
    projects: Page<Project>,
    status: Option<UserStatus>,
    grid: ContributionGrid,
}

/// Parameters of the page.
struct UserPageQuery {
    name: String,
    search: Option<String>,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

impl UserPageQuery {
    fn of(name: &Username, query: &ListQuery, visitor: &Visitor) -> Result<Self, PageFailure> {
        let search = query.text("search");
        Ok(Self {
            name: name.as_str().to_owned(),
            search: (!search.is_empty()).then(|| search.to_owned()),
            page: query.paging()?,
            viewer: visitor.viewer(),
            now: visitor.now(),
        })
    }
}

/// Responds with the page of a user, to signed-in visitors, or redirects to the page of a group.
/// Any other name at the root of the server is not found, so names cannot be probed here.
async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let unseen = || PageFailure::not_found_by(&request);
    let name = request.match_info().get("user").unwrap_or_default();
    let name = Username::parse(name).map_err(|_| unseen())?;
    let query = ListQuery::of(&request)?;
    let page_query = UserPageQuery::of(&name, &query, &visitor)?;
    let paging = page_query.page;
    let work = move |tx: &mut (dyn ReadTransaction + '_)| find(tx, &page_query);
    let found: Result<_, StoreError> = state.database.read(visitor.lane(), work).await;
    match found?.ok_or_else(unseen)? {
        NamedOwner::Group(path) => Ok(see_other(&path).finish()),
        NamedOwner::User(found) => {
            let page = PageRequest::new(&request, &state, &visitor);
            let (user, profile) = *found;
            let Some(profile) = profile else {
                return page.show(&PrivateUserPage::new(&page, &user));
            };
            page.show(&UserPage::new(&page, &query, &user, profile, paging))
        }
    }
}

/// Finds the user with a name, for signed-in visitors, or else the group with that name, if the visitor may see it.
fn find(
    tx: &mut dyn ReadTransaction,
    query: &UserPageQuery,
) -> Result<Option<NamedOwner>, StoreError> {
    let is_member = query.viewer.user_id().is_some();
    let user = if is_member {
        tx.find_user_by_username(&query.name)?
    } else {
        None
    };
    let Some(user) = user else {
        let Some(path) = FullPath::parse(&query.name) else {
            return Ok(None);
        };
        let named = NamespaceRef::Path(path);
        let group = find_visible_group(tx, &named, query.viewer, query.now)?;
        let path = |(group, _): (projects::Group, _)| path_of_group(group.full_path.as_str());
        return Ok(group.map(path).map(NamedOwner::Group));
    };
    if !sees_profile(query.viewer, &user) {
        return Ok(Some(NamedOwner::User(Box::new((user, None)))));
    }
    let mut filter = ProjectFilter::new(query.viewer);
    filter.owner = Some(user.id);
    filter.search.clone_from(&query.search);
    filter.order_by = ProjectOrder::LastActivityAt;
    let projects = tx.list_projects(&filter, query.now.date(), query.page)?;
    let status = tx.find_user_status(user.id)?;
    let status = status.filter(|status| !status.is_cleared(query.now));
    let (viewer, now, today) = (query.viewer, query.now, query.now.date());
    let days = count_contributions_by_day(tx, &user, viewer, first_day(today), now)?;
    let grid = ContributionGrid::new(&days, today);
    let profile = UserProfile {
        projects,
        status,
        grid,
    };
    Ok(Some(NamedOwner::User(Box::new((user, Some(profile))))))
}

/// Title of a user's page.
fn title_of(user: &User) -> String {
    let name = DisplayName::of(&user.name);
    format!("{} (@{})", name.isolated(), user.username.as_str())
}

impl PrivateUserPage {
    fn new(page: &PageRequest<'_>, user: &User) -> Self {
        Self {
            shell: page.shell(SiteArea::User, title_of(user)),
            initial: initial(&user.name),
            name: DisplayName::of(&user.name),
            username: user.username.as_str().to_owned(),
        }
    }
}

impl UserPage {
    fn new(
        page: &PageRequest<'_>,
        query: &ListQuery,
        user: &User,
        profile: UserProfile,
        paging: OffsetPage,
    ) -> Self {
        let now = page.visitor.now();
        let UserProfile {
            projects,
            status,
            grid,
        } = profile;
        let (name, username) = (DisplayName::of(&user.name), user.username.as_str());
        let query = query.with_path(&format!("/{username}"));
        let rows = projects.items.iter();
        let is_admin = page.visitor.user().is_some_and(|own| own.is_admin);
        Self {
            shell: page.shell(SiteArea::User, title_of(user)),
            initial: initial(&user.name),
            username: username.to_owned(),
            is_bot: user.kind != UserKind::Human,
            is_blocked: user.state != UserState::Active,
            id: user.id.to_string(),
            since: DisplayTime::at(user.created_at, now),
            status: status.as_ref().map(ShownStatus::new),
            grid,
            total: total(projects.total, "project", "projects"),
            search: query.text("search").to_owned(),
            clear: query.with(&[("search", "")]),
            rows: rows
                .map(|project| UserProjectRow::new(project, now))
                .collect(),
            pager: Pager::new(&query, paging, &projects),
            is_self: page.visitor.user().is_some_and(|own| own.id == user.id),
            tokens: is_admin.then(|| token_page::path_of(user)).flatten(),
            administration: (is_admin && user.kind == UserKind::Human)
                .then(|| admin_user::path_of(user)),
            name,
        }
    }
}

impl ShownStatus {
    fn new(status: &UserStatus) -> Self {
        Self {
            emoji: status.emoji.clone(),
            message: DisplayName::of(&status.message),
            is_busy: status.availability == Availability::Busy,
        }
    }
}

impl UserProjectRow {
    fn new(project: &Project, now: Timestamp) -> Self {
        Self {
            name: DisplayName::of(&project.name),
            path: format!("/{}", project.full_path.as_str()),
            description: project.description.chars().take(200).collect(),
            visibility: project.visibility.into(),
            last_activity: DisplayTime::at(project.last_activity_at, now),
        }
    }
}
