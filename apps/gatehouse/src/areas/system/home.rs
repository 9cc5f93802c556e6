//! `/`: alerts and activity in the visitor's projects, and access tokens that expire soon.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::set_status::RequestedStatus;
use alert_intake::model::AlertFilter;
use api_conventions::access::AccessLevel;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use events::{Audience, EventFilter, FeedEvent};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::git_access::may_fetch;
use projects::flow::full_names::full_names;
use projects::rules::features::Feature;
use projects::{Project, ProjectAccess, ProjectFilter, ProjectOrder, Viewer};
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use super::expiring_tokens::{ExpiringToken, expiring_tokens};
use crate::frame::page::activity::{ActivityContext, ActivityLine};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::count;
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::SIGN_IN;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Projects that the page covers: those with the most recent activity.
/// This bounds the work; the list of projects has the rest.
const MAX_PROJECTS: u64 = 8;

/// Most open alerts, and most feed entries, of one project.
const MAX_PER_PROJECT: u64 = 5;

/// Most feed entries of all projects together.
const MAX_LINES: usize = 12;

/// Open alert.
struct HomeAlert {
    severity: Pill,
    title: DisplayName,
    path: String,
    project: DisplayName,
    since: DisplayTime,
}

/// Project of the visitor.
struct OwnProject {
    name: DisplayName,
    path: String,
    /// Number of open alerts; empty if the visitor may not see alerts.
    open: String,
    last_activity: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/system/home.html")]
struct HomePage {
    shell: Shell,
    alerts: Vec<HomeAlert>,
    projects: Vec<OwnProject>,
    lines: Vec<ActivityLine>,
    expiring: Vec<ExpiringToken>,
}

/// Data of the page.
#[derive(Default)]
struct HomeData {
    alerts: Vec<(Timestamp, HomeAlert)>,
    projects: Vec<OwnProject>,
    events: Vec<(FeedEvent, String, DisplayName)>,
    lines: Vec<ActivityLine>,
    expiring: Vec<ExpiringToken>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("home", "/", show)]
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    if visitor.signed_in().is_none() {
        return Ok(see_other(SIGN_IN).finish());
    }
    let page = PageRequest::new(&request, &state, &visitor);
    let (viewer, now) = (visitor.viewer(), visitor.now());
    let work = move |tx: &mut (dyn ReadTransaction + '_)| read(tx, viewer, now);
    let data: Result<HomeData, StoreError> = state.database.read(visitor.lane(), work).await;
    let mut data = data?;
    data.alerts
        .sort_by_key(|(since, _)| std::cmp::Reverse(*since));
    page.show(&HomePage {
        shell: page.shell(SiteArea::Home, "Home"),
        alerts: data.alerts.into_iter().map(|(_, alert)| alert).collect(),
        projects: data.projects,
        lines: data.lines,
        expiring: data.expiring,
    })
}

fn read(
    tx: &mut dyn ReadTransaction,
    viewer: Viewer,
    now: Timestamp,
) -> Result<HomeData, StoreError> {
    let mut filter = ProjectFilter::new(viewer);
    filter.min_access_level = Some(AccessLevel::Guest);
    filter.order_by = ProjectOrder::LastActivityAt;
    let projects = tx
        .list_projects(&filter, now.date(), OffsetPage::new(1, MAX_PROJECTS))?
        .items;
    let names = full_names(tx, &projects)?;
    let mut data = HomeData::default();
    if let Some(user) = viewer.user_id() {
        data.expiring = expiring_tokens(tx, user, now)?;
    }
    for project in &projects {
        let name = DisplayName::of(&names.of_project(project));
        add_project(tx, &mut data, project, name, viewer, now)?;
    }
    data.events
        .sort_by_key(|(event, ..)| std::cmp::Reverse(event.id));
    data.events.truncate(MAX_LINES);
    let context = ActivityContext::of(tx, data.events.iter().map(|(event, ..)| event))?;
    let line = |(event, path, name): (FeedEvent, String, DisplayName)| ActivityLine {
        project: Some((name, format!("/{path}"))),
        ..context.line(&event, &path, now)
    };
    data.lines = std::mem::take(&mut data.events)
        .into_iter()
        .map(line)
        .collect();
    Ok(data)
}

/// Adds the alerts and feed entries of a project that the viewer may see.
fn add_project(
    tx: &mut dyn ReadTransaction,
    data: &mut HomeData,
    project: &Project,
    name: DisplayName,
    viewer: Viewer,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(user) = viewer.user_id() else {
        return Ok(());
    };
    let membership = tx.find_membership(user, project.id, now.date())?;
    let access = ProjectAccess::decide(viewer, membership, project.visibility);
    let is_developer = access.is_some_and(|access| access.allows(AccessLevel::Developer));
    let path = project.full_path.as_str();
    let open = if is_developer {
        add_alerts(tx, data, project, &name, now)?
    } else {
        String::new()
    };
    let audience = if is_developer {
        Audience::Developers
    } else {
        Audience::Everyone
    };
    let shows_snippets = |access| Feature::Snippets.is_read_by(&project.settings, access);
    let filter = EventFilter {
        hides_pushes: !access.is_some_and(|access| may_fetch(project, access)),
        hides_snippets: !access.is_some_and(shows_snippets),
        ..EventFilter::new(project.id, audience)
    };
    let events = tx
        .list_project_events(&filter, OffsetPage::new(1, MAX_PER_PROJECT))?
        .items;
    let entry = |event| (event, path.to_owned(), DisplayName::of(&project.name));
    data.events.extend(events.into_iter().map(entry));
    data.projects.push(OwnProject {
        name,
        path: format!("/{path}"),
        open,
        last_activity: DisplayTime::at(project.last_activity_at, now),
    });
    Ok(())
}

/// Adds the latest open alerts of a project, and returns their total number.
fn add_alerts(
    tx: &mut dyn ReadTransaction,
    data: &mut HomeData,
    project: &Project,
    name: &DisplayName,
    now: Timestamp,
) -> Result<String, StoreError> {
    let mut filter = AlertFilter::new(project.id);
    let open = [RequestedStatus::Triggered, RequestedStatus::Acknowledged];
    filter.statuses = open.map(RequestedStatus::number).to_vec();
    let page = tx.list_alerts(&filter, OffsetPage::new(1, MAX_PER_PROJECT))?;
    for alert in page.items {
        let path = project.full_path.as_str();
        let shown = HomeAlert {
            severity: alert.severity.into(),
            title: DisplayName::of(&alert.title),
            path: format!("/{path}/-/alert_management/{}/details", alert.iid),
            project: name.clone(),
            since: DisplayTime::at(alert.started_at, now),
        };
        data.alerts.push((alert.created_at, shown));
    }
    Ok(count(page.total))
}
