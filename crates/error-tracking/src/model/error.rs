//! An error: what events of the same key have in common.

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::Level;
use crate::grouping::{Explanation, GroupKey};
use crate::rules::life::Status;

/// An error of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedError {
    /// Its id.
    pub id: ErrorId,
    /// Its number in the project.
    pub iid: ErrorIid,
    /// The project.
    pub project_id: ProjectId,
    /// What people decided about it.
    pub state: ErrorState,
    /// What its latest event says.
    pub facts: ErrorFacts,
    /// When its first event came, by our clock.
    pub first_seen: Timestamp,
    /// When its latest event came.
    pub last_seen: Timestamp,
    /// Its events, for ever: those that are no longer kept count, too.
    pub events: i64,
    /// The users who have seen it, for ever. Users without anything that distinguishes them do not count.
    pub users: i64,
    /// The release of the first event that named one.
    pub first_release: Option<String>,
    /// The release of the latest event that named one.
    pub last_release: Option<String>,
    /// When it came back after it was resolved, if that is what made it unresolved.
    pub regressed_at: Option<Timestamp>,
}

/// What people decide about an error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorState {
    /// Whether it is unresolved, resolved or ignored.
    pub status: Status,
    /// Who is to mend it.
    pub assignee_id: Option<UserId>,
    /// The issue of the project that is about it.
    pub issue_id: Option<IssueId>,
}

/// What an event says of its error, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorFacts {
    /// What happened, in one line.
    pub title: String,
    /// Where, in one line; empty where that is not known.
    pub culprit: String,
    /// The line of the program, if it is known.
    pub location: Option<String>,
    /// How bad it is.
    pub level: Level,
    /// The language or system.
    pub platform: String,
}

/// A key of an error. An error has one, and those that were merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorKey {
    /// Its number.
    pub id: ErrorKeyId,
    /// The error that it belongs to.
    pub error_id: ErrorId,
    /// The key.
    pub key: GroupKey,
    /// What made it.
    pub explanation: Explanation,
    /// When its first event came.
    pub first_seen: Timestamp,
}
