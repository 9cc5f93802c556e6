//! The event as an entity.

use api_conventions::ids::{ErrorId, ErrorKeyId, ProjectId};
use api_conventions::page::Page;
use api_conventions::time::Timestamp;
use error_tracking::event::SharedPart;
use error_tracking::model::{ArrivingEvent, ErrorEvent, ErrorEventSummary, EventId, Level};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx, EventPosition, NewErrorEvent};
use storage::{StoreError, StoreExt as _};

use super::{event, event_id, insert, new_error};
use crate::areas::{AreaHarness, Errors};
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// Owner of events: an error of a project, with its key.
#[derive(Debug, Clone, Copy)]
pub struct EventOwner {
    /// The project.
    pub project: ProjectId,
    /// The error.
    pub error: ErrorId,
    /// The error's key.
    pub key: ErrorKeyId,
}

/// An event of a key.
#[derive(Debug, Clone)]
pub struct NewStoredEvent {
    /// The owner of the event.
    pub owner: EventOwner,
    /// Number of the event within its key.
    pub number: i64,
    /// The event.
    pub event: ArrivingEvent,
}

/// Creates an error in each of two projects.
fn owners(harness: &AreaHarness<Errors>) -> [EventOwner; 2] {
    harness.places().map(|project| {
        let created = harness.store().change(move |tx| {
            let known = insert(tx, vec![new_error(project, 1)])?.remove(0);
            Ok(EventOwner {
                project,
                error: known.error_id,
                key: known.key_id,
            })
        });
        created.wait().unwrap()
    })
}

fn sample(owner: EventOwner, number: u32) -> NewStoredEvent {
    NewStoredEvent {
        owner,
        number: number.into(),
        event: event(number, 1),
    }
}

/// Events with edge-case text in every field, and with arbitrary bytes.
fn edges(owner: EventOwner) -> Vec<NewStoredEvent> {
    let edge = |number: u32, text: Option<&str>, at, kept: Vec<u8>| {
        let mut new = sample(owner, number);
        new.event.received_at = at;
        new.event.occurred_at = at;
        new.event.facts.title = text.unwrap_or_default().to_owned();
        new.event.facts.level = [Level::Fatal, Level::Debug][usize::from(text.is_none())];
        new.event.release = text.map(str::to_owned);
        new.event.environment = text.map(str::to_owned);
        new.event.kept = kept.clone();
        let digest = [[0; 16], [0xff; 16]][usize::from(text == Some(""))];
        new.event.shared = text.map(|_| SharedPart::from_packed(digest, kept));
        new
    };
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
    vec![
        edge(1000, Some(HOSTILE), Timestamp::MAX, bytes),
        edge(1001, Some(""), Timestamp::MIN, vec![0]),
        edge(1002, None, timestamp(0), Vec::new()),
    ]
}

/// Inserts an event as the collector does, and counts its number on its key.
fn insert_event(
    tx: &mut (dyn ErrorWriteTx + '_),
    new: &NewStoredEvent,
) -> Result<EventId, StoreError> {
    tx.lock_errors(&[new.owner.project])?;
    tx.insert_error_events(&[])?;
    tx.insert_error_events(&[NewErrorEvent {
        project_id: new.owner.project,
        key_id: new.owner.key,
        number: new.number,
        event: &new.event,
    }])?;
    tx.advance_error_keys(&[(new.owner.key, 1)])?;
    Ok(new.event.id)
}

/// The full events of a page of summaries.
fn with_details(
    tx: &mut (dyn ErrorReadTx + '_),
    owner: EventOwner,
    listed: Page<ErrorEventSummary>,
) -> Result<Page<ErrorEvent>, StoreError> {
    let mut items = Vec::with_capacity(listed.items.len());
    for summary in listed.items {
        let found = StoredEvent::find(tx, owner, &summary.event_id)?;
        let (kept, shared) = found
            .map(|event| (event.kept, event.shared))
            .unwrap_or_default();
        items.push(ErrorEvent {
            summary,
            kept,
            shared,
        });
    }
    Ok(Page {
        items,
        has_next: listed.has_next,
        total: listed.total,
    })
}

entity! {
    /// An event. It is looked up by the id that its SDK assigned.
    StoredEvent in Errors, of EventOwner: NewStoredEvent => ErrorEvent;
    owners: |harness| owners(harness);
    key: |event| -> EventId { event.summary.event_id }, unknown: event_id(u32::MAX);
    sample: |owner, number| sample(owner, number);
    edges: |owner| edges(owner);
    insert: |tx, new| insert_event(tx, new);
    find: |tx, owner, id| {
        tx.find_error_event(owner.error, EventPosition::WithId(*id))
    }, by owner: true;
    expected: |new, found| ErrorEvent {
        summary: ErrorEventSummary {
            id: found.summary.id,
            key_id: new.owner.key,
            event_id: new.event.id,
            received_at: new.event.received_at,
            occurred_at: new.event.occurred_at,
            title: new.event.facts.title.clone(),
            level: new.event.facts.level,
            release: new.event.release.clone(),
            environment: new.event.environment.clone(),
        },
        kept: new.event.kept.clone(),
        shared: new.event.shared.as_ref().map(|part| part.packed().into_owned()),
    };
    list Descending: |tx, owner, page| {
        let listed = tx.list_error_events(owner.error, page)?;
        with_details(tx, owner, listed)
    };
    try_insert: |tx, new| insert_event(tx, new).map(Some), per owner: true;
    clashing: |owner, number| NewStoredEvent {
        number: i64::from(number) + 500,
        event: ArrivingEvent {
            kept: b"another".to_vec(),
            ..event(number, 2)
        },
        owner,
    };
}
