//! Sample rows: events as requests deliver them, and the rows around them.

use api_conventions::ids::{ClientKeyId, ErrorIid, ProjectId};
use error_tracking::collector::Attachment;
use error_tracking::event::SharedPart;
use error_tracking::flow::collect::{CollectOutcome, store_deliveries};
use error_tracking::grouping::{Explanation, GroupKey, Grouping, Input, InputKind, Method};
use error_tracking::model::{
    ArrivingEvent, CounterKey, ErrorFacts, EventDelivery, EventId, Level, NewClientKey, Outcome,
    OutcomeCounter, PublicKey, StorageLimits, TrackedError, UserMark,
};
use error_tracking::protocol::feedback::Comment;
use error_tracking::protocol::item::Category;
use error_tracking::store::{
    CollectRepository, ErrorProgress, ErrorWriteTx, KnownError, NewError, NewErrorKey,
};
use storage::{StoreError, StoreExt as _};

use crate::areas::Errors;
use crate::samples::timestamp;

/// 16 bytes that are unique to the number.
fn bytes(number: u32) -> [u8; 16] {
    let mut bytes = [0xe0; 16];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// The group key with this number.
pub(crate) fn key(number: u32) -> GroupKey {
    GroupKey::from_bytes(bytes(number))
}

/// The id of the event with this number.
pub(crate) fn event_id(number: u32) -> EventId {
    EventId::from_bytes(bytes(number)).unwrap()
}

/// The user with this number.
pub(crate) fn mark(number: u32) -> UserMark {
    UserMark::from_bytes(bytes(number))
}

/// The explanation of a key, with one part.
pub(crate) fn explanation(text: &str) -> Explanation {
    Explanation {
        version: 1,
        method: Method::Message,
        inputs: vec![Input {
            part: InputKind::Message,
            text: text.to_owned(),
        }],
    }
}

/// Facts of an event with this title.
pub(crate) fn facts(title: &str) -> ErrorFacts {
    ErrorFacts {
        title: title.to_owned(),
        culprit: "shop.checkout".to_owned(),
        location: Some("shop/checkout.rs:7".to_owned()),
        level: Level::Error,
        platform: "rust".to_owned(),
    }
}

/// An event of a key. Its number gives the seconds of its arrival after the first one, and its key's number its facts.
pub(crate) fn event(number: u32, of_key: u32) -> ArrivingEvent {
    ArrivingEvent {
        id: event_id(number),
        received_at: timestamp(number.into()),
        occurred_at: timestamp(i64::from(number) - 1),
        grouping: Grouping {
            key: key(of_key),
            explanation: explanation(&format!("Error {of_key}")),
            older: Vec::new(),
        },
        facts: facts(&format!("Error {of_key}")),
        release: None,
        environment: None,
        user: None,
        tags: Vec::new(),
        kept: format!("event {number}").into_bytes(),
        shared: None,
    }
}

/// The shared part of an error's events, with this number.
pub(crate) fn shared(number: u32) -> SharedPart {
    SharedPart::from_packed(bytes(number), format!("common {number}").into_bytes())
}

/// An event with a user and a release.
pub(crate) fn event_of(number: u32, of_key: u32, user: u32, release: &str) -> ArrivingEvent {
    ArrivingEvent {
        user: Some(mark(user)),
        release: (!release.is_empty()).then(|| release.to_owned()),
        ..event(number, of_key)
    }
}

/// A request with these events, received with the last of them.
pub(crate) fn delivery(project_id: ProjectId, events: Vec<ArrivingEvent>) -> EventDelivery {
    EventDelivery {
        project_id,
        key_id: ClientKeyId::new(1),
        received_at: events.last().map_or(timestamp(0), |last| last.received_at),
        body_bytes: 100,
        events,
        attachments: Vec::new(),
        comments: Vec::new(),
        sessions: Vec::new(),
        check_ins: Vec::new(),
        losses: Vec::new(),
        limits: StorageLimits {
            events_per_day: None,
            events_per_error: 1000,
        },
    }
}

/// An attachment of an event.
pub(crate) fn attachment(event: u32, name: &str, bytes: &[u8]) -> Attachment {
    Attachment {
        event_id: Some(event_id(event)),
        filename: name.to_owned(),
        content_type: "text/plain".to_owned(),
        kind: "event.attachment".to_owned(),
        bytes: bytes.to_vec(),
    }
}

/// A user's comment on an event.
pub(crate) fn comment(event: u32, text: &str) -> Comment {
    Comment {
        event_id: Some(event_id(event)),
        name: None,
        email: None,
        text: text.to_owned(),
        url: None,
    }
}

/// A count of stored events on the first day.
pub(crate) fn counter(project_id: ProjectId, key: i64, quantity: i64) -> OutcomeCounter {
    OutcomeCounter {
        of: CounterKey {
            project_id,
            day: timestamp(0).date(),
            key_id: ClientKeyId::new(key),
            category: Category::Error,
            outcome: Outcome::Stored,
        },
        quantity,
    }
}

/// The client key of a project with this number. Its digits include the project.
pub(crate) fn client_key(project_id: ProjectId, number: u32) -> NewClientKey {
    let mut digits = bytes(number);
    digits[8..].copy_from_slice(&project_id.get().to_be_bytes());
    NewClientKey {
        project_id,
        public_key: PublicKey::from_random(digits),
        created_at: timestamp(0),
    }
}

/// An error without a reserved number.
pub(crate) fn new_error(project_id: ProjectId, number: u32) -> NewError {
    NewError {
        project_id,
        iid: ErrorIid::new(0),
        facts: facts(&format!("Error {number}")),
        release: None,
        first_seen: timestamp(0),
        key: NewErrorKey {
            key: key(number),
            explanation: explanation(&format!("Error {number}")),
        },
    }
}

/// Reserves numbers for errors of one project, and inserts them.
pub(crate) fn insert(
    tx: &mut (impl CollectRepository + ?Sized),
    mut errors: Vec<NewError>,
) -> Result<Vec<KnownError>, StoreError> {
    let project = errors[0].project_id;
    tx.lock_errors(&[project])?;
    let count = i64::try_from(errors.len()).unwrap();
    let first = tx.reserve_error_numbers(&[(project, count)])?[0];
    for (number, new) in (first.get()..).zip(&mut errors) {
        new.iid = ErrorIid::new(number);
    }
    tx.insert_errors(&errors)
}

/// A step that adds only the facts of the first event to an error.
pub(crate) fn progress(known: &KnownError) -> ErrorProgress {
    ErrorProgress {
        error_id: known.error_id,
        events: 0,
        users: 0,
        facts: facts("Error 1"),
        first_release: None,
        release: None,
        last_seen: timestamp(0),
        reopens: false,
        regressed_at: None,
    }
}

/// Stores requests in a transaction.
pub(crate) fn collect_in(
    tx: &mut dyn ErrorWriteTx,
    deliveries: &[EventDelivery],
) -> Result<Vec<CollectOutcome>, StoreError> {
    store_deliveries(tx, &deliveries.iter().collect::<Vec<_>>())
}

/// Stores requests in one transaction, and returns the outcome of each.
pub(crate) fn collect_deliveries(
    store: &Errors,
    deliveries: &[EventDelivery],
) -> Vec<CollectOutcome> {
    let deliveries = deliveries.to_vec();
    let written = store.change(move |tx| collect_in(tx, &deliveries));
    written.wait().unwrap()
}

/// Stores one request with these events.
pub(crate) fn send_events(
    store: &Errors,
    project: ProjectId,
    events: Vec<ArrivingEvent>,
) -> CollectOutcome {
    let outcomes = collect_deliveries(store, &[delivery(project, events)]);
    outcomes.into_iter().next().unwrap()
}

/// The error with this number, if there is one.
pub(crate) fn find(store: &Errors, project: ProjectId, iid: i64) -> Option<TrackedError> {
    let found = store.query(move |tx| tx.find_error(project, ErrorIid::new(iid)));
    found.wait().unwrap()
}

/// Returns the error with this number, which must exist.
pub(crate) fn error(store: &Errors, project: ProjectId, iid: i64) -> TrackedError {
    find(store, project, iid).expect("the error exists")
}

/// Returns the error with this key, which must exist.
pub(crate) fn find_known(store: &Errors, project: ProjectId, of_key: u32) -> KnownError {
    let found = store.change(move |tx| tx.list_known_errors(&[(project, key(of_key))]));
    let found = found.wait().unwrap().into_iter().next();
    found.expect("the error exists")
}

/// Numbers of those of these events that were stored.
pub(crate) fn stored_numbers(
    store: &Errors,
    project: ProjectId,
    numbers: impl IntoIterator<Item = u32>,
) -> Vec<u32> {
    let requested: Vec<u32> = numbers.into_iter().collect();
    let ids: Vec<_> = requested
        .iter()
        .map(|number| (project, event_id(*number)))
        .collect();
    let found = store.change(move |tx| tx.list_stored_events(&ids));
    let found = found.wait().unwrap();
    let is_stored = |number: &u32| found.contains(&(project, event_id(*number)));
    requested.into_iter().filter(is_stored).collect()
}
