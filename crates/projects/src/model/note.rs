//! Notes on issues and alerts.

use api_conventions::ids::{NoteId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

/// The longest body, in characters.
pub const MAX_NOTE_BODY: u64 = 1_000_000;

api_conventions::named! {
    /// Type of the resource that a note is on.
    pub enum NoteableKind {
        /// An issue.
        Issue = 0, "Issue";
        /// An alert.
        Alert = 1, "AlertManagement::Alert";
    }
}

/// Resource that a note is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noteable {
    /// Project of the resource.
    pub project_id: ProjectId,
    /// Type.
    pub kind: NoteableKind,
    /// Id, unique within the type.
    pub id: i64,
    /// Number in the project.
    pub iid: i64,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceNote {
    /// Id.
    pub id: NoteId,
    /// Resource that the note is on.
    pub on: Noteable,
    /// Author, or the user whose change a system note describes.
    pub author_id: UserId,
    /// The text, in Markdown.
    pub body: String,
    /// True for a system note, which the server wrote about a change.
    pub system: bool,
    /// True if only members with at least the Reporter role can see it.
    pub internal: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change to the text.
    pub updated_at: Timestamp,
}

impl ResourceNote {
    /// Resource name in error responses.
    pub const NAME: &'static str = "Note";
}

/// A note to be created.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct NewNote {
    /// Resource that the note is on.
    pub on: Noteable,
    /// Author.
    pub author_id: UserId,
    /// The text.
    #[validate(custom(function = "not_blank"), length(max = "MAX_NOTE_BODY"))]
    pub body: String,
    /// True for a system note, which the server writes about a change.
    pub system: bool,
    /// True if only members with at least the Reporter role can see it.
    pub internal: bool,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl NewNote {
    /// The note as stored under an id.
    pub fn stored(&self, id: NoteId) -> ResourceNote {
        ResourceNote {
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
    /// Sort column of a list of notes.
    /// Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum NoteOrder {
        /// Time of creation: the default.
        #[default]
        CreatedAt = 0, "created_at";
        /// Time of the last change.
        UpdatedAt = 1, "updated_at";
    }
}

api_conventions::named! {
    /// Filter for comments or system notes.
    #[derive(Default)]
    pub enum NoteActivity {
        /// All.
        #[default]
        All = 0, "all_notes";
        /// Comments by users.
        Comments = 1, "only_comments";
        /// System notes about changes.
        Activity = 2, "only_activity";
    }
}

/// Filter for notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteFilter {
    /// Resource that the notes are on.
    pub on: Noteable,
    /// True if the viewer sees internal notes.
    pub sees_internal: bool,
    /// Comments, system notes, or all notes.
    pub activity: NoteActivity,
    /// Sort column.
    pub order_by: NoteOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl NoteFilter {
    /// All notes on a resource, the newest first.
    pub fn new(on: Noteable, sees_internal: bool) -> Self {
        Self {
            on,
            sees_internal,
            activity: NoteActivity::default(),
            order_by: NoteOrder::default(),
            sort: SortOrder::default(),
        }
    }

    /// True if a list contains all notes on the resource.
    pub fn holds_all(&self) -> bool {
        self.sees_internal && self.activity == NoteActivity::All
    }
}
