//! Delivery of the outbox: each channel that is due gets the messages that wait, one after the other.
//!
//! Channels do not wait for each other: a receiver that hangs holds up its own messages only.

use std::sync::Arc;

use alert_intake::model::AlertSummary;
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::{Clock, Timestamp};
use notifications::flow::{MessageDelivery, claim, finish, skip};
use notifications::formats::{Place, PlaceProject};
use notifications::model::{
    AttemptOutcome, AttemptReport, ChannelKind, ChannelOwner, DueChannel, MessageContent,
    MessageEvent, MessageSeverity, MessageState, MessageSubjectKind, OutboxMessage,
};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::{Instrument as _, Span, field};
use url::Url;

use crate::database::{Database, ReadTransaction, WriteTransaction};
use crate::flows::account_mail::{OutgoingMail, find_account_path, open_path};
use crate::flows::channels::open_secret;
use crate::flows::due_messages::{find_end, needs_reminder};
use crate::flows::hand_over::{address_channel, hand_over};
use crate::jobs::{BackgroundJob, BackgroundJobs};
use crate::notifying::MessageSenders;
use crate::vault::Vault;

/// Largest number of channels that are served at the same time.
const LANES: usize = 16;
/// Largest number of channels that one look finds.
const AT_ONCE: usize = 100;

/// Counters that follow the sending of messages.
pub trait SendingObserver: Send + Sync {
    /// Records an attempt to send a message over a channel of this kind.
    fn attempted(&self, kind: ChannelKind, outcome: AttemptOutcome);

    /// Records the time since which the message that waits longest is due; `None` if none is due.
    fn delayed_since(&self, due_at: Option<Timestamp>);
}

/// Parts of the server that send messages.
#[derive(Clone)]
pub struct MessageService {
    /// Database with the outbox.
    pub database: Arc<Database>,
    /// Clock.
    pub clock: Arc<dyn Clock>,
    /// Vault with the secrets of channels.
    pub vault: Arc<Vault>,
    /// Senders of the kinds of channels.
    pub senders: Arc<MessageSenders>,
    /// Counters of the server.
    pub observer: Arc<dyn SendingObserver>,
    /// URL at which people reach the server, without a trailing slash.
    pub base_url: String,
}

impl std::fmt::Debug for MessageService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageService").finish_non_exhaustive()
    }
}

/// Sends messages, until the task is dropped.
pub async fn send_messages(jobs: BackgroundJobs, service: MessageService) {
    let free = Arc::new(Semaphore::new(LANES));
    let mut lanes = JoinSet::new();
    let run = async |now| {
        while lanes.try_join_next().is_some() {}
        let room = free.available_permits().min(AT_ONCE);
        if room == 0 {
            return Ok(());
        }
        let due = service
            .database
            .read(Lane::Shared, move |tx| tx.list_due_channels(now, room));
        let due: Result<Vec<DueChannel>, StoreError> = due.await;
        let due = due?;
        let oldest = due.iter().map(|channel| channel.due_at).min();
        service.observer.delayed_since(oldest);
        for channel in due {
            let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
                break;
            };
            let service = service.clone();
            lanes.spawn(async move {
                let _permit = permit;
                service.serve(channel).await;
            });
        }
        Ok::<_, StoreError>(())
    };
    jobs.repeat(BackgroundJob::SendMessages, run).await;
}

impl MessageService {
    /// Sends the messages of a channel until none is due, and logs a failure of the store. What was under way then is sent
    /// again later.
    async fn serve(&self, due: DueChannel) {
        if let Err(error) = self.send_all(due).await {
            tracing::warn!(error = %error, channel.id = due.id.get(), "cannot record a sent message; retrying");
        }
    }

