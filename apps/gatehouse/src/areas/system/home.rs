//! `/`: alerts and activity in the visitor's projects.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::set_status::WantedStatus;
use alert_intake::model::AlertFilter;
use api_conventions::access::AccessLevel;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use events::{Audience, Event, EventFilter};
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::{Project, ProjectAccess, ProjectFilter, ProjectOrder, Viewer};
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use crate::frame::page::activity::{Known, Line};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::count;
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::return_to::SIGN_IN;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Projects that the page covers: those with the most recent activity.
/// This bounds the work; the list of projects has the rest.
const PROJECTS: u64 = 8;

/// Most open alerts, and most feed entries, of one project.
const EACH: u64 = 5;

/// Most feed entries of all projects together.
const LINES: usize = 12;

/// Open alert.
struct OpenAlert {
    severity: Pill,
    title: ShownName,
    path: String,
    project: ShownName,
    since: DisplayTime,
}

/// Project of the visitor.
struct Mine {
    name: ShownName,
    path: String,
    /// Number of open alerts; empty if the visitor may not see alerts.
    open: String,
    last_activity: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/system/home.html")]
struct HomePage {
    shell: Shell,
    alerts: Vec<OpenAlert>,
    projects: Vec<Mine>,
    lines: Vec<Line>,
}

/// Data of the page.
#[derive(Default)]
struct Read {
    alerts: Vec<(Timestamp, OpenAlert)>,
    projects: Vec<Mine>,
    events: Vec<(Event, String, ShownName)>,
    lines: Vec<Line>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("home", "/", lead)]
}

async fn lead(
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
    let read: Result<Read, StoreError> = state.database.read(visitor.lane(), work).await;
    let mut read = read?;
    read.alerts
        .sort_by_key(|(since, _)| std::cmp::Reverse(*since));
    page.show(&HomePage {
        shell: page.shell(Place::Home, "Home"),
        alerts: read.alerts.into_iter().map(|(_, alert)| alert).collect(),
        projects: read.projects,
        lines: read.lines,
    })
}

fn read(tx: &mut dyn ReadTransaction, viewer: Viewer, now: Timestamp) -> Result<Read, StoreError> {
    let mut filter = ProjectFilter::new(viewer);
    filter.min_access_level = Some(AccessLevel::Guest);
    filter.order_by = ProjectOrder::LastActivityAt;
    let projects = tx
        .list_projects(&filter, now.date(), OffsetPage::new(1, PROJECTS))?
        .items;
    let names = full_names(tx, &projects)?;
    let mut read = Read::default();
    for project in &projects {
        let name = ShownName::of(&names.of_project(project));
        add_project(tx, &mut read, (project, name), (viewer, now))?;
    }
    read.events
        .sort_by_key(|(event, ..)| std::cmp::Reverse(event.id));
    read.events.truncate(LINES);
    let known = Known::of(tx, read.events.iter().map(|(event, ..)| event))?;
    let line = |(event, path, name): (Event, String, ShownName)| Line {
        project: Some((name, format!("/{path}"))),
        ..known.line(&event, &path, now)
    };
    read.lines = std::mem::take(&mut read.events)
        .into_iter()
        .map(line)
        .collect();
    Ok(read)
}

/// Adds the alerts and feed entries of a project that the viewer may see.
fn add_project(
    tx: &mut dyn ReadTransaction,
    read: &mut Read,
    (project, name): (&Project, ShownName),
    (viewer, now): (Viewer, Timestamp),
) -> Result<(), StoreError> {
    let Some(user) = viewer.user_id() else {
        return Ok(());
    };
    let membership = tx.find_membership(user, project.id, now.date())?;
    let access = ProjectAccess::decide(viewer, membership, project.visibility);
    let is_developer = access.is_some_and(|access| access.allows(AccessLevel::Developer));
    let path = project.full_path.as_str();
    let open = if is_developer {
        add_alerts(tx, read, (project, &name), now)?
    } else {
        String::new()
    };
    let audience = if is_developer {
        Audience::Developers
    } else {
        Audience::Everyone
    };
    let filter = EventFilter::new(project.id, audience);
    let events = tx
        .list_project_events(&filter, OffsetPage::new(1, EACH))?
        .items;
    let entry = |event| (event, path.to_owned(), ShownName::of(&project.name));
    read.events.extend(events.into_iter().map(entry));
    read.projects.push(Mine {
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
    read: &mut Read,
    (project, name): (&Project, &ShownName),
    now: Timestamp,
) -> Result<String, StoreError> {
    let mut filter = AlertFilter::new(project.id);
    let open = [WantedStatus::Triggered, WantedStatus::Acknowledged];
    filter.statuses = open.map(WantedStatus::number).to_vec();
    let page = tx.list_alerts(&filter, OffsetPage::new(1, EACH))?;
    for alert in page.items {
        let path = project.full_path.as_str();
        let shown = OpenAlert {
            severity: alert.severity.into(),
            title: ShownName::of(&alert.title),
            path: format!("/{path}/-/alert_management/{}/details", alert.iid),
            project: name.clone(),
            since: DisplayTime::at(alert.started_at, now),
        };
        read.alerts.push((alert.created_at, shown));
    }
    Ok(count(page.total))
}
