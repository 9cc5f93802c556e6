//! A message of the outbox as an entity.

use ::notifications::model::{
    HookBody, MessageContent, MessageEvent, MessageFilter, MessageScope, MessageSeverity,
    MessageSubject, MessageSubjectKind, NewMessage, OutboxMessage,
};
use ::notifications::store::NotificationQueries;
use api_conventions::ids::{ChannelId, MessageId, NoteId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use serde_json::json;
use storage::StoreError;

use super::{alert, error, incident, insert_channels, message};
use crate::areas::Notifications;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// Content of which everything is given, and every text is hostile.
fn full(severity: MessageSeverity) -> MessageContent {
    MessageContent {
        title: HOSTILE.repeat(9),
        iid: Some(i64::MAX),
        severity: Some(severity),
        description: HOSTILE.repeat(99),
        service: HOSTILE.to_owned(),
        environment: Some(HOSTILE.to_owned()),
        started_at: Some(Timestamp::MIN),
        ended_at: Some(Timestamp::MAX),
        count: Some(u32::MAX),
        sealed_path: Some(HOSTILE.to_owned()),
        hook: Some(HookBody::new(
            json!({ HOSTILE: [HOSTILE, null, 1.5, i64::MAX] }),
        )),
        user_id: Some(UserId::new(i64::MAX)),
        project_id: Some(ProjectId::new(i64::MAX)),
        note_id: Some(NoteId::new(i64::MAX)),
    }
}

/// Messages at the limits of the columns, one of each event.
fn edges((project, channel): (ProjectId, ChannelId)) -> Vec<NewMessage> {
    let subject = |kind, id| MessageSubject { kind, id };
    let issue = |id| subject(MessageSubjectKind::Issue, id);
    let of_user = |id| subject(MessageSubjectKind::AlertOfUser, id);
    let at = [Timestamp::MIN, Timestamp::MAX];
    let of = |event, subject: MessageSubject, content, created_at| NewMessage {
        event,
        subject,
        content,
        created_at,
        send_at: created_at,
        ..message(project, channel, 0)
    };
    let empty = MessageContent::default;
    vec![
        of(
            MessageEvent::AlertOpened,
            alert(i64::MAX),
            full(MessageSeverity::Unknown),
            at[0],
        ),
        of(
            MessageEvent::AlertResolved,
            alert(1),
            full(MessageSeverity::Info),
            at[1],
        ),
        of(
            MessageEvent::AlertsOpened,
            MessageSubject::NONE,
            full(MessageSeverity::Critical),
            at[0],
        ),
        of(
            MessageEvent::IncidentOpened,
            incident(i64::MAX),
            full(MessageSeverity::High),
            at[1],
        ),
        of(
            MessageEvent::IncidentClosed,
            incident(1),
            full(MessageSeverity::Low),
            at[0],
        ),
        of(
            MessageEvent::MessagesDropped,
            MessageSubject::NONE,
            empty(),
            at[1],
        ),
        of(MessageEvent::AlertReminder, alert(2), empty(), at[0]),
        of(
            MessageEvent::ErrorCreated,
            error(i64::MAX),
            full(MessageSeverity::Medium),
            at[1],
        ),
        of(MessageEvent::ErrorRegressed, error(1), empty(), at[0]),
        of(
            MessageEvent::ErrorsCreated,
            MessageSubject::NONE,
            empty(),
            at[1],
        ),
        of(
            MessageEvent::IssueAssigned,
            issue(i64::MAX),
            full(MessageSeverity::Low),
            at[1],
        ),
        of(MessageEvent::AlertAssigned, of_user(3), empty(), at[0]),
        of(MessageEvent::Mention, issue(1), empty(), at[1]),
        of(
            MessageEvent::IssueHook,
            MessageSubject::NONE,
            full(MessageSeverity::Low),
            at[0],
        ),
        of(MessageEvent::NoteHook, MessageSubject::NONE, empty(), at[1]),
        of(
            MessageEvent::AlertHook,
            MessageSubject::NONE,
            empty(),
            at[0],
        ),
        of(
            MessageEvent::Test,
            MessageSubject::NONE,
            empty(),
            timestamp(1),
        ),
    ]
}

fn list<Tx: NotificationQueries + ?Sized>(
    tx: &mut Tx,
    (project_id, channel_id): (ProjectId, ChannelId),
) -> Result<Vec<OutboxMessage>, StoreError> {
    let filter = MessageFilter {
        scope: MessageScope::Channel(project_id.into(), channel_id),
        before: None,
    };
    tx.list_messages(&filter, 100)
}

entity! {
    /// A message. It belongs to a channel of a project.
    StoredMessage in Notifications, of (ProjectId, ChannelId): NewMessage => OutboxMessage;
    owners: |harness| {
        let [project, other] = harness.places();
        let [first, second] =
            insert_channels(harness.store(), [(project, "a channel"), (other, "a channel")]);
        [(project, first), (other, second)]
    };
    key: |message| -> MessageId { message.id }, unknown: MessageId::new(i64::MAX);
    sample: |(project, channel), number| message(project, channel, number.into());
    edges: |owner| edges(owner);
    insert: |tx, new| {
        tx.insert_messages(std::slice::from_ref(new))?;
        let project = new.project_id.unwrap_or(ProjectId::new(0));
        let newest = list(tx, (project, new.channel_id))?;
        Ok(newest.first().map_or(MessageId::new(0), |message| message.id))
    };
    find: |tx, owner, id| Ok(list(tx, owner)?.into_iter().find(|message| message.id == *id)), by owner: true;
    expected: |new, found| new.stored(found.id);
}
