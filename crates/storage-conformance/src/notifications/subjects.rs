//! Messages by their subjects.

use ::notifications::model::{MessageState, MessageSubject, NewMessage};
use api_conventions::ids::MessageId;
use storage::StoreExt as _;

use super::{alert, incident, insert_channels, insert_messages, list, message};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;

pub(super) fn m43_messages_that_were_attempted_are_found_by_their_subjects(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, foreign] =
        insert_channels(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let about = |channel, subject| NewMessage {
            subject,
            ..message(project, channel, 1)
        };
        let new = [
            about(first, alert(1)),
            about(second, alert(1)),
            about(first, incident(1)),
            about(first, alert(2)),
            about(first, MessageSubject::NONE),
            about(first, alert(1)),
        ];
        let ids = insert_messages(tx, project, &new)?;
        for (place, state) in [
            (0, MessageState::Sent),
            (1, MessageState::Queued),
            (2, MessageState::Sending),
            (3, MessageState::Failed),
            (4, MessageState::Sent),
        ] {
            let end = (!state.is_pending()).then(|| timestamp(9));
            tx.update_message(ids[place], state, 1, end)?;
        }
        let foreign = [NewMessage {
            subject: incident(7),
            ..message(other, foreign, 1)
        }];
        let foreign = insert_messages(tx, other, &foreign)?[0];
        tx.update_message(foreign, MessageState::Queued, 9, None)?;

        let mut found = |subjects: &[MessageSubject]| {
            let listed = tx.list_attempted_messages(subjects)?;
            let mut ids: Vec<MessageId> = listed.iter().map(|one| one.id).collect();
            ids.sort_unstable();
            Ok::<_, storage::StoreError>(ids)
        };
        assert_eq!(found(&[alert(1)])?, ids[..2]);
        assert_eq!(found(&[incident(1), alert(2)])?, ids[2..4]);
        assert_eq!(
            found(&[alert(2), alert(1), alert(2), alert(99)])?,
            [ids[0], ids[1], ids[3]]
        );
        assert_eq!(found(&[incident(7)])?, [foreign]);
        assert_eq!(found(&[MessageSubject::NONE, incident(2)])?, []);
        assert_eq!(found(&[])?, []);
        let newest = list(tx, other, 1)?;
        assert_eq!(tx.list_attempted_messages(&[incident(7)])?, newest);
        Ok(())
    });
    done.wait().unwrap();
}
