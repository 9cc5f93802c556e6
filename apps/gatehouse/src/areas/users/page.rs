//! Page of a user: their profile and the projects in their own namespace.
//! Of a private profile, others see the name only.

use accounts::{User, UserKind, UserState, Username};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::reference::{FullPath, NamespaceRef};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::account::sees_profile;
use projects::flow::groups::find_visible_group;
use projects::{Project, ProjectFilter, ProjectOrder, Viewer};
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::list::{Pager, Query, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Place, Shell, initial};
use crate::frame::page::shown_name::ShownName;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("userPage", "/{user}", show)]
}

/// Project of the user.
struct Row {
    name: ShownName,
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
    name: ShownName,
    username: String,
    is_bot: bool,
    is_blocked: bool,
    id: String,
    since: DisplayTime,
    total: String,
    search: String,
    clear: String,
    rows: Vec<Row>,
    pager: Pager,
    is_self: bool,
}

/// Page of a private profile for other users.
#[derive(Template)]
#[template(path = "areas/users/user_private.html")]
struct PrivateUserPage {
    shell: Shell,
    initial: String,
    name: ShownName,
    username: String,
}

/// User or group with a name at the root of the server.
enum Found {
    /// User with their projects; without projects if the profile is private.
    User(Box<(User, Option<Page<Project>>)>),
    /// Path of a group's page.
    Group(String),
}

/// Parameters of the page.
struct Asked {
    name: String,
    search: Option<String>,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

impl Asked {
    fn of(name: &Username, query: &Query, visitor: &Visitor) -> Result<Self, PageFailure> {
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
    let query = Query::of(&request)?;
    let asked = Asked::of(&name, &query, &visitor)?;
    let paging = asked.page;
    let work = move |tx: &mut (dyn ReadTransaction + '_)| find(tx, &asked);
    let found: Result<_, StoreError> = state.database.read(visitor.lane(), work).await;
    match found?.ok_or_else(unseen)? {
        Found::Group(path) => Ok(see_other(&path).finish()),
        Found::User(found) => {
            let page = PageRequest::new(&request, &state, &visitor);
            let (user, projects) = *found;
            let Some(projects) = projects else {
                return page.show(&PrivateUserPage::new(&page, &user));
            };
            page.show(&UserPage::new(&page, &query, &user, &projects, paging))
        }
    }
}

/// Finds the user with a name, for signed-in visitors, or else the group with that name, if the visitor may see it.
fn find(tx: &mut dyn ReadTransaction, asked: &Asked) -> Result<Option<Found>, StoreError> {
    let is_member = asked.viewer.user_id().is_some();
    let user = if is_member {
        tx.find_user_by_username(&asked.name)?
    } else {
        None
    };
    let Some(user) = user else {
        let Some(path) = FullPath::parse(&asked.name) else {
            return Ok(None);
        };
        let named = NamespaceRef::Path(path);
        let group = find_visible_group(tx, &named, asked.viewer, asked.now)?;
        let path = |(group, _): (projects::Group, _)| path_of_group(group.full_path.as_str());
        return Ok(group.map(path).map(Found::Group));
    };
    if !sees_profile(asked.viewer, &user) {
        return Ok(Some(Found::User(Box::new((user, None)))));
    }
    let mut filter = ProjectFilter::new(asked.viewer);
    filter.owner = Some(user.id);
    filter.search.clone_from(&asked.search);
    filter.order_by = ProjectOrder::LastActivityAt;
    let projects = tx.list_projects(&filter, asked.now.date(), asked.page)?;
    Ok(Some(Found::User(Box::new((user, Some(projects))))))
}

/// Title of a user's page.
fn title_of(user: &User) -> String {
    let name = ShownName::of(&user.name);
    format!("{} (@{})", name.isolated(), user.username.as_str())
}

impl PrivateUserPage {
    fn new(page: &PageRequest<'_>, user: &User) -> Self {
        Self {
            shell: page.shell(Place::User, title_of(user)),
            initial: initial(&user.name),
            name: ShownName::of(&user.name),
            username: user.username.as_str().to_owned(),
        }
    }
}

impl UserPage {
    fn new(
        page: &PageRequest<'_>,
        query: &Query,
        user: &User,
        projects: &Page<Project>,
        paging: OffsetPage,
    ) -> Self {
        let now = page.visitor.now();
        let (name, username) = (ShownName::of(&user.name), user.username.as_str());
        let query = query.moved(&format!("/{username}"));
        let rows = projects.items.iter();
        Self {
            shell: page.shell(Place::User, title_of(user)),
            initial: initial(&user.name),
            username: username.to_owned(),
            is_bot: user.kind != UserKind::Human,
            is_blocked: user.state != UserState::Active,
            id: user.id.to_string(),
            since: DisplayTime::at(user.created_at, now),
            total: total(projects.total, "project", "projects"),
            search: query.text("search").to_owned(),
            clear: query.with(&[("search", "")]),
            rows: rows.map(|project| Row::new(project, now)).collect(),
            pager: Pager::new(&query, paging, projects),
            is_self: page.visitor.user().is_some_and(|own| own.id == user.id),
            name,
        }
    }
}

impl Row {
    fn new(project: &Project, now: Timestamp) -> Self {
        Self {
            name: ShownName::of(&project.name),
            path: format!("/{}", project.full_path.as_str()),
            description: project.description.chars().take(200).collect(),
            visibility: project.visibility.into(),
            last_activity: DisplayTime::at(project.last_activity_at, now),
        }
    }
}
