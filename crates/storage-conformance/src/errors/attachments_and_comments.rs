//! Attachments and comments.

use error_tracking::model::{ErrorComment, EventDelivery, StoredAttachment};
use error_tracking::protocol::feedback::Comment;
use error_tracking::store::{NewAttachment, NewComment};
use storage::StoreExt as _;

use super::{
    attachment, collect_deliveries, comment, delivery, error, event, event_id, find_known,
    send_events,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, page, timestamp};

pub(super) fn t77_files_come_back_with_their_bytes(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let all: Vec<u8> = (0..=u8::MAX).cycle().take(300_000).collect();
    let mut odd = attachment(1, HOSTILE, &all);
    odd.content_type = HOSTILE.to_owned();
    odd.kind = HOSTILE.to_owned();
    let mut empty = attachment(1, "", b"");
    empty.content_type = String::new();
    empty.kind = String::new();
    let sent = [attachment(1, "b.txt", b"bytes"), odd, empty];
    let written = sent.clone();
    let listed = store.change(move |tx| {
        let new = |event, attachment| NewAttachment {
            project_id: project,
            event_id: event_id(event),
            received_at: timestamp(0),
            attachment,
        };
        tx.insert_attachments(&[])?;
        tx.insert_attachments(&[
            new(1, &written[0]),
            new(2, &written[0]),
            new(1, &written[1]),
        ])?;
        tx.insert_attachments(&[new(1, &written[2])])?;
        assert_eq!(tx.list_attachments(project, event_id(3))?, []);
        assert_eq!(tx.list_attachments(other, event_id(1))?, []);
        tx.list_attachments(project, event_id(1))
    });
    let listed = listed.wait().unwrap();
    assert_eq!(listed.len(), sent.len());
    for (stored, sent) in listed.into_iter().zip(sent) {
        let expected = StoredAttachment {
            id: stored.id,
            filename: sent.filename,
            content_type: sent.content_type,
            kind: sent.kind,
            size: i64::try_from(sent.bytes.len()).unwrap(),
        };
        assert_eq!(stored, expected);
        let found = store.query(move |tx| {
            for (place, event) in [(other, 1), (project, 2), (project, 3)] {
                let found = tx.find_attachment(place, event_id(event), stored.id)?;
                assert_eq!(found, None, "the attachment belongs to another event");
            }
            tx.find_attachment(project, event_id(1), stored.id)
        });
        assert_eq!(found.wait().unwrap(), Some((expected, sent.bytes)));
    }
}

pub(super) fn t78_only_comments_on_retained_events_are_listed(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    send_events(store, project, vec![event(1, 1), event(2, 1), event(3, 2)]);
    send_events(store, other, vec![event(1, 1)]);
    let full = Comment {
        name: Some(HOSTILE.to_owned()),
        email: Some(HOSTILE.to_owned()),
        url: Some(HOSTILE.repeat(10)),
        ..comment(2, HOSTILE)
    };
    let blank = Comment {
        name: Some(String::new()),
        email: Some(String::new()),
        url: Some(String::new()),
        ..comment(1, "second")
    };
    let nowhere = Comment {
        event_id: None,
        ..comment(1, "about nothing")
    };
    let written = [
        comment(1, "first"),
        comment(3, "of another error"),
        comment(9, "of no event"),
        nowhere,
        full,
        blank,
    ];
    let [one, two] = [1, 2].map(|iid| error(store, project, iid).id);
    let of_first = [0, 4, 5].map(|place| written[place].clone());
    // A comment on an event with the same id in another project is a different comment.
    let deliveries = [
        EventDelivery {
            comments: written.to_vec(),
            received_at: timestamp(7),
            ..delivery(project, Vec::new())
        },
        EventDelivery {
            comments: vec![comment(1, "elsewhere")],
            ..delivery(other, Vec::new())
        },
    ];
    collect_deliveries(store, &deliveries);
    let listed = store.change(move |tx| {
        tx.insert_error_comments(&[])?;
        let late = comment(1, "late");
        tx.insert_error_comments(&[NewComment {
            project_id: project,
            received_at: timestamp(8),
            comment: &late,
        }])?;
        let listed = tx.list_error_comments(one, page(1, 2))?;
        assert_eq!((listed.items.len(), listed.has_next), (2, true));
        let rest = tx.list_error_comments(one, page(2, 2))?;
        let of_two = tx.list_error_comments(two, page(1, 20))?;
        assert_eq!(of_two.items.len(), 1);
        assert_eq!(of_two.items[0].text, "of another error");
        Ok([listed.items, rest.items].concat())
    });
    let listed = listed.wait().unwrap();
    assert_eq!(listed[0].text, "late");
    for (found, sent) in listed[1..].iter().zip(of_first.iter().rev()) {
        let expected = ErrorComment {
            id: found.id,
            project_id: project,
            event_id: sent.event_id,
            received_at: timestamp(7),
            name: sent.name.clone(),
            email: sent.email.clone(),
            text: sent.text.clone(),
            url: sent.url.clone(),
        };
        assert_eq!(*found, expected);
    }
    assert_eq!(listed.len(), 4);
    let key = find_known(store, project, 1).key_id;
    let remaining = store.change(move |tx| {
        tx.prune_samples(key, 1..2, 1)?;
        tx.list_error_comments(one, page(1, 20))
    });
    let remaining = remaining.wait().unwrap().items;
    let texts: Vec<&str> = remaining.iter().map(|comment| &*comment.text).collect();
    assert_eq!(texts, ["late", "second", "first"]);
}
