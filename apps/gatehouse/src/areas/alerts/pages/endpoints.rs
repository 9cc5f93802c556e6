//! Alert endpoints of a project.

use actix_web::HttpResponse;
use alert_intake::model::{Integration, Source};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

use super::receipt::path_of as path_of_receipt;
use crate::frame::intake_urls::IntakeUrls;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::Tab;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::settings_tabs;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Developer;

/// Access to the pages: Developers, who may send test alerts.
/// Changes need Maintainers.
pub(super) type EndpointViewers = RoleOrNotFound<Developer>;

/// The identifiers of the endpoints that every project has.
const IDENTIFIERS: [&str; 2] = [
    Integration::GENERIC_IDENTIFIER,
    Integration::METRICS_IDENTIFIER,
];

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
}

/// Responds with the list.
pub(super) async fn show(page: ProjectPage<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| {
        let id = found.project.id;
        let latest = tx.list_receipts(id, OffsetPage::new(1, 1))?.items;
        Ok((all(tx, id)?, latest.into_iter().next()))
    });
    let ((endpoints, latest), found) = read.await?;
    let urls = IntakeUrls::new(&page.state().base_url, &found.project.full_path);
    let row = |endpoint: &Integration| EndpointRow {
        name: DisplayName::of(&endpoint.name),
        path: path_of(&found, endpoint),
        takes: takes(endpoint.source),
        state: state(endpoint),
        url: url(&urls, endpoint.source).to_owned(),
    };
    page.show(&EndpointListPage {
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
    })
}

/// Returns the endpoints of a project.
pub(super) fn all(
    tx: &mut dyn ReadTransaction,
    id: ProjectId,
) -> Result<Vec<Integration>, StoreError> {
    let found = IDENTIFIERS.map(|identifier| tx.find_integration(id, identifier).transpose());
    found.into_iter().flatten().collect()
}

/// Identifier of the endpoint in the path.
///
/// # Errors
/// 404 if there is no such endpoint.
pub(super) fn parse_identifier(text: &str) -> Result<&'static str, ApiError> {
    let found = IDENTIFIERS.into_iter().find(|known| *known == text);
    found.ok_or_else(|| ApiError::not_found("Alert endpoint"))
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

/// URL at which an endpoint receives alerts.
pub(super) fn url(urls: &IntakeUrls, source: Source) -> &str {
    match source {
        Source::Generic => &urls.generic,
        Source::Metrics => &urls.metrics,
    }
}
