//! Notes on an issue or alert: comments and changes in chronological order.

use std::collections::HashMap;

use accounts::User;
use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::rules::issues::sees_confidential;
use projects::{NoteFilter, Noteable, ResourceNote, Viewer};
use storage::StoreError;

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::project::ProjectContext;
use crate::frame::page::prose::{Prose, Text};

/// Note as a page shows it.
#[derive(Debug)]
pub struct TimelineEntry {
    /// Id of the note.
    pub id: String,
    /// True if the program wrote it.
    pub is_system: bool,
    /// Marks: visible to Reporters and up only; edited.
    pub marks: Vec<&'static str>,
    /// Author of the note or of the change.
    pub author: DisplayName,
    /// Time of the note.
    pub time: DisplayTime,
    /// Rendered text.
    pub prose: Prose,
    /// True if the viewer may edit it.
    pub is_own: bool,
}

/// Notes with their authors.
#[derive(Debug)]
pub struct Timeline {
    /// The notes.
    pub notes: Page<ResourceNote>,
    users: HashMap<UserId, User>,
}

/// Filter for the notes that a viewer with this access may read on a resource, the oldest first.
pub fn seen_notes(on: Noteable, found: &ProjectContext) -> NoteFilter {
    NoteFilter {
        sort: SortOrder::Ascending,
        ..NoteFilter::new(on, sees_confidential(found.access))
    }
}

impl Timeline {
    /// Reads a page of the notes.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn read(
        tx: &mut dyn ReadTransaction,
        notes: &NoteFilter,
        paging: OffsetPage,
    ) -> Result<Self, StoreError> {
        let notes = tx.list_notes(notes, paging)?;
        let mut ids: Vec<UserId> = notes.items.iter().map(|note| note.author_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let users = tx.list_users_by_id(&ids)?.into_iter();
        Ok(Self {
            notes,
            users: users.map(|user| (user.id, user)).collect(),
        })
    }

    /// Texts of the notes, in order.
    pub fn texts(&self) -> impl Iterator<Item = Text> {
        self.notes.items.iter().map(|note| Text {
            id_prefix: format!("note-{}-", note.id),
            text: note.body.clone(),
        })
    }

    /// Combines the notes with their rendered texts.
    pub fn entries(
        &self,
        texts: impl Iterator<Item = Prose>,
        viewer: Viewer,
        found: &ProjectContext,
        now: Timestamp,
    ) -> Vec<TimelineEntry> {
        let entry = |(note, prose): (&ResourceNote, Prose)| {
            let author = self.users.get(&note.author_id);
            TimelineEntry {
                id: note.id.to_string(),
                is_system: note.system,
                marks: marks(note),
                author: DisplayName::of(author.map_or("A deleted user", |user| &user.name)),
                time: DisplayTime::at(note.created_at, now),
                prose,
                is_own: may_change(note, viewer, found),
            }
        };
        self.notes.items.iter().zip(texts).map(entry).collect()
    }
}

fn marks(note: &ResourceNote) -> Vec<&'static str> {
    let internal = note.internal.then_some("Internal");
    let edited = (note.updated_at != note.created_at).then_some("Edited");
    internal.into_iter().chain(edited).collect()
}

/// True if the viewer may edit a note: its author and Maintainers may; notes written by the program cannot be edited.
pub fn may_change(note: &ResourceNote, viewer: Viewer, found: &ProjectContext) -> bool {
    let is_author = viewer.user_id() == Some(note.author_id);
    let may =
        is_author || (viewer.user_id().is_some() && found.access.allows(AccessLevel::Maintainer));
    may && !note.system && !found.project.archived
}
