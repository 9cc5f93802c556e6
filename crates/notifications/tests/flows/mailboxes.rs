//! Messages about accounts.

use api_conventions::ids::ProjectId;
use notifications::flow::{
    AccountMessage, MAILBOX_HOURLY_LIMIT, cancel_queue, delete_channels_of, send_to_mailbox,
    test_channel,
};
use notifications::model::{
    ChannelKind, ChannelOwner, MessageContent, MessageEvent, MessageFilter, MessageScope,
    MessageState, MessageSubject, MessageSubjectKind, NewChannel, OutboxMessage,
};
use storage_diesel::SqliteStore;

use super::{at, insert, new_channel, run, store};

fn send(store: &SqliteStore, address: &'static str, user: i64) {
    run(store, move |tx| {
        let message = AccountMessage {
            address: address.to_owned(),
            event: MessageEvent::PasswordChanged,
            subject: MessageSubject {
                kind: MessageSubjectKind::Account,
                id: user,
            },
            content: MessageContent::default(),
        };
        send_to_mailbox(tx, message, at(1))
    });
}

/// Returns the messages to an address, the newest first.
fn sent(store: &SqliteStore, address: &'static str) -> Vec<OutboxMessage> {
    run(store, move |tx| {
        let mailbox = tx.find_mailbox(address)?.unwrap();
        let filter = MessageFilter {
            scope: MessageScope::Channel(ChannelOwner::Server, mailbox.id),
            before: None,
        };
        tx.list_messages(&filter, 9)
    })
}

#[test]
fn each_address_has_a_mailbox_with_its_own_queue() {
    let store = store();
    send(&store, "ann@example.com", 1);
    send(&store, "ann@example.com", 1);
    send(&store, "bob@example.com", 2);
    assert_eq!(sent(&store, "ann@example.com").len(), 2);
    let to_bob = sent(&store, "bob@example.com");
    assert_eq!((to_bob.len(), to_bob[0].project_id), (1, None));
    let mailbox = run(&store, |tx| tx.find_mailbox("bob@example.com")).unwrap();
    assert_eq!(mailbox.kind, ChannelKind::Email);
    assert_eq!(mailbox.settings.recipient, "bob@example.com");
    assert_eq!(mailbox.settings.hourly_limit, MAILBOX_HOURLY_LIMIT);
    assert!(mailbox.settings.check(mailbox.kind).is_ok());
    let of_projects = run(&store, |tx| tx.list_channels(&[ProjectId::new(1)], 9));
    assert_eq!(of_projects, []);
}

#[test]
fn an_administrator_cancels_what_waits() {
    let store = store();
    send(&store, "ann@example.com", 1);
    send(&store, "bob@example.com", 2);
    let mailbox = run(&store, |tx| tx.find_mailbox("ann@example.com")).unwrap();
    assert!(run(&store, move |tx| cancel_queue(tx, mailbox.id, at(2))));
    assert_eq!(
        sent(&store, "ann@example.com")[0].state,
        MessageState::Cancelled
    );
    assert_eq!(
        sent(&store, "bob@example.com")[0].state,
        MessageState::Queued
    );
    let unknown = api_conventions::ids::ChannelId::new(99);
    assert!(!run(&store, move |tx| cancel_queue(tx, unknown, at(2))));
}

#[test]
fn the_channels_of_a_user_are_deleted_with_what_waits() {
    let store = store();
    let user = api_conventions::ids::UserId::new(1);
    let new = NewChannel {
        owner: user.into(),
        ..new_channel("phone")
    };
    let id = insert(&store, new).id;
    run(&store, move |tx| {
        test_channel(tx, user.into(), id, at(1)).unwrap();
        delete_channels_of(tx, user.into(), at(2))
    });
    assert_eq!(run(&store, move |tx| tx.list_user_channels(&[user], 9)), []);
    let pending = run(&store, move |tx| tx.count_pending_messages(id, 9));
    assert_eq!(pending, 0);
}
