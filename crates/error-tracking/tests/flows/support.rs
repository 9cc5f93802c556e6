//! A project that collects errors, with helpers to build requests and send them.

use std::sync::mpsc::channel;

use api_conventions::ids::{ClientKeyId, ErrorIid, ProjectId};
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use error_tracking::event::SharedPart;
use error_tracking::flow::change::{ErrorEdit, IgnoreDuration, StatusEdit, change_error};
use error_tracking::flow::collect::{CollectOutcome, ErrorChangeKind, store_deliveries};
use error_tracking::grouping::{Explanation, GroupKey, Grouping, Method};
use error_tracking::model::{
    ArrivingEvent, ErrorFacts, EventDelivery, EventId, Level, StorageLimits, TrackedError, UserMark,
};
use error_tracking::rules::status::Status;
use error_tracking::store::{
    CollectRepository as _, ErrorQueries as _, ErrorRepository as _, KnownError,
};
use storage::{Store as _, StoreError, StoreErrorKind};
use storage_diesel::{SqliteStore, SqliteWriteTx};

/// The project that most tests use.
pub(crate) const HERE: ProjectId = ProjectId::new(1);
/// Another project.
pub(crate) const THERE: ProjectId = ProjectId::new(2);

/// Time at this second after the start of 1970.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// The id of the event with this number.
pub(crate) fn id(number: u16) -> EventId {
    let mut bytes = [9; 16];
    bytes[..2].copy_from_slice(&number.to_be_bytes());
    EventId::from_bytes(bytes).unwrap()
}

/// The key called `name`.
pub(crate) fn key(name: char) -> GroupKey {
    GroupKey::from_bytes([u8::try_from(name).unwrap(); 16])
}

/// An event with a number and the key called `name`, received at the second of its number.
/// Its title is its key.
pub(crate) fn event(number: u16, name: char) -> ArrivingEvent {
    ArrivingEvent {
        id: id(number),
        received_at: at(number.into()),
        occurred_at: at(number.into()),
        grouping: Grouping {
            key: key(name),
            explanation: Explanation {
                version: 1,
                method: Method::Nothing,
                inputs: Vec::new(),
            },
            older: Vec::new(),
        },
        facts: ErrorFacts {
            title: name.to_string(),
            culprit: format!("event {number}"),
            location: None,
            level: Level::Error,
            platform: "rust".to_owned(),
        },
        shared: Some(SharedPart::from_packed(
            [u8::try_from(name).unwrap(); 16],
            name.to_string().into_bytes(),
        )),
        release: None,
        environment: None,
        user: None,
        tags: Vec::new(),
        kept: number.to_string().into_bytes(),
    }
}

/// The same event with a release.
pub(crate) fn of_release(release: &str, event: ArrivingEvent) -> ArrivingEvent {
    ArrivingEvent {
        release: Some(release.to_owned()),
        ..event
    }
}

/// The same event, seen by a user.
pub(crate) fn seen_by(user: u8, event: ArrivingEvent) -> ArrivingEvent {
    ArrivingEvent {
        user: Some(UserMark::from_bytes([user; 16])),
        ..event
    }
}

