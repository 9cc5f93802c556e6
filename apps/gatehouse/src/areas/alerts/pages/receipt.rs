//! Page of one receipt: the delivery, and its outcome.

use actix_web::HttpResponse;
use alert_intake::flow::integrations;
use alert_intake::model::{Integration, Receipt, SenderNetwork};
use api_conventions::error::ApiError;
use api_conventions::ids::ReceiptId;
use askama::Template;

use super::endpoints::EndpointViewers;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted, grouped};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Refusal as the page shows it.
struct RefusalView {
    status: u16,
    reason: String,
    body_start: Option<String>,
    sender: &'static str,
    further: Option<String>,
}

#[derive(Template)]
#[template(path = "areas/alerts/receipt.html")]
struct ReceiptPage {
    shell: Shell,
    id: String,
    list: String,
    state: Pill,
    outcome: String,
    refusal: Option<RefusalView>,
    /// Outcomes of the alerts in a stored delivery, with the number of alerts for each.
    counts: Vec<(&'static str, String)>,
    notes: Vec<String>,
    received: DisplayTime,
    endpoint: DisplayName,
    size: String,
    user_agent: Option<String>,
    group_key: Option<String>,
    api: String,
}

/// Responds with the page of a receipt.
pub(super) async fn show(
    request: ProjectPage<EndpointViewers>,
) -> Result<HttpResponse, PageFailure> {
    let id = ReceiptId::new(request.number("receipt")?);
    let read = request.read(move |tx, found| {
        let receipt = tx.find_receipt(found.project.id, id)?;
        let receipt = receipt.ok_or_else(|| ApiError::not_found("Receipt"))?;
        Ok((receipt, integrations::list(tx, found.project.id)?))
    });
    let ((receipt, endpoints), found) = read.await?;
    request.show(&receipt_page(&request, &found, &endpoints, receipt))
}

fn receipt_page(
    request: &ProjectPage<EndpointViewers>,
    found: &ProjectContext,
    endpoints: &[Integration],
    stored: Receipt,
) -> ReceiptPage {
    let (state, outcome) = outcome(&stored);
    let endpoint = endpoint_name(endpoints, &stored);
    let (id, receipt) = (stored.id, stored.receipt);
    let refusal = receipt.refusal.map(|refusal| RefusalView {
        status: refusal.status,
        reason: refusal.reason,
        body_start: refusal.body_start,
        sender: network(refusal.sender),
        further: (refusal.further > 0).then(|| grouped(number(refusal.further))),
    });
    let kinds = [
        ("New alerts", receipt.counts.created),
        ("Counted on open alerts", receipt.counts.counted),
        ("Resolved", receipt.counts.resolved),
        ("No change", receipt.counts.repeated),
        ("Skipped", receipt.context.skipped_alerts),
        ("Omitted by the sender", receipt.context.truncated_alerts),
    ];
    let shown = kinds.into_iter().filter(|_| refusal.is_none());
    ReceiptPage {
        shell: request.shell(found, Section::Alerts, &format!("Alert receipt {id}")),
        list: format!("{}/-/alert_receipts", found.path()),
        id: id.to_string(),
        state,
        outcome,
        counts: shown
            .map(|(name, count)| (name, grouped(number(count))))
            .collect(),
        refusal,
        notes: receipt.context.notes,
        received: DisplayTime::at(receipt.received_at, request.now()),
        endpoint,
        size: counted(number(receipt.body_bytes), "byte", "bytes"),
        user_agent: receipt.context.user_agent,
        group_key: receipt.context.group_key,
        api: format!("/api/v4/projects/{}/alert_receipts/{id}", found.project.id),
    }
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

const fn network(sender: SenderNetwork) -> &'static str {
    match sender {
        SenderNetwork::Loopback => "The server itself",
        SenderNetwork::Private => "A private network",
        SenderNetwork::Public => "The internet",
        SenderNetwork::Unknown => "Unknown",
    }
}

/// Returns the path of a receipt's page, below the root of the server.
pub(super) fn path_of(found: &ProjectContext, id: ReceiptId) -> String {
    format!("{}/-/alert_receipts/{id}", found.path())
}

/// Returns the name of the endpoint that received a delivery.
pub(super) fn endpoint_name(endpoints: &[Integration], receipt: &Receipt) -> DisplayName {
    let id = receipt.receipt.integration_id;
    let endpoint = endpoints.iter().find(|endpoint| endpoint.id == id);
    DisplayName::of(endpoint.map_or("Deleted endpoint", |endpoint| &endpoint.name))
}

/// Returns the outcome of a delivery, as a word and as a line.
pub(super) fn outcome(receipt: &Receipt) -> (Pill, String) {
    let receipt = &receipt.receipt;
    if let Some(refusal) = &receipt.refusal {
        return (
            Pill::REFUSED,
            format!("{}: {}", refusal.status, refusal.reason),
        );
    }
    let parts = [
        (receipt.counts.created, "new"),
        (receipt.counts.counted, "counted"),
        (receipt.counts.resolved, "resolved"),
        (receipt.counts.repeated, "repeated"),
        (receipt.context.skipped_alerts, "skipped"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, word)| format!("{} {word}", grouped(number(count))))
        .collect();
    let outcome = if parts.is_empty() {
        "No alerts".to_owned()
    } else {
        parts.join(", ")
    };
    (Pill::STORED, outcome)
}