    /// Sends the messages of a channel until none is due.
    ///
    /// # Errors
    /// Failures of the store.
    async fn send_all(&self, due: DueChannel) -> Result<(), StoreError> {
        let now = self.clock.now();
        let claimed = self.database.write(move |tx| claim(tx, due, now));
        let mut next: Option<MessageDelivery> = claimed.await?;
        while let Some(delivery) = next {
            let delivery = Arc::new(delivery);
            if delivery.channel.kind == ChannelKind::OnCall {
                next = self.hand_over(delivery).await?;
                continue;
            }
            let span = traced(&delivery);
            let report = self.send(&delivery).instrument(span.clone()).await?;
            let now = self.clock.now();
            let kind = delivery.channel.kind;
            let report = match report {
                Ok(report) => report,
                Err(state) => {
                    let skipped = self
                        .database
                        .write(move |tx| skip(tx, &delivery, state, now));
                    next = skipped.await?;
                    continue;
                }
            };
            record(&span, &report);
            self.observer.attempted(kind, report.outcome);
            let finished = self.database.write(move |tx| {
                let message = &delivery.message;
                let open = |tx: &mut _| needs_reminder(tx, message, now);
                finish(tx, &delivery, report.clone(), open, now)
            });
            next = finished.await?;
        }
        Ok(())
    }

    /// Hands a message over to the channels of the person on call, and returns the next message.
    async fn hand_over(
        &self,
        delivery: Arc<MessageDelivery>,
    ) -> Result<Option<MessageDelivery>, StoreError> {
        let now = self.clock.now();
        let mail = OutgoingMail::of(self.senders.has_mail());
        let handed_over = self.database.write(move |tx| {
            let find_end = |tx: &mut (dyn WriteTransaction + '_)| {
                find_end(tx, &delivery.message, &delivery.channel, now)
            };
            hand_over(tx, &delivery, mail, find_end, now)
        });
        handed_over.await
    }

    /// Sends one message, and returns what became of it, or the state of a message that is of no use any more.
    async fn send(
        &self,
        delivery: &Arc<MessageDelivery>,
    ) -> Result<Result<AttemptReport, MessageState>, StoreError> {
        let is_mail = delivery.channel.owner == ChannelOwner::Server;
        if is_mail && delivery.message.event.is_for_user() && !self.senders.has_mail() {
            return Ok(Err(MessageState::NoMail));
        }
        let (described, base_url) = (Arc::clone(delivery), self.base_url.clone());
        let now = self.clock.now();
        let described = self.database.read(Lane::Shared, move |tx| {
            describe(tx, &described, &base_url, now)
        });
        let described: Result<Described, StoreError> = described.await;
        let (delivery, mut place) = match described? {
            Ok(described) => described,
            Err(state) => return Ok(Err(state)),
        };
        if let Some(sealed) = &delivery.message.content.sealed_path {
            let Some(path) = open_path(&self.vault, sealed) else {
                let text = "the link of the message was stored under another key";
                return Ok(Ok(failed(AttemptOutcome::Rejected, text)));
            };
            place.url = format!("{}{}", self.base_url, path.as_str());
        }
        let (senders, vault) = (Arc::clone(&self.senders), Arc::clone(&self.vault));
        let now = self.clock.now();
        let sent = tokio::task::spawn_blocking(move || {
            let secret = open_secret(&vault, &delivery.channel);
            if secret.is_none() && delivery.channel.secret.is_some() {
                let text = "the secret of the channel was stored under another key; enter it again";
                return failed(AttemptOutcome::Rejected, text);
            }
            let secret = secret.as_ref().map(|secret| secret.as_str());
            senders.send(&delivery, &place, secret, now)
        });
        let sent = sent.await;
        Ok(Ok(sent.unwrap_or_else(|_| {
            failed(AttemptOutcome::Failed, "the sender failed")
        })))
    }
}

/// Starts the span of an attempt to send a message.
fn traced(delivery: &MessageDelivery) -> Span {
    let (message, channel) = (&delivery.message, &delivery.channel);
    tracing::trace_span!(
        target: "traces",
        "message",
        otel.name = %format_args!("send {}", channel.kind.as_str()),
        otel.kind = "client",
        otel.status_code = field::Empty,
        channel.id = channel.id.get(),
        message.id = message.id.get(),
        message.event = message.event.as_str(),
        message.attempt = message.attempts,
        http.response.status_code = field::Empty,
    )
}

/// Adds the outcome of an attempt to its span.
fn record(span: &Span, report: &AttemptReport) {
    if report.outcome != AttemptOutcome::Delivered {
        span.record("otel.status_code", "ERROR");
    }
    if let Some(status) = report.status {
        span.record("http.response.status_code", status);
    }
}

