//! Notifications: each query and each change reads the index that is meant for it, however many messages there are.

use api_conventions::ids::{ChannelId, MessageId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use notifications::model::{
    AttemptOutcome, ChannelOwner, DeliveryAttempt, DueChannel, MessageContent, MessageEvent,
    MessageFilter, MessageScope, MessageState, MessageSubject, MessageSubjectKind, NewMessage,
};
use notifications::store::NotificationRepository;
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Channels of one project, of which some are due, and messages of a hundred of them and of a hundred projects, most of which
/// were sent. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO notification_channels (project_id, kind, created_at, name, url, recipient, \
    alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, \
    updated_at, due_at) \
    SELECT 1, 1, 0, 'channel ' || value, '', '', TRUE, TRUE, TRUE, 5, TRUE, 0, 0, 60, 0, \
    CASE WHEN value % 50 = 0 THEN value END FROM NUMBERS; \
    INSERT INTO notification_channels (user_id, kind, created_at, name, url, recipient, \
    alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, \
    updated_at) \
    SELECT CASE WHEN value % 2 = 0 THEN 1 END, 0, value, 'mailbox ' || value, '', '', TRUE, TRUE, TRUE, 5, TRUE, 0, 0, 60, 0 \
    FROM NUMBERS; \
    INSERT INTO notification_messages (project_id, channel_id, event, subject_kind, subject_id, content, state, \
    attempts, created_at, send_at, finished_at) \
    SELECT value % 10 + 1, value % 100 + 1, 0, 1, value, \
    '{\"title\":\"\",\"description\":\"\",\"service\":\"\",\"started_at\":null,\"ended_at\":null}', \
    CASE WHEN value % 50 = 0 THEN 0 ELSE 2 END, 1, value, value, CASE WHEN value % 50 = 0 THEN NULL ELSE value END FROM NUMBERS; \
    INSERT INTO notification_attempts (message_id, number, at, millis, outcome, detail) \
    SELECT value, 1, value, 1, 0, '' FROM NUMBERS;";

const ROWS: i64 = 3_000;
/// User with half of the channels that belong to no project.
const USER: UserId = UserId::new(1);
/// Channel with messages that wait: 50, 150 and so on.
const CHANNEL: ChannelId = ChannelId::new(51);

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

const fn alert(id: i64) -> MessageSubject {
    MessageSubject {
        kind: MessageSubjectKind::Alert,
        id,
    }
}

fn message() -> NewMessage {
    NewMessage {
        project_id: Some(PROJECT),
        channel_id: CHANNEL,
        event: MessageEvent::Test,
        subject: MessageSubject::NONE,
        content: MessageContent::default(),
        created_at: at(1),
        send_at: at(1),
    }
}

/// Reads of all kinds.
fn read<Tx: NotificationRepository + ?Sized>(tx: &mut Tx) -> Result<(), StoreError> {
    assert!(tx.find_channel(PROJECT.into(), CHANNEL)?.is_some());
    assert_eq!(
        tx.list_channels(&[PROJECT, ProjectId::new(2)], 20)?.len(),
        20
    );
    assert_eq!(tx.list_due_channels(at(200), 3)?.len(), 3);
    assert_eq!(tx.list_waiting_channels(5)?.len(), 5);
    assert!(tx.count_pending_messages(CHANNEL, 10)? > 0);
    let of_channel = |owner: ChannelOwner| MessageScope::Channel(owner, CHANNEL);
    for (scope, count) in [
        (MessageScope::Project(PROJECT), 20),
        (of_channel(PROJECT.into()), 20),
        (of_channel(USER.into()), 0),
        (of_channel(ChannelOwner::Server), 0),
    ] {
        for before in [None, Some(MessageId::new(2_900))] {
            let filter = MessageFilter { scope, before };
            assert_eq!(tx.list_messages(&filter, 20)?.len(), count);
        }
    }
    assert_eq!(tx.list_user_channels(&[USER], 20)?.len(), 20);
    assert!(tx.find_mailbox("mailbox 3")?.is_some());
    let subjects = [alert(50), alert(7), alert(9_999)];
    assert_eq!(tx.list_attempted_messages(&subjects)?.len(), 2);
    let messages = [MessageId::new(3), MessageId::new(9)];
    assert_eq!(tx.list_attempts(&messages)?.len(), 2);
    assert_eq!(tx.count_sent_messages(ChannelId::new(1), at(100), 5)?, 0);
    assert_eq!(tx.count_sent_messages(ChannelId::new(2), at(100), 5)?, 5);
    assert!(tx.find_next_message(CHANNEL)?.is_some());
    Ok(())
}

