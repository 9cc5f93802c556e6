//! Notes on issues and alerts.

use api_conventions::ids::{NoteId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

/// The longest body, in characters.
pub const MAX_NOTE_BODY: u64 = 1_000_000;

api_conventions::named! {
    /// What kind of thing a note is on.
    pub enum NoteableKind {
        /// An issue.
        Issue = 0, "Issue";
        /// An alert.
        Alert = 1, "AlertManagement::Alert";
    }
}

/// The thing that a note is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noteable {
    /// Its project.
    pub project_id: ProjectId,
    /// What kind of thing it is.
    pub kind: NoteableKind,
    /// Its id among all of its kind.
    pub id: i64,
    /// Its number in the project.
    pub iid: i64,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its id.
    pub id: NoteId,
    /// What it is on.
    pub on: Noteable,
    /// Who wrote it, or did what a system note tells.
    pub author_id: UserId,
    /// The text, in Markdown.
    pub body: String,
    /// Whether the program wrote it about a change.
    pub system: bool,
    /// Whether only Reporters and up see it.
    pub internal: bool,
    /// When it was written.
    pub created_at: Timestamp,
    /// When its text last changed.
    pub updated_at: Timestamp,
}

impl Note {
    /// What refusals call a note.
    pub const NAME: &'static str = "Note";
}

/// A note to be written.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct NewNote {
    /// What it is on.
    pub on: Noteable,
    /// Who writes it.
    pub author_id: UserId,
    /// The text.
    #[validate(custom(function = "not_blank"), length(max = "MAX_NOTE_BODY"))]
    pub body: String,
    /// Whether the program writes it about a change.
    pub system: bool,
    /// Whether only Reporters and up see it.
    pub internal: bool,
    /// When it was written.
    pub created_at: Timestamp,
}

impl NewNote {
    /// The note that it becomes under an id.
    pub fn stored(&self, id: NoteId) -> Note {
        Note {
            id,
            on: self.on,
            author_id: self.author_id,
            body: self.body.clone(),
            system: self.system,
            internal: self.internal,
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

api_conventions::named! {
    /// The time by which notes are listed. Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum NoteOrder {
        /// That of writing: the default.
        #[default]
        CreatedAt = 0, "created_at";
        /// That of the last change.
        UpdatedAt = 1, "updated_at";
    }
}

api_conventions::named! {
    /// Which notes to list by who wrote them.
    #[derive(Default)]
    pub enum NoteActivity {
        /// All.
        #[default]
        All = 0, "all_notes";
        /// What people wrote.
        Comments = 1, "only_comments";
        /// What the program wrote about changes.
        Activity = 2, "only_activity";
    }
}

/// Which notes to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteFilter {
    /// What they are on.
    pub on: Noteable,
    /// Whether the reader sees internal ones.
    pub sees_internal: bool,
    /// By who wrote them.
    pub activity: NoteActivity,
    /// The order.
    pub order_by: NoteOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl NoteFilter {
    /// All notes on a thing, the newest first.
    pub fn new(on: Noteable, sees_internal: bool) -> Self {
        Self {
            on,
            sees_internal,
            activity: NoteActivity::default(),
            order_by: NoteOrder::default(),
            sort: SortOrder::default(),
        }
    }

    /// Whether a list holds all notes on the thing.
    pub fn holds_all(&self) -> bool {
        self.sees_internal && self.activity == NoteActivity::All
    }
}
