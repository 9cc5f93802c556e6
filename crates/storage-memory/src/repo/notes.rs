//! Notes on issues and alerts.

use std::ops::Deref;

use api_conventions::ids::{IssueId, NoteId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use projects::{
    NewNote, Note, NoteActivity, NoteFilter, NoteOrder, NoteQueries, NoteRepository, Noteable,
    NoteableKind,
};
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::Table;

/// The notes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    pub(super) notes: Table<NoteId, Note>,
}

impl Tables {
    /// Deletes notes of a project that goes, too, at most `limit`, and gives how many went.
    pub(super) fn delete_of(&mut self, project: ProjectId, limit: usize) -> usize {
        let of_project = |note: &Note| note.on.project_id == project;
        self.notes.remove_where(limit, of_project).len()
    }

    /// Deletes what was written on an issue.
    pub(super) fn forget_issue(&mut self, id: IssueId) {
        let is_on = |note: &Note| (note.on.kind, note.on.id) == (NoteableKind::Issue, id.get());
        self.notes.remove_where(usize::MAX, is_on);
    }
}

fn is_on(note: &Note, on: Noteable) -> bool {
    (note.on.kind, note.on.id) == (on.kind, on.id)
}

fn matches(note: &Note, filter: &NoteFilter) -> bool {
    let is_wanted = match filter.activity {
        NoteActivity::All => true,
        NoteActivity::Comments => !note.system,
        NoteActivity::Activity => note.system,
    };
    is_on(note, filter.on) && is_wanted && (filter.sees_internal || !note.internal)
}

impl<S: Deref<Target = State>> NoteQueries for MemoryTx<S> {
    fn find_note(&mut self, on: Noteable, id: NoteId) -> Result<Option<Note>, StoreError> {
        let found = self.0.notes.notes.get(id);
        Ok(found.filter(|note| is_on(note, on)).cloned())
    }

    fn list_notes_by_id(&mut self, ids: &[NoteId]) -> Result<Vec<Note>, StoreError> {
        let notes = self.0.notes.notes.rows();
        Ok(notes
            .filter(|note| ids.contains(&note.id))
            .cloned()
            .collect())
    }

    fn list_notes(
        &mut self,
        filter: &NoteFilter,
        page: OffsetPage,
    ) -> Result<Page<Note>, StoreError> {
        let key = |note: &Note| match filter.order_by {
            NoteOrder::CreatedAt => note.created_at,
            NoteOrder::UpdatedAt => note.updated_at,
        };
        let notes = &self.0.notes.notes;
        Ok(notes.page(|note| matches(note, filter), key, filter.sort, page))
    }

    fn list_comment_ids(
        &mut self,
        on: Noteable,
        sees_internal: bool,
        after: NoteId,
        limit: usize,
    ) -> Result<Vec<NoteId>, StoreError> {
        let notes = self.0.notes.notes.rows();
        let notes = notes.filter(|note| is_on(note, on) && !note.system && note.id > after);
        let notes = notes.filter(|note| sees_internal || !note.internal);
        Ok(notes.map(|note| note.id).take(limit).collect())
    }
}

/// Counts so many more notes of people on the thing, if it is an issue.
fn count(state: &mut State, on: Noteable, more: i64) {
    if on.kind == NoteableKind::Issue {
        let issues = &mut state.issues.issues;
        issues.update(IssueId::new(on.id), |issue| issue.user_notes_count += more);
    }
}

impl NoteRepository for MemoryWriteTx<'_> {
    fn insert_notes(&mut self, new: &[NewNote]) -> Result<Vec<Note>, StoreError> {
        let mut inserted = Vec::new();
        for new in new {
            inserted.push(self.0.notes.notes.insert_copy(|id| new.stored(id)));
            count(self.0, new.on, i64::from(!new.system));
        }
        Ok(inserted)
    }

    fn update_note(
        &mut self,
        on: Noteable,
        id: NoteId,
        body: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let note = self
            .0
            .notes
            .notes
            .get_mut(id)
            .filter(|note| is_on(note, on));
        let written = note.map(|note| {
            body.clone_into(&mut note.body);
            note.updated_at = now;
        });
        Ok(written.is_some())
    }

    fn delete_note(&mut self, on: Noteable, id: NoteId) -> Result<bool, StoreError> {
        let Some(note) = self.find_note(on, id)? else {
            return Ok(false);
        };
        count(self.0, on, -i64::from(!note.system));
        Ok(self.0.notes.notes.remove(id))
    }
}
