//! Rows of errors.

use api_conventions::ids::{ErrorId, ErrorIid, IssueId, ProjectId, UserId};
use error_tracking::model::{ErrorFacts, ErrorState, Level, TrackedError};
use storage::StoreError;

use super::terms;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    errors: ErrorRow, NewErrorRow;
    fixed {
        project_id: BigInt,
        iid: BigInt,
        status: SmallInt,
        terms: Nullable<Text>,
        assignee_id: Nullable<BigInt>,
        issue_id: Nullable<BigInt>,
        title: Text,
        culprit: Text,
        location: Nullable<Text>,
        level: SmallInt,
        platform: Text,
        first_seen: BigInt,
        last_seen: BigInt,
        events: BigInt,
        users: BigInt,
        first_release: Nullable<Text>,
        last_release: Nullable<Text>,
        regressed_at: Nullable<BigInt>,
    }
}

impl DomainRow for ErrorRow {
    type Value = TrackedError;

    fn read(self) -> Result<TrackedError, StoreError> {
        let row = self.reader();
        let status = terms::status(self.status, self.terms.as_deref());
        Ok(TrackedError {
            id: ErrorId::new(self.id),
            iid: ErrorIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            state: ErrorState {
                status: row.require(status, "unknown state")?,
                assignee_id: self.assignee_id.map(UserId::new),
                issue_id: self.issue_id.map(IssueId::new),
            },
            facts: ErrorFacts {
                title: self.title,
                culprit: self.culprit,
                location: self.location,
                level: row.require(Level::from_number(self.level), "unknown level")?,
                platform: self.platform,
            },
            first_seen: row.timestamp(self.first_seen)?,
            last_seen: row.timestamp(self.last_seen)?,
            events: self.events,
            users: self.users,
            first_release: self.first_release,
            last_release: self.last_release,
            regressed_at: row.optional_timestamp(self.regressed_at)?,
        })
    }
}

impl<'v> From<&'v TrackedError> for NewErrorRow<'v> {
    /// Creates the row of an error that has no id yet.
    fn from(error: &'v TrackedError) -> Self {
        let (status, terms) = terms::columns(&error.state.status);
        Self {
            project_id: error.project_id.get(),
            iid: error.iid.get(),
            status,
            terms: terms.map(Into::into),
            assignee_id: error.state.assignee_id.map(UserId::get),
            issue_id: error.state.issue_id.map(IssueId::get),
            title: error.facts.title.as_str().into(),
            culprit: error.facts.culprit.as_str().into(),
            location: error.facts.location.as_deref().map(Into::into),
            level: error.facts.level.number(),
            platform: error.facts.platform.as_str().into(),
            first_seen: error.first_seen.as_micros(),
            last_seen: error.last_seen.as_micros(),
            events: error.events,
            users: error.users,
            first_release: error.first_release.as_deref().map(Into::into),
            last_release: error.last_release.as_deref().map(Into::into),
            regressed_at: error
                .regressed_at
                .map(api_conventions::time::Timestamp::as_micros),
        }
    }
}
