//! Page of one environment: its open alerts, its errors and its deployments.

use ::pipelines::model::{Deployment, DeploymentFilter, Environment};
use actix_web::HttpResponse;
use alert_intake::model::{AlertFilter, AlertOrder, AlertStatus, AlertSummary};
use api_conventions::error::ApiError;
use api_conventions::ids::EnvironmentId;
use api_conventions::page::{OffsetPage, SortOrder};
use askama::Template;
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName, TrackedError};
use error_tracking::rules::tags::ENVIRONMENT;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::environment_dashboard::{
    DashboardRights, EnvironmentOverview, ProjectDashboard,
};
use storage::StoreError;
use url::Url;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use super::page::check_shown;
use super::rows::{DeploymentView, EnvironmentRow, alerts_of, errors_of};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::ListQuery;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Most alerts of the page.
const MAX_ALERTS: u64 = 20;
/// Most errors, and most deployments, of the page.
const MAX_OTHERS: u64 = 10;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "environmentByNamePage",
            "/{project}/-/environments/named",
            show_named,
        ),
        get(
            "environmentPage",
            "/{project}/-/environments/{environment_id}",
            show,
        ),
    ]
}

/// Alert or error of the page.
struct LinkedRow {
    pill: Pill,
    title: DisplayName,
    path: String,
    time: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/pipelines/dashboard/environment.html")]
struct EnvironmentPage {
    shell: Shell,
    list: String,
    environment: EnvironmentRow,
    external_url: Option<String>,
    /// Open alerts; `None` if the visitor may not see alerts.
    alerts: Option<Vec<LinkedRow>>,
    all_alerts: String,
    /// Unresolved errors; `None` if the visitor may not see errors.
    errors: Option<Vec<LinkedRow>>,
    all_errors: String,
    deployments: Vec<DeploymentView>,
    created: Option<DisplayTime>,
    changed: Option<DisplayTime>,
}

/// Environment with the rows of its page.
struct EnvironmentView {
    overview: EnvironmentOverview,
    alerts: Vec<AlertSummary>,
    errors: Vec<TrackedError>,
    deployments: Vec<Deployment>,
}

/// Responds with the page of a registered environment.
async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let (id, now) = (
        EnvironmentId::new(page.number("environment_id")?),
        page.now(),
    );
    let read = page.read(move |tx, found| {
        check_shown(found)?;
        let environment = tx.find_environment(found.project.id, id)?;
        let environment = environment.ok_or_else(|| ApiError::not_found("Environment"))?;
        let dashboard = dashboard_of(tx, found, now)?;
        let name = environment.name.clone();
        view(tx, found, &dashboard, name, Some(environment))
    });
    let (view, found) = read.await?;
    answer(&page, &found, &view)
}

/// Responds with the page of an environment that alerts or errors name, registered or not.
async fn show_named(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let (name, now) = (query.text("name").to_owned(), page.now());
    let read = page.read(move |tx, found| {
        check_shown(found)?;
        let environment = tx.find_environment_by_name(found.project.id, &name)?;
        let dashboard = dashboard_of(tx, found, now)?;
        let view = view(tx, found, &dashboard, name, environment)?;
        let is_known = view.overview.environment.is_some()
            || !view.alerts.is_empty()
            || !view.errors.is_empty()
            || is_in_any_alert(tx, found, &view.overview)?;
        is_known
            .then_some(view)
            .ok_or_else(|| ApiError::not_found("Environment").into())
    });
    let (view, found) = read.await?;
    answer(&page, &found, &view)
}

fn dashboard_of(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    now: api_conventions::time::Timestamp,
) -> Result<ProjectDashboard, StoreError> {
    let rights = DashboardRights::of(found.access);
    ProjectDashboard::load(tx, found.project.id, rights, now)
}

