//! Errors: events with the same grouping key.

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::Level;
use crate::grouping::{Explanation, GroupKey};
use crate::rules::status::Status;

/// Error of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedError {
    /// Id of the error.
    pub id: ErrorId,
    /// Number in the project.
    pub iid: ErrorIid,
    /// The project.
    pub project_id: ProjectId,
    /// Status, assignee and linked issue.
    pub state: ErrorState,
    /// Facts from the latest event.
    pub facts: ErrorFacts,
    /// Time of receipt of the first event, by the server's clock.
    pub first_seen: Timestamp,
    /// Time of receipt of the latest event.
    pub last_seen: Timestamp,
    /// Number of events ever received, including those that are no longer kept.
    pub events: i64,
    /// Number of users ever affected.
    /// Users whom nothing distinguishes do not count.
    pub users: i64,
    /// The release of the first event that named one.
    pub first_release: Option<String>,
    /// The release of the latest event that named one.
    pub last_release: Option<String>,
    /// Time of the regression, if that is why the error is unresolved.
    pub regressed_at: Option<Timestamp>,
}

impl TrackedError {
    /// Time at which the error became new to its project: of its regression, or else of its first event.
    pub fn surfaced_at(&self) -> Timestamp {
        self.regressed_at
            .map_or(self.first_seen, |at| at.max(self.first_seen))
    }
}

/// State of an error that users edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorState {
    /// Status: unresolved, resolved or ignored.
    pub status: Status,
    /// Assignee.
    pub assignee_id: Option<UserId>,
    /// Linked issue of the project.
    pub issue_id: Option<IssueId>,
}

/// Facts about an error, taken from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorFacts {
    /// Title, in one line.
    pub title: String,
    /// Culprit, in one line; empty if unknown.
    pub culprit: String,
    /// Location in the source code, if known.
    pub location: Option<String>,
    /// Severity.
    pub level: Level,
    /// Language or platform.
    pub platform: String,
}

/// Grouping key of an error.
/// An error has its own, and those of the errors that were merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorKey {
    /// Id of the key.
    pub id: ErrorKeyId,
    /// Error that the key belongs to.
    pub error_id: ErrorId,
    /// The key.
    pub key: GroupKey,
    /// Explanation of the key.
    pub explanation: Explanation,
    /// Time of receipt of the first event with the key.
    pub first_seen: Timestamp,
}
