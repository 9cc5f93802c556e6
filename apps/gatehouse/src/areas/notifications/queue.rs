//! `/admin/notifications`: the channels of all projects with messages that wait, for administrators.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::channels::{ChannelQueue, MAX_COUNTED, list_queues};
use notifications::model::DeliveryAttempt;
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use super::pages::{kind_name, state};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Largest number of channels on the page.
const MAX_SHOWN: usize = 50;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("notificationQueuesPage", "/admin/notifications", show)]
}

/// Row of a channel.
struct QueueRow {
    name: DisplayName,
    project: DisplayName,
    /// Path of the channel's page below the root.
    path: String,
    kind: &'static str,
    state: Pill,
    waiting: String,
    /// Time at which the next message was written.
    next: DisplayTime,
    /// Result of the last attempt to send the next message.
    last: Option<String>,
}

#[derive(Template)]
#[template(path = "areas/notifications/queue.html")]
struct QueuesPage {
    shell: Shell,
    rows: Vec<QueueRow>,
    shown: usize,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let now = visitor.now();
    let read = state
        .database
        .read(visitor.lane(), |tx| list_queues(tx, MAX_SHOWN));
    let queues: Result<Vec<ChannelQueue>, StoreError> = read.await;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&QueuesPage {
        shell: page.shell(SiteArea::Administration, "Messages that wait"),
        rows: queues?.iter().map(|it| QueueRow::new(it, now)).collect(),
        shown: MAX_SHOWN,
    })
}

impl QueueRow {
    fn new(queue: &ChannelQueue, now: Timestamp) -> Self {
        let (channel, project) = (&queue.channel, &queue.project);
        let full_path = project.full_path.as_str();
        let waiting = grouped(queue.waiting as u64);
        Self {
            name: DisplayName::of(&channel.settings.name),
            project: DisplayName::of(full_path),
            path: format!("/{full_path}/-/settings/notifications/{}", channel.id),
            kind: kind_name(channel.kind),
            state: state(channel),
            waiting: if queue.waiting < MAX_COUNTED {
                waiting
            } else {
                format!("{waiting} or more")
            },
            next: DisplayTime::at(queue.next.created_at, now),
            last: queue.last.as_ref().map(outcome_of),
        }
    }
}

fn outcome_of(attempt: &DeliveryAttempt) -> String {
    match attempt.status {
        Some(status) => format!("status {status}: {}", attempt.detail),
        None => attempt.detail.clone(),
    }
}
