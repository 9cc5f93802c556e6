//! Parameters and responses shared by the notes on issues and on alerts.

use std::collections::{BTreeSet, HashMap};

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::error::ApiError;
use api_conventions::ids::{NoteId, UserId};
use api_conventions::page::{Page, SortOrder, Total};
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::notes::WantedNote;
use projects::flow::notes::NoteError;
use projects::wire::NoteJson;
use projects::{Note, NoteActivity, NoteFilter, NoteOrder, Noteable};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Parameter};

use crate::frame::api::ApiRequest;

pub(super) const TAG: &str = "notes";
pub(super) const ID: Parameter = Parameter::path("note_id", Kind::ID, "The id of the note.");
pub(super) const BODY: Parameter = Parameter::body(
    "body",
    Kind::Text {
        min: 1,
        max: 1_000_000,
    },
    "The text, in Markdown.",
);
/// Parameters of a new note besides its text.
pub(super) fn written() -> [Parameter; 3] {
    let internal = "Whether only Reporters and up see it.";
    [
        Parameter::body("internal", Kind::Boolean, internal),
        Parameter::body(
            "confidential",
            Kind::Boolean,
            "The older name of `internal`.",
        ),
        Parameter::body(
            "created_at",
            Kind::Timestamp,
            "When it was written, from Owners; others cannot say so.",
        ),
    ]
}

/// Parameters of a list of notes.
pub(super) fn listed() -> [Parameter; 3] {
    [
        Parameter::query("order_by", Kind::Word(NoteOrder::NAMES), "By which time."),
        Parameter::query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
        Parameter::query(
            "activity_filter",
            Kind::Word(NoteActivity::NAMES),
            "Only what people wrote, or only what the program wrote about changes.",
        ),
    ]
}

pub(super) fn one(status: u16) -> Answer {
    Answer::json::<NoteJson<UserSummary>>(status, "The note.")
}

pub(super) fn many() -> Answer {
    Answer::json::<Vec<NoteJson<UserSummary>>>(200, "A page of the notes.")
}

/// Order and filter of a list of notes.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedList {
    order_by: NoteOrder,
    sort: SortOrder,
    activity: NoteActivity,
}

impl AskedList {
    /// # Errors
    /// 400 for invalid values.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let mut read = params.reader();
        let asked = Self {
            order_by: read.word("order_by", NoteOrder::parse).unwrap_or_default(),
            sort: read.word("sort", SortOrder::parse).unwrap_or_default(),
            activity: read
                .word("activity_filter", NoteActivity::parse)
                .unwrap_or_default(),
        };
        read.finish()?;
        Ok(asked)
    }

    pub(super) fn filter(self, on: Noteable, sees_internal: bool) -> NoteFilter {
        NoteFilter {
            order_by: self.order_by,
            sort: self.sort,
            activity: self.activity,
            ..NoteFilter::new(on, sees_internal)
        }
    }
}

/// # Errors
/// 400 for missing or invalid values.
pub(super) fn read_note(params: &Params) -> Result<WantedNote, ApiError> {
    let mut read = params.reader();
    let body = read.text(BODY.name);
    let body = read.required(BODY.name, body);
    let internal = read.boolean("internal");
    let internal = internal
        .or(read.boolean("confidential"))
        .unwrap_or_default();
    let created_at = read.timestamp("created_at");
    read.finish()?;
    Ok(WantedNote {
        body: body.value()?,
        internal,
        created_at,
    })
}

/// # Errors
/// 400 for a missing or invalid text.
pub(super) fn read_body(params: &Params) -> Result<String, ApiError> {
    let mut read = params.reader();
    let body = read.text(BODY.name);
    let body = read.required(BODY.name, body);
    read.finish()?;
    body.value()
}

/// Id of the note in the path.
pub(super) fn note_id(asked: &ApiRequest) -> Result<NoteId, ApiError> {
    asked.number(ID.name, Note::NAME).map(NoteId::new)
}

/// Notes with their authors.
pub(super) struct Loaded {
    notes: Page<Note>,
    users: HashMap<UserId, User>,
}

impl Loaded {
    pub(super) fn one<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        note: Note,
    ) -> Result<Self, StoreError> {
        let notes = Page {
            items: vec![note],
            has_next: false,
            total: Total::Exact(1),
        };
        Self::page(tx, notes)
    }

    pub(super) fn page<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        notes: Page<Note>,
    ) -> Result<Self, StoreError> {
        let ids: BTreeSet<UserId> = notes.items.iter().map(|note| note.author_id).collect();
        let ids: Vec<UserId> = ids.into_iter().collect();
        let users = tx.list_users_by_id(&ids)?.into_iter();
        Ok(Self {
            notes,
            users: users.map(|user| (user.id, user)).collect(),
        })
    }

    /// The JSON of all notes, as a page.
    pub(super) fn shown(self, base_url: &str) -> Page<NoteJson<UserSummary>> {
        let Self { notes, users } = self;
        notes.map(|note| {
            let author = users.get(&note.author_id);
            NoteJson::new(note, author.map(|user| UserSummary::new(user, base_url)))
        })
    }

    /// The JSON of a single note.
    pub(super) fn single(self, base_url: &str) -> Result<NoteJson<UserSummary>, Failure> {
        let note = self.shown(base_url).items.pop();
        Ok(note.ok_or_else(|| StoreError::inconsistent("notes", 0, "it is not there"))?)
    }
}

/// Converts an error of the note flows.
/// Storage errors keep their cause for the log.
pub(super) fn refused(error: NoteError) -> Failure {
    match error {
        NoteError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}
