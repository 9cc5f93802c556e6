//! Channels of users, and mailboxes of the server.

use ::notifications::model::{
    Channel, ChannelKind, ChannelLane, ChannelOwner, ChannelSettings, MessageFilter, MessageScope,
    NewChannel, NewMessage, OutboxMessage,
};
use ::notifications::store::{NotificationQueries, SaveChannel};
use api_conventions::ids::ChannelId;
use storage::{StoreError, StoreExt as _};

use super::{channel, insert_channel, list, message};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;

fn owned(owner: ChannelOwner, name: &str) -> NewChannel {
    NewChannel {
        owner,
        ..channel(api_conventions::ids::ProjectId::new(1), name)
    }
}

fn mailbox(address: &str, second: i64) -> NewChannel {
    NewChannel {
        kind: ChannelKind::Email,
        created_at: timestamp(second),
        ..owned(ChannelOwner::Server, address)
    }
}

/// Lists the messages of a channel of this owner.
fn sent<Tx: NotificationQueries + ?Sized>(
    tx: &mut Tx,
    owner: ChannelOwner,
    channel: ChannelId,
) -> Result<Vec<OutboxMessage>, StoreError> {
    let filter = MessageFilter {
        scope: MessageScope::Channel(owner, channel),
        before: None,
    };
    tx.list_messages(&filter, 9)
}

pub(super) fn m64_channels_of_users_are_theirs_alone(harness: &mut AreaHarness<Notifications>) {
    let ([user, other, _], [project, _]) = (harness.people(), harness.places());
    let done = harness.store().change(move |tx| {
        let of_project = insert_channel(tx, &channel(project, "phone"))?;
        let mine = insert_channel(tx, &owned(user.into(), "phone"))?;
        let foreign = insert_channel(tx, &owned(other.into(), "phone"))?;
        assert_eq!(
            tx.insert_channel(&owned(user.into(), "phone"))?,
            SaveChannel::NameTaken
        );
        assert_eq!(tx.find_channel(user.into(), mine.id)?, Some(mine.clone()));
        for owner in [other.into(), project.into(), ChannelOwner::Server] {
            assert_eq!(tx.find_channel(owner, mine.id)?, None);
            assert!(!tx.delete_channel(owner, mine.id)?);
            let settings = ChannelSettings::new("stolen");
            let saved = tx.update_channel(owner, mine.id, &settings, None, timestamp(1))?;
            assert_eq!(saved, SaveChannel::NotFound);
        }
        assert_eq!(
            tx.list_user_channels(&[user], 9)?,
            std::slice::from_ref(&mine)
        );
        assert_eq!(
            tx.list_user_channels(&[other, user], 9)?,
            [mine.clone(), foreign.clone()]
        );
        assert_eq!(
            tx.list_user_channels(&[other, user], 1)?,
            std::slice::from_ref(&mine)
        );
        assert_eq!(tx.list_user_channels(&[], 9)?, []);
        assert_eq!(tx.list_channels(&[project], 9)?, [of_project]);
        tx.insert_messages(&[message(project, mine.id, 1)])?;
        let stored = sent(tx, user.into(), mine.id)?;
        assert_eq!(stored, list(tx, project, 9)?);
        assert_eq!(stored.len(), 1);
        assert_eq!(sent(tx, other.into(), mine.id)?, []);
        assert!(tx.delete_channel(user.into(), mine.id)?);
        assert_eq!(tx.list_user_channels(&[other, user], 9)?, [foreign]);
        assert_eq!(list(tx, project, 9)?, stored);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m65_the_server_has_one_mailbox_for_an_address(
    harness: &mut AreaHarness<Notifications>,
) {
    let [user, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        insert_channel(tx, &owned(user.into(), "a@example.com"))?;
        assert_eq!(tx.find_mailbox("a@example.com")?, None);
        let first = insert_channel(tx, &mailbox("a@example.com", 1))?;
        insert_channel(tx, &mailbox("b@example.com", 1))?;
        assert_eq!(
            tx.insert_channel(&mailbox("a@example.com", 2))?,
            SaveChannel::NameTaken
        );
        assert_eq!(tx.find_mailbox("a@example.com")?, Some(first.clone()));
        assert_eq!(tx.find_mailbox("A@example.com")?, None);
        let about_account = NewMessage {
            project_id: None,
            ..message(api_conventions::ids::ProjectId::new(1), first.id, 1)
        };
        tx.insert_messages(std::slice::from_ref(&about_account))?;
        let stored = sent(tx, ChannelOwner::Server, first.id)?;
        let expected: Vec<OutboxMessage> = stored
            .iter()
            .map(|message| about_account.stored(message.id))
            .collect();
        assert_eq!((stored.len(), &stored), (1, &expected));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m66_mailboxes_without_messages_are_deleted(harness: &mut AreaHarness<Notifications>) {
    let ([user, ..], [project, _]) = (harness.people(), harness.places());
    let done = harness.store().change(move |tx| {
        insert_channel(tx, &channel(project, "old"))?;
        insert_channel(tx, &owned(user.into(), "old"))?;
        let names = ["first", "second", "used", "due", "new"];
        let mut stored: Vec<Channel> = Vec::new();
        for (name, second) in names.into_iter().zip([1, 2, 3, 4, 10]) {
            stored.push(insert_channel(tx, &mailbox(name, second))?);
        }
        tx.insert_messages(&[message(project, stored[2].id, 1)])?;
        tx.set_lane(stored[2].id, &ChannelLane::default())?;
        let due = ChannelLane {
            due_at: Some(timestamp(9)),
            ..ChannelLane::default()
        };
        tx.set_lane(stored[3].id, &due)?;
        assert_eq!(tx.delete_mailboxes_before(timestamp(10), 1)?, 1);
        assert_eq!(tx.find_mailbox("first")?, None);
        assert_eq!(tx.delete_mailboxes_before(timestamp(10), 9)?, 1);
        let mut left = Vec::new();
        for name in names {
            left.extend(tx.find_mailbox(name)?.map(|_| name));
        }
        assert_eq!(left, ["used", "due", "new"]);
        assert_eq!(tx.list_channels(&[project], 9)?.len(), 1);
        assert_eq!(tx.list_user_channels(&[user], 9)?.len(), 1);
        Ok(())
    });
    done.wait().unwrap();
}
