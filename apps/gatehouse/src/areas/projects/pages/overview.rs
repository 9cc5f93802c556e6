//! Overview page of a project: open alerts, recent activity, and the alert endpoint.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::RequestedStatus;
use alert_intake::model::{AlertFilter, AlertSummary, Integration};
use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::time::Timestamp;
use askama::Template;
use events::EventFilter;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::feed_rights::feed_rights;
use projects::{MemberFilter, MemberScope, MemberSource, NamespaceKind};
use storage::StoreError;

use crate::frame::intake_urls::IntakeUrls;
use crate::frame::page::activity::{ActivityContext, ActivityLine};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::count;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage, group_names};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Developer, Guest, Maintainer};

/// Maximum number of rows in each part of the page.
const ROWS: u64 = 8;

/// An open alert.
struct OpenAlert {
    severity: Pill,
    title: DisplayName,
    path: String,
    since: DisplayTime,
}

/// Alerts, visible to Developers.
struct Alerts {
    count: String,
    open: Vec<OpenAlert>,
    urls: Option<IntakeUrls>,
}

#[derive(Template)]
#[template(path = "areas/projects/overview.html")]
struct OverviewPage {
    shell: Shell,
    groups: DisplayName,
    /// Label of the namespace: "Group" or "Owner".
    namespace_kind: &'static str,
    namespace_path: String,
    name: DisplayName,
    visibility: Pill,
    description: String,
    path: String,
    id: String,
    full_path: String,
    created: DisplayTime,
    last_activity: DisplayTime,
    alerts: Option<Alerts>,
    lines: Vec<ActivityLine>,
    topics: Vec<DisplayName>,
    is_archived: bool,
    /// Number of members; empty for visitors who are not members.
    members: String,
    may_set_up: bool,
    may_write: bool,
}

/// Data of the page.
struct OverviewData {
    alerts: Option<(Page<AlertSummary>, bool)>,
    lines: Vec<ActivityLine>,
    members: Option<Total>,
}

/// Answers with the page of a project.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let (data, found) = page
        .read(move |tx, found| Ok(load(tx, found, now)?))
        .await?;
    let project = &found.project;
    let path = found.path();
    let urls = IntakeUrls::new(&page.state().base_url, &project.full_path);
    let alerts = data.alerts.map(|(open, takes_alerts)| Alerts {
        count: count(open.total),
        open: open
            .items
            .iter()
            .map(|alert| OpenAlert::new(alert, &path, now))
            .collect(),
        urls: takes_alerts.then_some(urls),
    });
    page.show(&OverviewPage {
        shell: page.shell(&found, Section::Overview, "Overview"),
        groups: DisplayName::of(&group_names(&found)),
        namespace_kind: match project.namespace.kind {
            NamespaceKind::Group => "Group",
            NamespaceKind::User => "Owner",
        },
        namespace_path: found.namespace_path(),
        name: DisplayName::of(&project.name),
        visibility: project.visibility.into(),
        description: project.description.clone(),
        id: project.id.to_string(),
        full_path: project.full_path.as_str().to_owned(),
        created: DisplayTime::at(project.created_at, now),
        last_activity: DisplayTime::at(project.last_activity_at, now),
        alerts,
        lines: data.lines,
        topics: project
            .topics
            .iter()
            .map(|topic| DisplayName::of(topic))
            .collect(),
        is_archived: project.archived,
        members: data.members.map(count).unwrap_or_default(),
        may_set_up: found.allows::<Maintainer>(),
        may_write: page.viewer().user_id().is_some() && !project.archived,
        path,
    })
}

fn load(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    now: Timestamp,
) -> Result<OverviewData, StoreError> {
    let id = found.project.id;
    let is_developer = found.allows::<Developer>();
    let alerts = is_developer.then(|| open_alerts(tx, id)).transpose()?;
    let filter = EventFilter::new(id, feed_rights(&found.project, found.access));
    let events = tx
        .list_project_events(&filter, OffsetPage::new(1, ROWS))?
        .items;
    let known = ActivityContext::of(tx, &events)?;
    let place = found.project.full_path.as_str();
    let line = |event| known.line(event, place, now);
    let is_member = found.allows::<Guest>();
    let members = is_member.then(|| members(tx, id, now)).transpose()?;
    Ok(OverviewData {
        alerts,
        members,
        lines: events.iter().map(line).collect(),
    })
}

/// Counts the members of the project, direct and inherited.
fn members(
    tx: &mut dyn ReadTransaction,
    id: ProjectId,
    now: Timestamp,
) -> Result<Total, StoreError> {
    let (place, filter) = (MemberSource::Project(id), MemberFilter::default());
    let one = OffsetPage::new(1, 1);
    let found = tx.list_members(place, MemberScope::All, &filter, now.date(), one)?;
    Ok(found.total)
}

/// Returns the latest open alerts, and true if the project's alert endpoint is active.
fn open_alerts(
    tx: &mut dyn ReadTransaction,
    id: ProjectId,
) -> Result<(Page<AlertSummary>, bool), StoreError> {
    let mut filter = AlertFilter::new(id);
    filter.statuses = OPEN.map(RequestedStatus::number).to_vec();
    let open = tx.list_alerts(&filter, OffsetPage::new(1, ROWS))?;
    let endpoint = tx.find_integration(id, Integration::GENERIC_IDENTIFIER)?;
    Ok((open, endpoint.is_some_and(|endpoint| endpoint.active)))
}

/// Statuses of open alerts.
const OPEN: [RequestedStatus; 2] = [RequestedStatus::Triggered, RequestedStatus::Acknowledged];

impl OpenAlert {
    fn new(alert: &AlertSummary, project: &str, now: Timestamp) -> Self {
        Self {
            severity: alert.severity.into(),
            title: DisplayName::of(&alert.title),
            path: format!("{project}/-/alert_management/{}/details", alert.iid),
            since: DisplayTime::at(alert.started_at, now),
        }
    }
}
