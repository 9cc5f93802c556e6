//! Alert endpoints of a project.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::integrations;
use alert_intake::model::{Integration, Source};
use api_conventions::page::OffsetPage;
use askama::Template;

use super::receipt::path_of as path_of_receipt;
use crate::frame::intake_urls::endpoint_url;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::Tab;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Need, ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::settings_tabs;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Developer, Maintainer};

/// Access to the pages: Developers, who may send test alerts.
/// Changes need Maintainers.
pub(super) type EndpointViewers = RoleOrNotFound<Developer>;

/// Row of the endpoint list.
struct EndpointRow {
    name: DisplayName,
    path: String,
    takes: &'static str,
    state: Pill,
    url: String,
}

/// Latest delivery to any endpoint of the project.
struct LatestDelivery {
    at: DisplayTime,
    outcome: &'static str,
    path: String,
}

#[derive(Template)]
#[template(path = "areas/alerts/endpoint_list.html")]
struct EndpointListPage {
    shell: Shell,
    tabs: Vec<Tab>,
    rows: Vec<EndpointRow>,
    latest: Option<LatestDelivery>,
    alerts: String,
    receipts: String,
    /// Path of the page, below the root of the server.
    path: String,
    may_change: bool,
    problem: Option<String>,
}

/// Responds with the list.
pub(super) async fn show(page: ProjectPage<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    respond(&page, StatusCode::OK, None).await
}

/// Responds with the list, and the problem of a refused form.
pub(super) async fn respond<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    problem: Option<String>,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| {
        let id = found.project.id;
        let latest = tx.list_receipts(id, OffsetPage::new(1, 1))?.items;
        Ok((integrations::list(tx, id)?, latest.into_iter().next()))
    });
    let ((endpoints, latest), found) = read.await?;
    let (base, full_path) = (&page.state().base_url, &found.project.full_path);
    let row = |endpoint: &Integration| EndpointRow {
        name: DisplayName::of(&endpoint.name),
        path: path_of(&found, endpoint),
        takes: takes(endpoint.source),
        state: state(endpoint),
        url: endpoint_url(base, full_path, endpoint),
    };
    let content = EndpointListPage {
        path: format!("{}/-/settings/alert_endpoints", found.path()),
        may_change: found.allows::<Maintainer>(),
        problem,
        shell: page.shell(&found, Section::Settings, "Alert endpoints"),
        tabs: settings_tabs::tabs(&found, settings_tabs::SettingsTab::AlertEndpoints),
        rows: endpoints.iter().map(row).collect(),
        latest: latest.map(|receipt| LatestDelivery {
            at: DisplayTime::at(receipt.receipt.received_at, page.now()),
            outcome: match &receipt.receipt.refusal {
                Some(_) => "it was refused",
                None if receipt.receipt.counts.created > 0 => "it created an alert",
                None => "it created no new alert",
            },
            path: path_of_receipt(&found, receipt.id),
        }),
        alerts: format!("{}/-/alert_management", found.path()),
        receipts: format!("{}/-/alert_receipts", found.path()),
    };
    page.show_with(status, &content)
}

/// Path of an endpoint's page, below the root of the server.
pub(super) fn path_of(found: &ProjectContext, endpoint: &Integration) -> String {
    let end = &endpoint.endpoint_identifier;
    format!("{}/-/settings/alert_endpoints/{end}", found.path())
}

/// Description of the payloads that an endpoint accepts.
pub(super) const fn takes(source: Source) -> &'static str {
    match source {
        Source::Generic => "Any JSON object",
        Source::Metrics => "Alertmanager webhooks",
    }
}

/// State of an endpoint: on or off.
pub(super) const fn state(endpoint: &Integration) -> Pill {
    if endpoint.active { Pill::ON } else { Pill::OFF }
}
