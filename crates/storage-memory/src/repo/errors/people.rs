//! What people change about errors, and what goes with a project.

use std::collections::BTreeSet;

use api_conventions::ids::{ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId};
use error_tracking::model::{ErrorComment, ErrorState, EventId, TrackedError};
use error_tracking::store::{ErrorQueries as _, ErrorRepository};
use storage::{Locked, StoreError};

use super::{AttachmentRow, EventRow, KeyRow, Tables, gone};
use crate::store::MemoryWriteTx;

impl Tables {
    /// Deletes an error with all that belongs to it.
    fn delete_error(&mut self, error: &TrackedError) {
        let keys = self.key_ids_of(error.id);
        let rows = self.events.rows();
        let events: Vec<(ErrorEventId, EventId)> = rows
            .filter(|row| keys.contains(&row.summary.key_id))
            .map(|row| (row.summary.id, row.summary.event_id))
            .collect();
        let ids: BTreeSet<EventId> = events.iter().map(|(_, event)| *event).collect();
        let is_its = |of: ProjectId, event: Option<EventId>| {
            of == error.project_id && event.is_some_and(|event| ids.contains(&event))
        };
        self.comments
            .remove_where(usize::MAX, |row: &ErrorComment| {
                is_its(row.project_id, row.event_id)
            });
        self.attachments
            .remove_where(usize::MAX, |row: &AttachmentRow| {
                is_its(row.project_id, Some(row.event_id))
            });
        for (id, _) in events {
            self.forget_event(id);
        }
        self.users.retain(|(key, _)| !keys.contains(key));
        self.hours.retain(|(key, _), _| !keys.contains(key));
        self.tags.retain(|(key, ..), _| !keys.contains(key));
        self.keys_by_digest.retain(|_, key| !keys.contains(key));
        for key in keys {
            self.keys.remove(key);
        }
        self.errors_by_iid.remove(&(error.project_id, error.iid));
        self.redirects
            .retain(|_, redirect| redirect.into != error.id);
        self.errors.remove(error.id);
    }

    /// Deletes rows of a project that goes, at most `limit`: what is in errors before the errors, and its settings last.
    fn delete_of(&mut self, project: ProjectId, limit: usize) -> usize {
        let keys = self.keys.rows().filter(|row| row.project_id == project);
        let keys: BTreeSet<ErrorKeyId> = keys.map(|row| row.key.id).collect();
        let mut left = limit;
        let is_its = |row: &AttachmentRow| row.project_id == project;
        left -= self.attachments.remove_where(left, is_its).len();
        let is_its = |row: &ErrorComment| row.project_id == project;
        left -= self.comments.remove_where(left, is_its).len();
        let is_its = |row: &EventRow| row.project_id == project;
        let events = self.events.remove_where(left, is_its);
        self.events_by_id.retain(|_, id| !events.contains(id));
        left -= events.len();
        let tags = &mut self.tags;
        let tags = tags.extract_if(.., |(key, ..), _| keys.contains(key));
        left -= tags.take(left).count();
        let hours = &mut self.hours;
        let hours = hours.extract_if(.., |(key, _), _| keys.contains(key));
        left -= hours.take(left).count();
        let users = self.users.extract_if(.., |(key, _)| keys.contains(key));
        left -= users.take(left).count();
        let is_its = |row: &KeyRow| row.project_id == project;
        let keys = self.keys.remove_where(left, is_its);
        self.keys_by_digest.retain(|_, id| !keys.contains(id));
        left -= keys.len();
        let redirects = self.redirects.extract_if(.., |(of, _), _| *of == project);
        left -= redirects.take(left).count();
        let is_its = |row: &TrackedError| row.project_id == project;
        let errors: Vec<ErrorId> = self.errors.remove_where(left, is_its);
        self.errors_by_iid.retain(|_, id| !errors.contains(id));
        left -= errors.len();
        let releases = self.releases.extract_if(.., |(of, _), _| *of == project);
        left -= releases.take(left).count();
        let tallies = &mut self.tallies;
        let tallies = tallies.extract_if(.., |of, _| of.project_id == project);
        left -= tallies.take(left).count();
        let sessions = &mut self.sessions;
        let sessions = sessions.extract_if(.., |of, _| of.project_id == project);
        left -= sessions.take(left).count();
        let numbers = self.last_iids.extract_if(.., |of, _| *of == project);
        left -= numbers.take(left).count();
        let client_keys = &mut self.client_keys;
        left -= client_keys
            .remove_where(left, |key| key.project_id == project)
            .len();
        let links = &mut self.external_links;
        let links = links.extract_if(.., |(of, _), _| *of == project);
        left -= links.take(left).count();
        let settings = self.settings.extract_if(.., |of, _| *of == project);
        left -= settings.take(left).count();
        limit - left
    }
}

/// There is one write transaction at a time, so nothing has to be locked.
impl ErrorRepository for MemoryWriteTx<'_> {
    fn lock_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<Locked<TrackedError>>, StoreError> {
        Ok(self.find_error(project, iid)?.map(Locked::by_adapter))
    }

    fn update_error(
        &mut self,
        error: Locked<TrackedError>,
        state: &ErrorState,
    ) -> Result<TrackedError, StoreError> {
        let row = self.0.errors.errors.get_mut(error.id);
        let row = row.ok_or_else(|| gone("update error"))?;
        row.state = state.clone();
        row.regressed_at = None;
        Ok(row.clone())
    }

    fn merge_errors(
        &mut self,
        from: Locked<TrackedError>,
        to: Locked<TrackedError>,
    ) -> Result<TrackedError, StoreError> {
        self.0.errors.merge(from.id, to.id)
    }

    fn split_error_key(
        &mut self,
        error: Locked<TrackedError>,
        key: ErrorKeyId,
    ) -> Result<TrackedError, StoreError> {
        self.0.errors.split(&error, key)
    }

    fn delete_error(&mut self, error: Locked<TrackedError>) -> Result<(), StoreError> {
        self.0.errors.delete_error(&error);
        Ok(())
    }

    fn unlink_issue(&mut self, issue: IssueId) -> Result<Option<ErrorId>, StoreError> {
        let found = self.error_of_issue(issue).map(|error| error.id);
        let links = &mut self.0.errors.external_links;
        links.retain(|_, linked| *linked != issue);
        if let Some(id) = found {
            let errors = &mut self.0.errors.errors;
            errors.update(id, |error| error.state.issue_id = None);
        }
        Ok(found)
    }

    fn lock_error_of_issue(
        &mut self,
        project: ProjectId,
        issue: IssueId,
    ) -> Result<Option<Locked<TrackedError>>, StoreError> {
        let found = self.error_of_issue(issue);
        let found = found.filter(|error| error.project_id == project).cloned();
        Ok(found.map(Locked::by_adapter))
    }

    fn delete_errors_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        Ok(self.0.errors.delete_of(project, limit))
    }
}