/// True if an alert of any status that the visitor may see names the environment.
fn is_in_any_alert(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    overview: &EnvironmentOverview,
) -> Result<bool, StoreError> {
    let filter = AlertFilter {
        environment: Some(overview.name.clone()),
        ..AlertFilter::new(found.project.id)
    };
    Ok(overview.alerts.is_some()
        && !tx
            .list_alerts(&filter, OffsetPage::new(1, 1))?
            .items
            .is_empty())
}

fn view(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    dashboard: &ProjectDashboard,
    name: String,
    environment: Option<Environment>,
) -> Result<EnvironmentView, Failure> {
    let project = found.project.id;
    let id = environment.as_ref().map(|environment| environment.id);
    let overview = dashboard.describe(tx, name, environment)?;
    let overview = overview.ok_or_else(|| ApiError::not_found("Environment"))?;
    let mut alerts = Vec::new();
    if overview.alerts.is_some() {
        let filter = AlertFilter {
            environment: Some(overview.name.clone()),
            statuses: [AlertStatus::Triggered, AlertStatus::Acknowledged]
                .map(AlertStatus::number)
                .to_vec(),
            order_by: AlertOrder::Severity,
            ..AlertFilter::new(project)
        };
        alerts = tx
            .list_alerts(&filter, OffsetPage::new(1, MAX_ALERTS))?
            .items;
    }
    let mut errors = Vec::new();
    if overview.new_errors.is_some() {
        let filter = ErrorFilter {
            status: Some(StatusName::Unresolved),
            tags: vec![(ENVIRONMENT.to_owned(), overview.name.clone())],
            order_by: ErrorOrder::FirstSeen,
            ..ErrorFilter::new(project)
        };
        errors = tx
            .list_errors(&filter, OffsetPage::new(1, MAX_OTHERS))?
            .items;
    }
    let mut deployments = Vec::new();
    if id.is_some() {
        let filter = DeploymentFilter {
            environment_id: id,
            sort: SortOrder::Descending,
            ..DeploymentFilter::new(project)
        };
        let latest = tx.list_deployments(&filter, OffsetPage::new(1, MAX_OTHERS))?;
        deployments = latest.items;
    }
    Ok(EnvironmentView {
        overview,
        alerts,
        errors,
        deployments,
    })
}

fn answer(
    page: &ProjectPage<CanView>,
    found: &ProjectContext,
    view: &EnvironmentView,
) -> Result<HttpResponse, PageFailure> {
    let (now, path) = (page.now(), found.path());
    let overview = &view.overview;
    let environment = EnvironmentRow::new(overview, &path, now);
    let registered = overview.environment.as_ref();
    let alert = |alert: &AlertSummary| LinkedRow {
        pill: alert.severity.into(),
        title: DisplayName::of(&alert.title),
        path: format!("{path}/-/alert_management/{}/details", alert.iid),
        time: DisplayTime::at(alert.started_at, now),
    };
    let error = |error: &TrackedError| LinkedRow {
        pill: error.facts.level.into(),
        title: DisplayName::of(&error.facts.title),
        path: format!("{path}/-/error_tracking/{}/details", error.iid),
        time: DisplayTime::at(error.first_seen, now),
    };
    let deployments = view.deployments.iter();
    page.show(&EnvironmentPage {
        shell: page.shell(found, Section::Environments, &environment.name.isolated()),
        list: format!("{path}/-/environments"),
        external_url: registered
            .and_then(|environment| environment.external_url.clone())
            .filter(|url| {
                Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
            }),
        alerts: (overview.alerts.is_some()).then(|| view.alerts.iter().map(alert).collect()),
        all_alerts: alerts_of(&overview.name, "", &path),
        errors: (overview.new_errors.is_some()).then(|| view.errors.iter().map(error).collect()),
        all_errors: errors_of(&overview.name, &path),
        deployments: deployments
            .map(|deployment| DeploymentView::new(deployment, now))
            .collect(),
        created: registered.map(|environment| DisplayTime::at(environment.created_at, now)),
        changed: registered.map(|environment| DisplayTime::at(environment.updated_at, now)),
        environment,
    })
}
