//! Saboteurs of issues and notes.

use ::projects::{
    Issue, IssueBody, IssueCounts, IssueFilter, IssueScope, Locked, NewIssue, NoteFilter, Noteable,
    ResourceNote, Viewer,
};
use api_conventions::ids::{IssueIid, LabelId, NoteId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

/// Returns the same list for a viewer who sees everything.
fn for_all_eyes(filter: &IssueFilter) -> IssueFilter {
    let user = filter.viewer.user_id().unwrap_or(UserId::new(-1));
    let scope = match filter.scope {
        IssueScope::Project { id, .. } => IssueScope::Project {
            id,
            sees_confidential: true,
        },
        other => other,
    };
    IssueFilter {
        viewer: Viewer::Administrator(user),
        scope,
        ..filter.clone()
    }
}

/// Lists confidential issues for all viewers.
pub(crate) struct ShowsConfidentialIssues;

impl Saboteur for ShowsConfidentialIssues {
    fn list_issues(
        &self,
        at: &mut ReadHook<'_>,
        filter: &IssueFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Issue>, StoreError> {
        at.tx.list_issues(&for_all_eyes(filter), today, page)
    }
}

/// Counts issues that the viewer does not see.
pub(crate) struct CountsHiddenIssues;

impl Saboteur for CountsHiddenIssues {
    fn count_issues(
        &self,
        at: &mut ReadHook<'_>,
        filter: &IssueFilter,
        today: CalendarDate,
    ) -> Result<IssueCounts, StoreError> {
        at.tx.count_issues(&for_all_eyes(filter), today)
    }

    fn count_issues_by_label(
        &self,
        at: &mut ReadHook<'_>,
        filter: &IssueFilter,
        labels: &[LabelId],
        today: CalendarDate,
    ) -> Result<Vec<(LabelId, IssueCounts)>, StoreError> {
        let filter = for_all_eyes(filter);
        at.tx.count_issues_by_label(&filter, labels, today)
    }
}

/// Finds an issue by its number in a project that has none with that number.
pub(crate) struct MixesUpIssues;

impl Saboteur for MixesUpIssues {
    fn find_issue(
        &self,
        at: &mut ReadHook<'_>,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Issue>, StoreError> {
        let places = [project, ProjectId::new(1), ProjectId::new(2)];
        for place in places {
            if let Some(found) = at.tx.find_issue(place, iid)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// Uses a number for an issue that is never created.
pub(crate) struct SkipsNumbers;

impl Saboteur for SkipsNumbers {
    fn insert_issue(&self, at: &mut WriteHook<'_>, new: &NewIssue) -> Result<Issue, StoreError> {
        let lost = at.tx.insert_issue(new)?;
        if let Some(locked) = at.tx.lock_issue(new.project_id, lost.iid)? {
            at.tx.delete_issue(locked)?;
        }
        at.tx.insert_issue(new)
    }
}

/// Reuses numbers that were left out.
pub(crate) struct GivesSkippedNumbers;

impl Saboteur for GivesSkippedNumbers {
    fn skip_issue_numbers(
        &self,
        _: &mut WriteHook<'_>,
        _: ProjectId,
        _: IssueIid,
    ) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Keeps the labels and assignees of an issue that is updated.
pub(crate) struct AddsOnly;

impl Saboteur for AddsOnly {
    fn update_issue(
        &self,
        at: &mut WriteHook<'_>,
        issue: Locked<Issue>,
        mut body: IssueBody,
        now: Timestamp,
    ) -> Result<Issue, StoreError> {
        body.assignees.extend(&issue.body.assignees);
        body.labels.extend(&issue.body.labels);
        at.tx.update_issue(issue, body, now)
    }
}

/// Lists internal notes for all viewers.
pub(crate) struct ShowsInternalNotes;

impl Saboteur for ShowsInternalNotes {
    fn list_notes(
        &self,
        at: &mut ReadHook<'_>,
        filter: &NoteFilter,
        page: OffsetPage,
    ) -> Result<Page<ResourceNote>, StoreError> {
        let mut filter = *filter;
        filter.sees_internal = true;
        at.tx.list_notes(&filter, page)
    }

    fn list_comment_ids(
        &self,
        at: &mut ReadHook<'_>,
        on: Noteable,
        _: bool,
        after: NoteId,
        limit: usize,
    ) -> Result<Vec<NoteId>, StoreError> {
        at.tx.list_comment_ids(on, true, after, limit)
    }
}

/// Updates a note on any noteable.
pub(crate) struct ChangesAnyNote;

impl Saboteur for ChangesAnyNote {
    fn update_note(
        &self,
        at: &mut WriteHook<'_>,
        _: Noteable,
        id: NoteId,
        body: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let found = at.tx.list_notes_by_id(&[id])?;
        let Some(note) = found.first() else {
            return Ok(false);
        };
        at.tx.update_note(note.on, id, body, now)
    }
}

/// Deletes a note and does not report whether it existed.
pub(crate) struct DeletesAgain;

impl Saboteur for DeletesAgain {
    fn delete_note(
        &self,
        at: &mut WriteHook<'_>,
        on: Noteable,
        id: NoteId,
    ) -> Result<bool, StoreError> {
        at.tx.delete_note(on, id)?;
        Ok(true)
    }
}
