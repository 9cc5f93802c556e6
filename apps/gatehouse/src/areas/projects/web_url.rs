//! The addresses that the API gives as `web_url`: of projects, groups, users, alerts and milestones.
//!
//! Their pages are still to come. Until then each leads to the closest thing that there is: a project and what is in it to
//! their JSON, which a signed-in browser may read, users and groups to one's own page. They are looked up last, when no
//! other path matches, so that no project can stand in the way of a page.

use accounts::Username;
use actix_web::HttpRequest;
use actix_web::http::Method;
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertIid, MilestoneIid};
use api_conventions::page::OffsetPage;
use api_conventions::reference::{FullPath, ProjectRef, is_slug};
use api_conventions::time::Timestamp;
use projects::flow::find_visible::find_visible_project;
use projects::{Milestone, MilestoneFilter, Viewer};
use storage::StoreError;

use crate::frame::page::failure::prefers_page;
use crate::frame::return_to::sign_in_then;
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use gatehouse_core::database::ReadTransaction;

/// First segments of paths that are the server's own, even where a user or group has such a name.
const OURS: [&str; 5] = ["-", "api", "assets", "oauth", "users"];

/// What an address may be of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Thing {
    Group,
    User(Username),
    Project(ProjectRef),
    Alert(ProjectRef, AlertIid),
    Milestone(ProjectRef, MilestoneIid),
}

impl Thing {
    fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        if let Some((project, rest)) = path.split_once("/-/alert_management/") {
            let iid = rest.strip_suffix("/details")?.parse().ok()?;
            return Some(Self::Alert(project_at(project)?, AlertIid::new(iid)));
        }
        if let Some((project, iid)) = path.split_once("/-/milestones/") {
            let iid = MilestoneIid::new(iid.parse().ok()?);
            return Some(Self::Milestone(project_at(project)?, iid));
        }
        if let Some(group) = path.strip_prefix("groups/") {
            return group.split('/').all(is_slug).then_some(Self::Group);
        }
        match Username::parse(path) {
            Ok(name) => Some(Self::User(name)),
            Err(_) => project_at(path).map(Self::Project),
        }
    }
}

/// The project at a path; `None` where no project can be.
fn project_at(path: &str) -> Option<ProjectRef> {
    let (first, _) = path.split_once('/')?;
    let can_be = path.split('/').all(is_slug) && !OURS.contains(&first);
    can_be.then(|| FullPath::parse(path).map(ProjectRef::Path))?
}

/// Where the address of a request leads, if it is a `web_url` of something that the visitor may see. A browser in which
/// nobody is signed in is led to where one signs in, whether or not there is such a thing.
///
/// # Errors
/// Failures of the store.
pub async fn closest(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Option<String>, StoreError> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let Some(thing) = Thing::parse(request.path()).filter(|_| is_read) else {
        return Ok(None);
    };
    let visitor = Visitor::of(request, state).await?;
    let (viewer, now) = (viewer(&visitor), state.now());
    let sought = thing.clone();
    let found: Result<_, StoreError> = state
        .database
        .read(visitor.lane(), move |tx| page_of(tx, &sought, viewer, now))
        .await;
    let is_elsewhere = !matches!(thing, Thing::User(_)) && viewer == Viewer::Anonymous;
    let sign_in = (is_elsewhere && prefers_page(request)).then(|| sign_in_then(request.path()));
    Ok(found?.or(sign_in))
}

fn viewer(visitor: &Visitor) -> Viewer {
    match visitor.user() {
        None => Viewer::Anonymous,
        Some(user) if user.is_admin => Viewer::Administrator(user.id),
        Some(user) => Viewer::User(user.id),
    }
}

/// The path that is closest to a thing, if the viewer may know of the thing.
fn page_of(
    tx: &mut dyn ReadTransaction,
    thing: &Thing,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let own_page = || viewer.user_id().map(|_| "/".to_owned());
    match thing {
        // Whether there is such a group is told to nobody yet.
        Thing::Group => Ok(own_page()),
        Thing::User(name) => {
            let user = tx.find_user_by_username(name.as_str())?;
            Ok(user.and_then(|_| own_page()))
        }
        Thing::Project(reference) => {
            let found = find_visible_project(tx, reference, viewer, now)?;
            Ok(found.map(|(project, _)| format!("/api/v4/projects/{}", project.id)))
        }
        Thing::Alert(reference, iid) => {
            let found = find_visible_project(tx, reference, viewer, now)?;
            let permitted = found.filter(|(_, access)| access.allows(AccessLevel::Developer));
            let Some((project, _)) = permitted else {
                return Ok(None);
            };
            let alert = tx.find_alert(project.id, *iid)?;
            let path = format!(
                "/api/v4/projects/{}/alert_management_alerts/{iid}",
                project.id
            );
            Ok(alert.map(|_| path))
        }
        Thing::Milestone(reference, iid) => {
            let found = find_visible_project(tx, reference, viewer, now)?;
            let Some((project, _)) = found else {
                return Ok(None);
            };
            let filter = MilestoneFilter {
                iids: vec![*iid],
                ..MilestoneFilter::default()
            };
            let found = Milestone::list(tx, project.id, &filter, OffsetPage::new(1, 1))?;
            let path = format!("/api/v4/projects/{}/milestones", project.id);
            Ok(found.items.first().map(|one| format!("{path}/{}", one.id)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_what_it_is_of() {
        let project = |path| FullPath::parse(path).map(ProjectRef::Path).unwrap();
        let user = |name| Thing::User(Username::parse(name).unwrap());
        for (path, thing) in [
            ("/ann", Some(user("ann"))),
            ("/groups/shop", Some(Thing::Group)),
            ("/groups/shop/team/", Some(Thing::Group)),
            ("/shop/web", Some(Thing::Project(project("shop/web")))),
            ("/a/b/c.d", Some(Thing::Project(project("a/b/c.d")))),
            (
                "/shop/web/-/alert_management/7/details",
                Some(Thing::Alert(project("shop/web"), AlertIid::new(7))),
            ),
            ("/shop/web/-/alert_management/x/details", None),
            ("/shop/web/-/alert_management/7", None),
            (
                "/shop/web/-/milestones/7",
                Some(Thing::Milestone(project("shop/web"), MilestoneIid::new(7))),
            ),
            ("/shop/web/-/issues", None),
            ("/api/v4/nothing", None),
            ("/assets/app.css", None),
            ("/a//b", None),
            ("/nowhere/%3Cb%3E", None),
            ("/", None),
        ] {
            assert_eq!(Thing::parse(path), thing, "{path}");
        }
    }
}
