//! `/admin/notifications`: all channels with messages that wait, for administrators.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ChannelId;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::channels::{ChannelQueue, MAX_COUNTED, list_queues};
use notifications::flow::cancel_queue;
use notifications::model::{ChannelOwner, DeliveryAttempt};
use storage::StoreError;
use web_conventions::operations::{Operation, get, post};

use super::pages::{kind_name, state};
use crate::frame::form::AdministratorForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Path of the page.
const PATH: &str = "/admin/notifications";

/// Largest number of channels on the page.
const MAX_SHOWN: usize = 50;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("notificationQueuesPage", PATH, show),
        post(
            "cancelQueueByForm",
            "/admin/notifications/{id}/cancel",
            cancel,
        ),
    ]
}

/// Row of a channel.
struct QueueRow {
    name: DisplayName,
    owner: DisplayName,
    /// Path of the channel's page below the root; `None` for a channel of a user or the server.
    path: Option<String>,
    /// Path of the action that cancels the messages.
    cancel: String,
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

/// Cancels the messages of a channel that wait. A message that is being sent continues.
async fn cancel(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let (id, now) = (ChannelId::new(id_in_path(&request)?), form.visitor.now());
    let cancelled = state.write(move |tx| cancel_queue(tx, id, now)).await;
    let cancelled: Result<bool, StoreError> = cancelled;
    if !cancelled? {
        return Err(PageFailure::not_found());
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice(PATH, Notice::QueueCancelled))
}

impl QueueRow {
    fn new(queue: &ChannelQueue, now: Timestamp) -> Self {
        let channel = &queue.channel;
        let full_path = queue
            .project
            .as_ref()
            .map(|project| project.full_path.as_str());
        let owner = match channel.owner {
            ChannelOwner::Project(_) => full_path.unwrap_or_default(),
            ChannelOwner::User(_) => "Channel of a user",
            ChannelOwner::Server => "Messages about accounts",
        };
        let waiting = grouped(queue.waiting as u64);
        Self {
            name: DisplayName::of(&channel.settings.name),
            owner: DisplayName::of(owner),
            path: full_path.map(|path| format!("/{path}/-/settings/notifications/{}", channel.id)),
            cancel: format!("/admin/notifications/{}/cancel", channel.id),
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