/// Changes of all kinds.
fn change<Tx: NotificationRepository + ?Sized>(tx: &mut Tx) -> Result<(), StoreError> {
    let channel = tx.lock_channel(CHANNEL)?.unwrap();
    tx.set_lane(CHANNEL, &channel.lane)?;
    tx.update_channel(PROJECT.into(), CHANNEL, &channel.settings, None, at(1))?;
    let due = DueChannel {
        id: ChannelId::new(50),
        due_at: at(50),
    };
    assert!(tx.lease_channel(due, at(60))?.is_some());
    tx.insert_messages(&[message(), message()])?;
    tx.close_messages_about(&[alert(50), alert(7)], MessageState::Resolved, at(9))?;
    tx.reschedule_messages(CHANNEL, at(3), at(4))?;
    let closed = tx.close_messages(CHANNEL, at(200), MessageState::Dropped, at(9))?;
    assert_eq!(closed, 3);
    tx.update_message(MessageId::new(7), MessageState::Sent, 2, Some(at(9)))?;
    tx.delay_message(MessageId::new(50), at(300))?;
    let attempt = DeliveryAttempt {
        message_id: MessageId::new(7),
        number: 2,
        at: at(1),
        millis: 1,
        outcome: AttemptOutcome::Delivered,
        status: None,
        detail: String::new(),
    };
    tx.insert_attempt(&attempt)?;
    assert_eq!(tx.delete_messages_before(at(1_000), 5)?, 5);
    assert_eq!(tx.delete_mailboxes_before(at(100), 5)?, 5);
    assert_eq!(tx.delete_notifications_of(ProjectId::new(2), 5)?, 5);
    assert!(tx.delete_channel(PROJECT.into(), CHANNEL)?);
    Ok(())
}

/// Runs all queries and changes, and returns their statements.
fn statements<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::WriteTx<'t>: NotificationRepository,
{
    let (done, mut texts) = texts_of(turn, || {
        let done = store.write(|tx| {
            read(tx)?;
            change(tx)
        });
        done.wait()
    });
    let done: Result<(), StoreError> = done;
    done.unwrap();
    texts.retain(|text| text.contains("notification_"));
    assert!(texts.len() > 25, "{texts:#?}");
    texts
}

/// Returns the index that a list of messages should read: that of its channel, if it has one.
fn index_of_list(query: &str) -> &'static str {
    let (_, conditions) = query.split_once("WHERE").unwrap_or_default();
    let is_list = query.starts_with("SELECT") && conditions.contains("DESC");
    if is_list && conditions.contains("(notification_messages.channel_id,") {
        "notification_messages_channel"
    } else if is_list && conditions.contains("(notification_messages.project_id,") {
        "notification_messages_project"
    } else {
        ""
    }
}

/// True for statements that sort what they read: the channels of a few projects, channels to be locked, and rows to be inserted.
fn is_sorted_later(query: &str) -> bool {
    [
        "notification_channels.id + 0",
        "project_id IS NULL, ",
        "ORDER BY place",
    ]
    .iter()
    .any(|part| query.contains(part))
}

#[test]
fn notifications_are_found_in_their_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(&file, INSERT, ROWS));
    for query in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_wrong = |step: &String| {
            let is_scan = ["SCAN notification_", "SCAN c", "SCAN m"];
            // An index of the channels with a queue alone, which is read up to a limit.
            let is_bounded = step.ends_with("USING INDEX notification_channels_waiting");
            is_scan.iter().any(|scan| step.starts_with(scan))
                && step != "SCAN counted"
                && !is_bounded
                || step.contains("TEMP B-TREE") && !is_sorted_later(&query)
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        let index = index_of_list(&query);
        let is_read = plan.iter().any(|step| step.contains(index));
        assert!(is_read, "{index}\n{query}\n{plan:#?}");
    }
}

#[test]
fn notifications_are_found_in_their_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(&database, INSERT, ROWS));
    for query in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |step: &String| {
            step.contains("Seq Scan") || step.contains("Sort") && !is_sorted_later(&query)
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        let index = index_of_list(&query);
        let is_read = plan.iter().any(|step| step.contains(index));
        assert!(is_read, "{index}\n{query}\n{plan:#?}");
    }
}
