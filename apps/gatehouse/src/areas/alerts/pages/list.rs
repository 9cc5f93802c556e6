//! The list of a project's alerts.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::WantedStatus;
use alert_intake::model::{AlertFilter, AlertOrder, AlertSummary, Severity};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;

use crate::areas::alerts::api::read_filter;
use crate::frame::intake_urls::IntakeUrls;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::list::{Choice, Column, Pager, Query, Tab, count, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Hidden, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Section;
use crate::frame::scopes::Developer;

/// Views of the list: the name, and the value of the API's `status` parameter.
const VIEWS: [(&str, &str); 4] = [
    ("Open", "triggered,acknowledged"),
    ("Resolved", "resolved"),
    ("Ignored", "ignored"),
    ("All", "triggered,acknowledged,resolved,ignored"),
];

/// A row of the list.
struct Row {
    severity: Pill,
    status: Pill,
    title: ShownName,
    path: String,
    second: Vec<ShownName>,
    occurrences: String,
    since: DisplayTime,
    changed: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/alerts/alert_list.html")]
struct ListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    severities: Vec<Choice>,
    is_narrowed: bool,
    kept: Vec<(&'static str, String)>,
    clear: String,
    columns: [Column; 4],
    rows: Vec<Row>,
    pager: Pager,
    receipts: String,
    intake: String,
    is_open_view: bool,
}

/// Responds with the list: open alerts by default, or those that the query selects.
pub(super) async fn show(
    page: ProjectPage<Hidden<Developer>>,
) -> Result<HttpResponse, PageFailure> {
    let query = Query::of(page.request())?;
    let mut filter = read_filter(query.params()).map_err(Failure::from)?;
    if filter.statuses.is_empty() {
        filter.statuses = statuses_of(VIEWS[0].1);
    }
    let asked = query.paging()?;
    let (sought, narrowed) = (filter.clone(), query.has_any(&["search", "severity"]));
    let read = page.read(move |tx, found| {
        let filter = AlertFilter {
            project_id: found.project.id,
            ..sought
        };
        let alerts = tx.list_alerts(&filter, asked)?;
        Ok((alerts, counts(tx, &filter)?))
    });
    let ((alerts, counts), found) = read.await?;
    let now = page.now();
    let path = found.path();
    let order = (word_of(filter.order_by), filter.sort);
    let column = |name, word| Column::new(&query, name, (word, SortOrder::Descending), order);
    page.show(&ListPage {
        shell: page.shell(&found, Section::Alerts, "Alerts"),
        total: total(alerts.total, "alert", "alerts"),
        tabs: tabs(&query, &filter, &counts),
        search: query.text("search").to_owned(),
        severities: Choice::all(&Severity::NAMES, query.text("severity")),
        is_narrowed: narrowed,
        kept: query.kept(&["status", "order_by", "sort"]),
        clear: query.with(&[("search", ""), ("severity", "")]),
        columns: [
            column("Severity", "severity"),
            column("Count", "event_count"),
            column("Started", "started_at"),
            column("Changed", "updated_at"),
        ],
        rows: rows(&alerts, &path, now),
        pager: Pager::new(&query, asked, &alerts),
        receipts: format!("{}/-/alert_receipts", found.path()),
        intake: IntakeUrls::new(&page.state().base_url, &found.project.full_path).generic,
        is_open_view: filter.statuses == statuses_of(VIEWS[0].1),
    })
}

/// Number of alerts in each view, counted by status alone.
fn counts(tx: &mut dyn ReadTransaction, filter: &AlertFilter) -> Result<Vec<Total>, StoreError> {
    let of = |(_, words): &(&str, &str)| {
        let mut view = AlertFilter::new(filter.project_id);
        view.statuses = statuses_of(words);
        Ok(tx.list_alerts(&view, OffsetPage::new(1, 1))?.total)
    };
    VIEWS.iter().map(of).collect()
}

fn statuses_of(words: &str) -> Vec<i16> {
    let statuses = words.split(',').filter_map(WantedStatus::parse);
    statuses.map(WantedStatus::number).collect()
}

fn tabs(query: &Query, filter: &AlertFilter, counts: &[Total]) -> Vec<Tab> {
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
    }
}

fn rows(alerts: &Page<AlertSummary>, path: &str, now: Timestamp) -> Vec<Row> {
    let row = |alert: &AlertSummary| {
        let hosts = alert.hosts.join(", ");
        let environment = alert.environment_name.as_deref().unwrap_or_default();
        let parts = [environment, &alert.service, &hosts, &alert.monitoring_tool];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        Row {
            severity: alert.severity.into(),
            status: alert.status.into(),
            title: ShownName::of(&alert.title),
            path: format!("{path}/-/alert_management/{}/details", alert.iid),
            second: parts.map(ShownName::of).collect(),
            occurrences: grouped(u64::try_from(alert.occurrences).unwrap_or_default()),
            since: DisplayTime::at(alert.started_at, now),
            changed: DisplayTime::at(alert.updated_at, now),
        }
    };
    alerts.items.iter().map(row).collect()
}
