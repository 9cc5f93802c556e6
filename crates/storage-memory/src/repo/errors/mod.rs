//! Settings, client keys, errors, their events, and what is counted of them.
//!
//! Events belong to a key and a key to an error, so a merge moves keys and counts anew.

mod arriving;
mod collect;
mod company;
mod merged;
mod people;
mod queries;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::{
    AttachmentId, ClientKeyId, ErrorCommentId, ErrorEventId, ErrorId, ErrorIid, ErrorKeyId,
    IssueId, ProjectId,
};
use api_conventions::time::Timestamp;
use error_tracking::grouping::GroupKey;
use error_tracking::model::{
    ClientKey, ErrorComment, ErrorEvent, ErrorEventSummary, ErrorKey, EventId, SessionSum,
    SessionSumOf, Settings, StoredAttachment, TallyOf, TrackedError, UserMark,
};
use storage::{StoreError, StoreErrorKind};

use crate::table::Table;

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    settings: BTreeMap<ProjectId, Settings>,
    external_links: BTreeMap<(ProjectId, ErrorIid), IssueId>,
    client_keys: Table<ClientKeyId, ClientKey>,
    errors: Table<ErrorId, TrackedError>,
    errors_by_iid: BTreeMap<(ProjectId, ErrorIid), ErrorId>,
    redirects: BTreeMap<(ProjectId, ErrorIid), Redirect>,
    last_iids: BTreeMap<ProjectId, i64>,
    keys: Table<ErrorKeyId, KeyRow>,
    keys_by_digest: BTreeMap<(ProjectId, GroupKey), ErrorKeyId>,
    events: Table<ErrorEventId, EventRow>,
    events_by_id: BTreeMap<(ProjectId, EventId), ErrorEventId>,
    users: BTreeSet<(ErrorKeyId, UserMark)>,
    hours: BTreeMap<(ErrorKeyId, Timestamp), i64>,
    tags: BTreeMap<(ErrorKeyId, String, String), TagRow>,
    releases: BTreeMap<(ProjectId, String), Timestamp>,
    tallies: BTreeMap<TallyOf, i64>,
    sessions: BTreeMap<SessionSumOf, SessionSum>,
    comments: Table<ErrorCommentId, ErrorComment>,
    attachments: Table<AttachmentId, AttachmentRow>,
}

/// An error that was merged, and the error that has its events.
#[derive(Debug, Clone, Copy)]
struct Redirect {
    from: ErrorId,
    into: ErrorId,
}

/// A key, and how many events it put where they are.
#[derive(Debug, Clone)]
struct KeyRow {
    project_id: ProjectId,
    key: ErrorKey,
    events: i64,
    kept: i64,
}

/// An event. One that is no longer kept has no bytes: it only was stored.
#[derive(Debug, Clone)]
struct EventRow {
    project_id: ProjectId,
    number: i64,
    summary: ErrorEventSummary,
    kept: Option<Vec<u8>>,
    shared: Option<Vec<u8>>,
}

impl EventRow {
    /// The event, if it is kept.
    fn event(&self) -> Option<ErrorEvent> {
        Some(ErrorEvent {
            summary: self.summary.clone(),
            kept: self.kept.clone()?,
            shared: self.shared.clone(),
        })
    }
}

/// How many events of a key have a tag, and when the latest came.
#[derive(Debug, Clone, Copy)]
struct TagRow {
    events: i64,
    last_seen: Timestamp,
}

/// A file with its bytes.
#[derive(Debug, Clone)]
struct AttachmentRow {
    project_id: ProjectId,
    event_id: EventId,
    received_at: Timestamp,
    file: StoredAttachment,
    bytes: Vec<u8>,
}

impl Tables {
    fn error_at(&self, project: ProjectId, iid: ErrorIid) -> Option<&TrackedError> {
        let id = self.errors_by_iid.get(&(project, iid))?;
        self.errors.get(*id)
    }

    /// The keys of an error, the oldest first.
    fn keys_of(&self, error: ErrorId) -> impl Iterator<Item = &KeyRow> {
        self.keys
            .rows()
            .filter(move |row| row.key.error_id == error)
    }

    fn key_ids_of(&self, error: ErrorId) -> BTreeSet<ErrorKeyId> {
        self.keys_of(error).map(|row| row.key.id).collect()
    }

    /// The events of these keys that are kept, in the order in which they came.
    fn kept_of(&self, keys: BTreeSet<ErrorKeyId>) -> impl DoubleEndedIterator<Item = &EventRow> {
        let rows: Vec<&EventRow> = self.events.rows().collect();
        rows.into_iter()
            .filter(move |row| row.kept.is_some() && keys.contains(&row.summary.key_id))
    }

    /// How many users these keys have, each counted once.
    fn users_of(&self, keys: &BTreeSet<ErrorKeyId>) -> i64 {
        let seen = self.users.iter().filter(|(key, _)| keys.contains(key));
        let users: BTreeSet<&UserMark> = seen.map(|(_, user)| user).collect();
        i64::try_from(users.len()).unwrap_or(i64::MAX)
    }

    /// The next number of a project.
    fn reserve(&mut self, project: ProjectId, count: i64) -> ErrorIid {
        let last = self.last_iids.entry(project).or_default();
        let first = ErrorIid::new(*last + 1);
        *last += count;
        first
    }

    /// Forgets an event altogether.
    fn forget_event(&mut self, id: ErrorEventId) {
        let Some(row) = self.events.take(id) else {
            return;
        };
        let id = (row.project_id, row.summary.event_id);
        self.events_by_id.remove(&id);
        if let Some(key) = self.keys.get_mut(row.summary.key_id) {
            key.kept -= i64::from(row.kept.is_some());
        }
    }
}

/// The error of a row that was changed after it was deleted in the same transaction.
fn gone(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail("the error is gone")
}
