//! List of deliveries that the alert endpoints of a project received.

use actix_web::HttpResponse;
use alert_intake::flow::integrations;
use alert_intake::model::{Integration, Receipt};
use api_conventions::ids::ReceiptId;
use api_conventions::page::{KeysetPage, SortOrder};
use askama::Template;
use web_conventions::failure::Failure;

use super::endpoints::EndpointViewers;
use super::receipt::{endpoint_name, outcome, path_of};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted};
use crate::frame::page::list::{ListQuery, Pager};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

const ROWS_PER_PAGE: u16 = 20;
/// Query parameter: continues the list with receipts older than this one.
const BEFORE: &str = "before";
/// Query parameter: ends the list with the receipts just newer than this one.
const AFTER: &str = "after";

/// Row of the list.
struct ReceiptRow {
    path: String,
    received: DisplayTime,
    endpoint: DisplayName,
    size: String,
    state: Pill,
    outcome: DisplayName,
}

#[derive(Template)]
#[template(path = "areas/alerts/receipt_list.html")]
struct ReceiptListPage {
    shell: Shell,
    rows: Vec<ReceiptRow>,
    pager: Pager,
    alerts: String,
    endpoints: String,
    is_first_page: bool,
    newest: String,
}

/// Responds with the list.
pub(super) async fn show(
    request: ProjectPage<EndpointViewers>,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(request.request())?;
    let cursor = ReceiptCursor::of(&query)?;
    let read = request.read(move |tx, found| {
        let project = found.project.id;
        let page = KeysetPage::new(ROWS_PER_PAGE, cursor.sort);
        let mut receipts = tx.list_receipts_after(project, cursor.beyond, page)?;
        if cursor.sort == SortOrder::Ascending {
            receipts.items.reverse();
        }
        Ok((receipts, integrations::list(tx, project)?))
    });
    let ((receipts, endpoints), found) = read.await?;
    let pager = cursor.pager(&query, &receipts.items, receipts.has_next);
    let now = request.now();
    let row = |receipt: &Receipt| row(&found, &endpoints, receipt, now);
    request.show(&ReceiptListPage {
        shell: request.shell(&found, Section::Alerts, "Alert receipts"),
        rows: receipts.items.iter().map(row).collect(),
        pager,
        alerts: format!("{}/-/alert_management", found.path()),
        endpoints: format!("{}/-/settings/alert_endpoints", found.path()),
        is_first_page: cursor.beyond.is_none(),
        newest: format!("{}/-/alert_receipts", found.path()),
    })
}

fn row(
    found: &ProjectContext,
    endpoints: &[Integration],
    receipt: &Receipt,
    now: api_conventions::time::Timestamp,
) -> ReceiptRow {
    let (state, outcome) = outcome(receipt);
    let bytes = u64::try_from(receipt.receipt.body_bytes).unwrap_or_default();
    ReceiptRow {
        path: path_of(found, receipt.id),
        received: DisplayTime::at(receipt.receipt.received_at, now),
        endpoint: endpoint_name(endpoints, receipt),
        size: counted(bytes, "byte", "bytes"),
        state,
        outcome: DisplayName::of(&outcome),
    }
}

/// Position of a page in the list.
#[derive(Debug, Clone, Copy)]
struct ReceiptCursor {
    beyond: Option<ReceiptId>,
    sort: SortOrder,
}

impl ReceiptCursor {
    /// Parses the cursor from the query.
    fn of(query: &ListQuery) -> Result<Self, PageFailure> {
        let mut read = query.params().reader();
        let before = read.integer_within(BEFORE, 1..=i64::MAX);
        let after = read.integer_within(AFTER, 1..=i64::MAX);
        read.finish().map_err(Failure::from)?;
        let sort = match (before, after) {
            (None, Some(_)) => SortOrder::Ascending,
            _ => SortOrder::Descending,
        };
        Ok(Self {
            beyond: before.or(after).map(ReceiptId::new),
            sort,
        })
    }

    /// Links to the neighbouring pages.
    /// Rows are newest first; a page opened through a cursor has more rows on the side of the cursor.
    fn pager(self, query: &ListQuery, rows: &[Receipt], has_more: bool) -> Pager {
        let (has_newer, has_older) = match self.sort {
            SortOrder::Descending => (self.beyond.is_some(), has_more),
            SortOrder::Ascending => (has_more, true),
        };
        let at = |name: &str, other: &str, row: Option<&Receipt>| {
            let id = row?.id.to_string();
            Some(query.with(&[(name, &id), (other, "")]))
        };
        Pager {
            shown: String::new(),
            previous: at(AFTER, BEFORE, rows.first()).filter(|_| has_newer),
            next: at(BEFORE, AFTER, rows.last()).filter(|_| has_older),
            is_part: false,
        }
    }
}
