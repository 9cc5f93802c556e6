//! `/`: the work that waits for the visitor, and recent activity in the visitor's projects.

mod attention;
mod expiring_tokens;
mod lists;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::{ProjectFilter, ProjectOrder, Viewer};
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use self::attention::{Block, assigned_issues, firing_alerts, new_errors};
use self::expiring_tokens::{ExpiringToken, expiring_tokens};
use super::batches::ActivityScope;
use super::user_activity::list_latest_activity;
use crate::frame::page::activity::{ActivityContext, ActivityLine};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::project_directory::ProjectDirectory;
use crate::frame::return_to::SIGN_IN;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Projects listed beside the blocks: those with the most recent activity.
const MAX_PROJECTS: u64 = 8;

/// Most rows of a block. Each block links to a list with more.
const MAX_ROWS: usize = 6;

/// Most entries of the feed.
const MAX_LINES: usize = 12;

/// Project of the visitor.
struct OwnProject {
    name: DisplayName,
    path: String,
    last_activity: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/events/home/home.html")]
struct HomePage {
    shell: Shell,
    blocks: Vec<Block>,
    projects: Vec<OwnProject>,
    lines: Vec<ActivityLine>,
    expiring: Vec<ExpiringToken>,
}

/// Data of the page.
struct HomeData {
    blocks: Vec<Block>,
    projects: Vec<OwnProject>,
    lines: Vec<ActivityLine>,
    expiring: Vec<ExpiringToken>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [vec![get("home", "/", show)], lists::operations()].concat()
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let (viewer, now) = (visitor.viewer(), visitor.now());
    let Some(user) = viewer.user_id() else {
        return Ok(see_other(SIGN_IN).finish());
    };
    let page = PageRequest::new(&request, &state, &visitor);
    let work = move |tx: &mut (dyn ReadTransaction + '_)| read(tx, user, viewer, now);
    let data: Result<HomeData, StoreError> = state.database.read(visitor.lane(), work).await;
    let data = data?;
    page.show(&HomePage {
        shell: page.shell(SiteArea::Home, "Home"),
        blocks: data.blocks,
        projects: data.projects,
        lines: data.lines,
        expiring: data.expiring,
    })
}

fn read(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    viewer: Viewer,
    now: Timestamp,
) -> Result<HomeData, StoreError> {
    let mut blocks = vec![
        firing_alerts(tx, user, now, MAX_ROWS)?,
        new_errors(tx, user, now, MAX_ROWS)?,
        assigned_issues(tx, user, viewer, now, MAX_ROWS)?,
    ];
    blocks.retain(Block::needs_somebody);
    Ok(HomeData {
        blocks,
        projects: recent_projects(tx, viewer, now)?,
        lines: recent_lines(tx, user, viewer, now)?,
        expiring: expiring_tokens(tx, user, now)?,
    })
}

/// Lists the projects of the visitor, those with the latest activity first.
fn recent_projects(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Vec<OwnProject>, StoreError> {
    let mut filter = ProjectFilter::new(viewer);
    filter.min_access_level = Some(AccessLevel::Guest);
    filter.order_by = ProjectOrder::LastActivityAt;
    let page = OffsetPage::new(1, MAX_PROJECTS);
    let projects = tx.list_projects(&filter, now.date(), page)?.items;
    let names = full_names(tx, &projects)?;
    let own = projects.iter().map(|project| OwnProject {
        name: DisplayName::of(&names.of_project(project)),
        path: format!("/{}", project.full_path.as_str()),
        last_activity: DisplayTime::at(project.last_activity_at, now),
    });
    Ok(own.collect())
}

/// Lists the latest entries of the feed of the visitor's projects.
fn recent_lines(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Vec<ActivityLine>, StoreError> {
    let scope = ActivityScope::ProjectsOf(user);
    let events = list_latest_activity(tx, scope, viewer, now, MAX_LINES)?;
    let places = ProjectDirectory::of(tx, events.iter().map(|event| event.project_id))?;
    let context = ActivityContext::of(tx, &events)?;
    let shown = events.iter().filter_map(|event| {
        let (name, path) = places.get(event.project_id)?;
        Some(ActivityLine {
            project: Some((name.clone(), format!("/{path}"))),
            ..context.line(event, path, now)
        })
    });
    Ok(shown.collect())
}

impl HomePage {
    /// True if nothing waits for the visitor.
    fn is_calm(&self) -> bool {
        self.blocks.is_empty() && self.expiring.is_empty()
    }
}
