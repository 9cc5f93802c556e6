//! Open alerts of all projects of the visitor, and of a group.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::model::{AlertSummary, OpenStatus, Severity};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::open_alerts::{AlertScope, OpenAlertPage};
use storage::StoreError;
use web_conventions::failure::Failure;

use super::list::marks;
use crate::areas::alerts::open_alerts::OpenAlertQuery;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::group::GroupPage;
use crate::frame::page::list::{Choice, ListQuery, Pager, Tab};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::CanView;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::page::side::Section;
use crate::frame::project_directory::ProjectDirectory;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

/// Views of the list: the name, and the value of the parameter `status`.
const VIEWS: [(&str, &str); 3] = [
    ("Open", ""),
    ("Triggered", OpenStatus::NAMES[0]),
    ("Acknowledged", OpenStatus::NAMES[1]),
];

/// Row of the list.
struct OpenAlertRow {
    severity: Pill,
    status: Pill,
    /// Other states: flapping, stale.
    marks: Vec<Pill>,
    title: DisplayName,
    path: String,
    project: DisplayName,
    project_path: String,
    environment: Option<DisplayName>,
    occurrences: String,
    since: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/alerts/open_alerts.html")]
struct OpenAlertsPage {
    shell: Shell,
    /// Projects of the list, as the end of a sentence.
    of: &'static str,
    tabs: Vec<Tab>,
    severities: Vec<Choice>,
    is_narrowed: bool,
    kept: Vec<(&'static str, String)>,
    clear: String,
    rows: Vec<OpenAlertRow>,
    pager: Pager,
}

impl OpenAlertsPage {
    fn new(
        shell: Shell,
        of: &'static str,
        query: &ListQuery,
        found: (OpenAlertPage, ProjectDirectory),
        now: Timestamp,
    ) -> Self {
        let (page, projects) = found;
        let next = page.next.map(|position| position.to_string());
        let mut pager = Pager::by_cursors(query, None, next.as_deref());
        let is_first = query.text("cursor").is_empty();
        pager.previous = (!is_first).then(|| query.with(&[]));
        let status = query.text("status");
        let tabs = VIEWS.map(|(name, word)| Tab {
            name,
            href: query.with(&[("status", word)]),
            count: String::new(),
            is_current: status == word,
        });
        let rows = page.alerts.iter();
        Self {
            shell,
            of,
            tabs: tabs.into(),
            severities: Choice::all(&Severity::NAMES, query.text("severity")),
            is_narrowed: query.has_any(&["severity"]),
            kept: query.hidden_fields(&["status"]),
            clear: query.with(&[("severity", "")]),
            rows: rows
                .filter_map(|alert| OpenAlertRow::new(alert, &projects, now))
                .collect(),
            pager,
        }
    }
}

impl OpenAlertRow {
    fn new(alert: &AlertSummary, projects: &ProjectDirectory, now: Timestamp) -> Option<Self> {
        let (project, path) = projects.get(alert.project_id)?;
        Some(Self {
            severity: alert.severity.into(),
            status: alert.status.into(),
            marks: marks(alert, now),
            title: DisplayName::of(&alert.title),
            path: format!("/{path}/-/alert_management/{}/details", alert.iid),
            project: project.clone(),
            project_path: format!("/{path}/-/alert_management"),
            environment: alert.environment_name.as_deref().map(DisplayName::of),
            occurrences: grouped(u64::try_from(alert.occurrences).unwrap_or_default()),
            since: DisplayTime::at(alert.started_at, now),
        })
    }
}

/// Responds with the open alerts of the projects of the visitor.
pub(super) async fn show_own(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let query = ListQuery::of(&request)?;
    let requested = OpenAlertQuery::read(query.params()).map_err(Failure::from)?;
    let now = visitor.now();
    let user = visitor.viewer().user_id();
    let user = user.ok_or_else(PageFailure::not_found)?;
    let scope = AlertScope::User(user);
    let read = state.database.read(visitor.lane(), move |tx| {
        requested.list(tx, scope, now.date())
    });
    let found: Result<_, StoreError> = read.await;
    let shell = page.shell(SiteArea::Alerts, "Open alerts");
    page.show(&OpenAlertsPage::new(
        shell,
        "in your projects",
        &query,
        found?,
        now,
    ))
}

/// Responds with the open alerts of the projects of a group in which the visitor may read alerts.
pub(super) async fn show_of_group(page: GroupPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let requested = OpenAlertQuery::read(query.params()).map_err(Failure::from)?;
    let (viewer, now) = (page.viewer().user_id(), page.now());
    let read = page.read(move |tx, found| {
        let scope = AlertScope::Group {
            id: found.group.id,
            access: found.access,
            viewer,
        };
        Ok(requested.list(tx, scope, now.date())?)
    });
    let (found, group) = read.await?;
    page.show(&OpenAlertsPage::new(
        page.shell(&group, Section::GroupAlerts, "Open alerts"),
        "in the projects of this group that you can see",
        &query,
        found,
        now,
    ))
}