fn failed(outcome: AttemptOutcome, detail: &str) -> AttemptReport {
    AttemptReport {
        outcome,
        status: None,
        detail: detail.to_owned(),
        retry_after: None,
        millis: 0,
    }
}

/// A delivery with what is known of its subject, and the place of the message, or the state of one that is of no use any more.
type Described = Result<(MessageDelivery, Place), MessageState>;

/// Adds what is known of the subject now to the content of a message.
fn describe<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    delivery: &MessageDelivery,
    base_url: &str,
    now: Timestamp,
) -> Result<Described, StoreError> {
    let mut delivery = delivery.clone();
    if address_channel(tx, &mut delivery.channel)?.is_none() {
        return Ok(Err(MessageState::Obsolete));
    }
    let message = &mut delivery.message;
    // A message that waits is cancelled when its reason ends. One that was under way then, and failed, is not.
    if let Some(state) = find_end(tx, message, &delivery.channel, now)? {
        return Ok(Err(state));
    }
    let mut place = Place {
        project: None,
        host: host_of(base_url),
        url: base_url.to_owned(),
    };
    if message.event.is_about_account() {
        let Some(path) = find_account_path(tx, message, now)? else {
            return Ok(Err(MessageState::Obsolete));
        };
        place.url.push_str(&path);
        return Ok(Ok((delivery, place)));
    }
    let Some(id) = message.subject_project() else {
        return Ok(Ok((delivery, place)));
    };
    let Some(project) = tx.find_project(&ProjectRef::Id(id))? else {
        return Ok(Err(MessageState::Obsolete));
    };
    let path = project.full_path.as_str();
    let project_url = format!("{base_url}/{path}");
    place.url = url_of(message, &project_url);
    let is_alert = message.subject.kind == MessageSubjectKind::Alert;
    if is_alert || message.event == MessageEvent::AlertAssigned {
        complete(tx, id, &mut message.content)?;
    }
    place.project = Some(PlaceProject {
        id: project.id.get(),
        name: format!("{} / {}", project.namespace.name, project.name),
        path: path.to_owned(),
        url: project_url,
    });
    Ok(Ok((delivery, place)))
}

/// Returns the URL of the page of a message's subject.
fn url_of(message: &OutboxMessage, project_url: &str) -> String {
    match (message.subject.kind, message.content.iid) {
        (MessageSubjectKind::Incident | MessageSubjectKind::Issue, Some(iid)) => {
            let note = message.content.note_id;
            let anchor = note.map_or_else(String::new, |id| format!("#note_{id}"));
            format!("{project_url}/-/issues/{iid}{anchor}")
        }
        (MessageSubjectKind::Alert | MessageSubjectKind::AlertOfUser, Some(iid)) => {
            format!("{project_url}/-/alert_management/{iid}/details")
        }
        (MessageSubjectKind::Error, Some(iid)) => {
            format!("{project_url}/-/error_tracking/{iid}/details")
        }
        _ if message.event == MessageEvent::AlertsOpened => {
            format!("{project_url}/-/alert_management")
        }
        _ if message.event == MessageEvent::ErrorsCreated => {
            format!("{project_url}/-/error_tracking")
        }
        _ => project_url.to_owned(),
    }
}

/// Returns host and port of a URL, as people know the server.
fn host_of(base_url: &str) -> String {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(
            url.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        )
    });
    host.unwrap_or_else(|| base_url.to_owned())
}

/// Adds what the outbox does not store to the content of a message about an alert, if the alert still exists.
fn complete<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    content: &mut MessageContent,
) -> Result<(), StoreError> {
    let Some(iid) = content.iid else {
        return Ok(());
    };
    let Some(alert) = tx.find_alert(project, AlertIid::new(iid))? else {
        return Ok(());
    };
    let AlertSummary {
        description,
        severity,
        service,
        environment_name,
        started_at,
        status,
        ..
    } = alert.summary;
    content.severity = MessageSeverity::from_number(severity.number());
    content.description = description;
    content.service = service;
    content.environment = environment_name;
    content.started_at = Some(started_at);
    content.ended_at = status.ended_at();
    *content = std::mem::take(content).shortened();
    Ok(())
}