/// A request with these events, received at the time of the last one.
pub(crate) fn request(project_id: ProjectId, events: Vec<ArrivingEvent>) -> EventDelivery {
    EventDelivery {
        project_id,
        key_id: ClientKeyId::new(1),
        received_at: events.last().map_or(at(0), |last| last.received_at),
        body_bytes: 10,
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

/// Edit that sets a status.
pub(crate) fn status(status: StatusEdit) -> ErrorEdit {
    ErrorEdit {
        status: Some(status),
        ..ErrorEdit::default()
    }
}

/// Stores requests as one group.
pub(crate) fn collect(tx: &mut SqliteWriteTx<'_>, group: &[EventDelivery]) -> Vec<CollectOutcome> {
    store_deliveries(tx, &group.iter().collect::<Vec<_>>()).unwrap()
}

/// Edits an error of [`HERE`].
pub(crate) fn change(tx: &mut SqliteWriteTx<'_>, iid: i64, edit: &ErrorEdit) -> TrackedError {
    let locked = tx.lock_error(HERE, ErrorIid::new(iid)).unwrap().unwrap();
    change_error(tx, locked, edit).unwrap()
}

/// Store, with helpers for tests.
pub(crate) struct TrackerStore(pub(crate) SqliteStore);

impl Default for TrackerStore {
    fn default() -> Self {
        Self(SqliteStore::in_memory().unwrap())
    }
}

impl TrackerStore {
    /// Stores requests as one group.
    pub(crate) fn collect(&self, group: &[EventDelivery]) -> Vec<CollectOutcome> {
        let group = group.to_vec();
        let work = self
            .0
            .write(move |tx| Ok::<_, StoreError>(collect(tx, &group)));
        work.wait().unwrap()
    }

    /// Runs `work` in a transaction that is undone. So all cases of a property use one empty store, which takes longer to
    /// open than a case.
    pub(crate) fn undone<T: Send + 'static>(
        &self,
        work: impl Fn(&mut SqliteWriteTx<'_>) -> T + Send + 'static,
    ) -> T {
        let (sender, result) = channel();
        let undone = self.0.write(move |tx| {
            sender.send(work(tx)).unwrap();
            Err::<(), _>(StoreError::new(StoreErrorKind::Internal, "undo a case"))
        });
        assert!(undone.wait().is_err());
        result.recv().unwrap()
    }

    /// Stores one request to [`HERE`] with these events, and returns the changes that users want to know about.
    pub(crate) fn send(&self, events: Vec<ArrivingEvent>) -> Vec<(i64, ErrorChangeKind)> {
        let outcomes = self.collect(&[request(HERE, events)]);
        let changes = outcomes[0].changes.iter();
        changes.map(|one| (one.iid.get(), one.kind)).collect()
    }

    /// The error of [`HERE`] with this number, if there is one.
    pub(crate) fn find(&self, iid: i64) -> Option<TrackedError> {
        let found = self
            .0
            .read(move |tx| tx.find_error(HERE, ErrorIid::new(iid)));
        let found: Result<_, StoreError> = found.wait();
        found.unwrap()
    }

    /// The error of [`HERE`] with this number.
    pub(crate) fn error(&self, iid: i64) -> TrackedError {
        self.find(iid).unwrap()
    }

    /// Number of events and number of users of an error of [`HERE`].
    pub(crate) fn counts(&self, iid: i64) -> (i64, i64) {
        let error = self.error(iid);
        (error.events, error.users)
    }

    /// Known state of the error of [`HERE`] with a key.
    pub(crate) fn known(&self, name: char) -> KnownError {
        let found = self
            .0
            .write(move |tx| tx.list_known_errors(&[(HERE, key(name))]));
        let found: Result<Vec<KnownError>, StoreError> = found.wait();
        found.unwrap().remove(0)
    }

    /// Events of an error of [`HERE`] that are kept, by their numbers, the oldest first.
    pub(crate) fn kept(&self, iid: i64) -> Vec<u16> {
        let error = self.error(iid).id;
        let listed = self.0.read(move |tx| {
            let mut ids = Vec::new();
            for page in 1.. {
                let listed = tx.list_error_events(error, OffsetPage::new(page, 100))?;
                ids.extend(listed.items.iter().map(|event| event.event_id));
                if !listed.has_next {
                    break;
                }
            }
            Ok::<_, StoreError>(ids)
        });
        let mut ids = listed.wait().unwrap();
        ids.reverse();
        let number = |id: EventId| {
            let bytes = id.as_bytes();
            u16::from_be_bytes([bytes[0], bytes[1]])
        };
        ids.into_iter().map(number).collect()
    }

    /// Number of events among these that [`HERE`] has rows of.
    pub(crate) fn rows_among(&self, numbers: std::ops::Range<u16>) -> usize {
        let ids: Vec<_> = numbers.map(|number| (HERE, id(number))).collect();
        let found = self.0.write(move |tx| tx.list_stored_events(&ids));
        let found: Result<Vec<_>, StoreError> = found.wait();
        found.unwrap().len()
    }

    /// Edits an error of [`HERE`].
    pub(crate) fn change(&self, iid: i64, edit: ErrorEdit) -> TrackedError {
        let changed = self
            .0
            .write(move |tx| Ok::<_, StoreError>(change(tx, iid, &edit)));
        changed.wait().unwrap()
    }

    /// Sets the status of an error of [`HERE`].
    pub(crate) fn set(&self, iid: i64, edit: StatusEdit) -> Status {
        self.change(iid, status(edit)).state.status
    }

    /// Ignores an error of [`HERE`].
    pub(crate) fn ignore(&self, iid: i64, ignoring: IgnoreDuration) -> Status {
        self.set(iid, StatusEdit::Ignore(ignoring))
    }
}
