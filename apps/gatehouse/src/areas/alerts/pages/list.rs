//! The list of a project's alerts.

use std::collections::{BTreeSet, HashMap};

use actix_web::HttpResponse;
use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::flow::set_status::RequestedStatus;
use alert_intake::model::{AlertFilter, AlertOrder, AlertSummary, Severity};
use api_conventions::ids::{AlertId, ProjectId, UserId};
use api_conventions::page::{Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;

use super::silences;
use crate::areas::alerts::lists::read_filter;
use crate::frame::intake_urls::IntakeUrls;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::list::{Choice, ListColumn, ListQuery, Pager, Tab, count, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Developer;

/// Views of the list: the name, and the value of the API's `status` parameter.
const VIEWS: [(&str, &str); 4] = [
    ("Open", "triggered,acknowledged"),
    ("Resolved", "resolved"),
    ("Ignored", "ignored"),
    ("All", "triggered,acknowledged,resolved,ignored"),
];

/// Parameters that narrow the list.
const NARROWING: [&str; 3] = ["search", "severity", "environment"];

/// A row of the list.
struct AlertListRow {
    iid: String,
    severity: Pill,
    status: Pill,
    /// Other states: flapping, stale.
    marks: Vec<Pill>,
    title: DisplayName,
    path: String,
    second: Vec<DisplayName>,
    occurrences: String,
    since: DisplayTime,
    changed: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/alerts/alert_list.html")]
struct AlertListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    environment: String,
    severities: Vec<Choice>,
    is_narrowed: bool,
    kept: Vec<(&'static str, String)>,
    clear: String,
    columns: [ListColumn; 4],
    rows: Vec<AlertListRow>,
    pager: Pager,
    receipts: String,
    silences: String,
    on_call: String,
    intake: String,
    is_open_view: bool,
    action: String,
}

/// Responds with the list: open alerts by default, or those that the query selects.
pub(super) async fn show(
    page: ProjectPage<RoleOrNotFound<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let mut filter = read_filter(query.params()).map_err(Failure::from)?;
    if filter.statuses.is_empty() {
        filter.statuses = statuses_of(VIEWS[0].1);
    }
    if query.text("order_by").is_empty() {
        filter.order_by = AlertOrder::Urgency;
    }
    let paging = query.paging()?;
    let now = page.now();
    let (requested, is_narrowed) = (filter.clone(), query.has_any(&NARROWING));
    let read = page.read(move |tx, found| {
        let filter = AlertFilter {
            project_id: found.project.id,
            ..requested
        };
        let alerts = tx.list_alerts(&filter, paging)?;
        let assignees = assignees(tx, &alerts.items)?;
        let silenced = silenced(tx, filter.project_id, &alerts.items, now)?;
        Ok((alerts, assignees, silenced, counts(tx, &filter)?))
    });
    let ((alerts, assignees, silenced, counts), found) = read.await?;
    let path = found.path();
    let (order_by, sort) = (word_of(filter.order_by), filter.sort);
    let column =
        |name, word| ListColumn::new(&query, name, word, SortOrder::Descending, order_by, sort);
    page.show(&AlertListPage {
        shell: page.shell(&found, Section::Alerts, "Alerts"),
        total: total(alerts.total, "alert", "alerts"),
        tabs: tabs(&query, &filter, &counts),
        search: query.text("search").to_owned(),
        environment: query.text("environment").to_owned(),
        severities: Choice::all(&Severity::NAMES, query.text("severity")),
        is_narrowed,
        kept: query.hidden_fields(&["status", "order_by", "sort"]),
        clear: query.with(&NARROWING.map(|name| (name, ""))),
        columns: [
            column("Severity", "severity"),
            column("Count", "event_count"),
            column("Started", "started_at"),
            column("Changed", "updated_at"),
        ],
        rows: rows(&alerts, &assignees, &silenced, &path, now),
        pager: Pager::new(&query, paging, &alerts),
        silences: silences::path_of(&found),
        on_call: format!("{}/-/alert_management/on_call", found.path()),
        receipts: format!("{}/-/alert_receipts", found.path()),
        intake: IntakeUrls::new(&page.state().base_url, &found.project.full_path).generic,
        is_open_view: filter.statuses == statuses_of(VIEWS[0].1),
        action: query.with(&[]),
    })
}

/// Number of alerts in each view, counted by status alone.
fn counts(tx: &mut dyn ReadTransaction, filter: &AlertFilter) -> Result<Vec<Total>, StoreError> {
    let of = |(_, words): &(&str, &str)| {
        let mut view = AlertFilter::new(filter.project_id);
        view.statuses = statuses_of(words);
        tx.count_alerts(&view)
    };
    VIEWS.iter().map(of).collect()
}

fn statuses_of(words: &str) -> Vec<i16> {
    let statuses = words.split(',').filter_map(RequestedStatus::parse);
    statuses.map(RequestedStatus::number).collect()
}

fn tabs(query: &ListQuery, filter: &AlertFilter, counts: &[Total]) -> Vec<Tab> {
    let views = VIEWS.iter().zip(counts);
    let tab = |((name, words), total): (&(&'static str, &str), &Total)| Tab {
        name,
        // The first view is the default, so its address needs no parameter.
        href: query.with(&[("status", if *words == VIEWS[0].1 { "" } else { words })]),
        count: count(*total),
        is_current: filter.statuses == statuses_of(words),
    };
    views.map(tab).collect()
}

const fn word_of(order: AlertOrder) -> &'static str {
    match order {
        AlertOrder::Created => "created_at",
        AlertOrder::StartedAt => "started_at",
        AlertOrder::UpdatedAt => "updated_at",
        AlertOrder::Severity => "severity",
        AlertOrder::Occurrences => "event_count",
        AlertOrder::Urgency => "urgency",
    }
}

/// Returns the assignees of alerts as mentions, by their ids.
fn assignees(
    tx: &mut dyn ReadTransaction,
    alerts: &[AlertSummary],
) -> Result<HashMap<UserId, String>, StoreError> {
    let ids: BTreeSet<UserId> = alerts
        .iter()
        .filter_map(|alert| alert.assignee_id)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<UserId> = ids.into_iter().collect();
    let users = tx.list_users_by_id(&ids)?;
    let mention = |user: accounts::User| (user.id, format!("@{}", user.username.as_str()));
    Ok(users.into_iter().map(mention).collect())
}

/// States of an alert besides its status.
pub(super) fn marks(alert: &AlertSummary, now: Timestamp) -> Vec<Pill> {
    let flapping = alert.is_flapping().then_some(Pill::FLAPPING);
    let stale = alert.is_stale(now).then_some(Pill::STALE);
    flapping.into_iter().chain(stale).collect()
}

/// Returns those of some open alerts of a project that a silence hides.
fn silenced(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    alerts: &[AlertSummary],
    now: Timestamp,
) -> Result<BTreeSet<AlertId>, StoreError> {
    let open = alerts.iter().filter(|alert| alert.status.is_open());
    let open: Vec<AlertId> = open.map(|alert| alert.id).collect();
    let silences = ActiveSilences::of_projects(tx, &[project], now)?;
    if silences.is_empty() || open.is_empty() {
        return Ok(BTreeSet::new());
    }
    let alerts = tx.list_alerts_with_payloads(&open)?;
    let hidden = alerts.iter().filter(|alert| silences.hides(alert));
    Ok(hidden.map(|alert| alert.summary.id).collect())
}

fn rows(
    alerts: &Page<AlertSummary>,
    assignees: &HashMap<UserId, String>,
    silenced: &BTreeSet<AlertId>,
    path: &str,
    now: Timestamp,
) -> Vec<AlertListRow> {
    let row = |alert: &AlertSummary| {
        let silenced = silenced.contains(&alert.id).then_some(Pill::SILENCED);
        let silenced = silenced.into_iter();
        let assignee = alert.assignee_id.and_then(|id| assignees.get(&id));
        let assignee = assignee.map(String::as_str).unwrap_or_default();
        let hosts = alert.hosts.join(", ");
        let environment = alert.environment_name.as_deref().unwrap_or_default();
        let parts = [
            environment,
            &alert.service,
            &hosts,
            &alert.monitoring_tool,
            assignee,
        ];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        AlertListRow {
            iid: alert.iid.to_string(),
            severity: alert.severity.into(),
            status: alert.status.into(),
            marks: silenced.chain(marks(alert, now)).collect(),
            title: DisplayName::of(&alert.title),
            path: format!("{path}/-/alert_management/{}/details", alert.iid),
            second: parts.map(DisplayName::of).collect(),
            occurrences: grouped(u64::try_from(alert.occurrences).unwrap_or_default()),
            since: DisplayTime::at(alert.started_at, now),
            changed: DisplayTime::at(alert.updated_at, now),
        }
    };
    alerts.items.iter().map(row).collect()
}
