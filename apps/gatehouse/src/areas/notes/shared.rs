//! Parameters and responses shared by the notes on issues and on alerts.

use std::collections::{BTreeSet, HashMap};

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::error::ApiError;
use api_conventions::ids::{NoteId, UserId};
use api_conventions::page::{Page, SortOrder, Total};
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::notes::NoteInput;
use projects::flow::notes::NoteError;
use projects::wire::NoteJson;
use projects::{NoteActivity, NoteFilter, NoteOrder, Noteable, ResourceNote};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Parameter, ParameterKind, ResponseSpec};

use crate::frame::api::ApiRequest;

pub(super) const TAG: &str = "notes";
pub(super) const ID: Parameter = Parameter::path("note_id", ParameterKind::ID, "ID of the note.");
pub(super) const BODY: Parameter = Parameter::body(
    "body",
    ParameterKind::Text {
        min: 1,
        max: 1_000_000,
    },
    "Text of the note, in Markdown.",
);
/// Parameters of a new note besides its text.
pub(super) fn note_parameters() -> [Parameter; 3] {
    let internal = "True to show the note only to members with at least the Reporter role.";
    [
        Parameter::body("internal", ParameterKind::Boolean, internal),
        Parameter::body(
            "confidential",
            ParameterKind::Boolean,
            "Older name of `internal`.",
        ),
        Parameter::body(
            "created_at",
            ParameterKind::Timestamp,
            "Time of creation. Only Owners may set it.",
        ),
    ]
}

/// Parameters of a list of notes.
pub(super) fn list_parameters() -> [Parameter; 3] {
    [
        Parameter::query(
            "order_by",
            ParameterKind::Word(NoteOrder::NAMES),
            "Sort column.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
        Parameter::query(
            "activity_filter",
            ParameterKind::Word(NoteActivity::NAMES),
            "Filter by comments of users or system notes about changes.",
        ),
    ]
}

pub(super) fn note_response(status: u16) -> ResponseSpec {
    ResponseSpec::json::<NoteJson<UserSummary>>(status, "The note.")
}

pub(super) fn notes_response() -> ResponseSpec {
    ResponseSpec::json::<Vec<NoteJson<UserSummary>>>(200, "A page of notes.")
}

/// Order and filter of a list of notes.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoteListQuery {
    order_by: NoteOrder,
    sort: SortOrder,
    activity: NoteActivity,
}

impl NoteListQuery {
    /// # Errors
    /// 400 for invalid values.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let mut read = params.reader();
        let query = Self {
            order_by: read.word("order_by", NoteOrder::parse).unwrap_or_default(),
            sort: read.word("sort", SortOrder::parse).unwrap_or_default(),
            activity: read
                .word("activity_filter", NoteActivity::parse)
                .unwrap_or_default(),
        };
        read.finish()?;
        Ok(query)
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
pub(super) fn read_note(params: &Params) -> Result<NoteInput, ApiError> {
    let mut read = params.reader();
    let body = read.text(BODY.name);
    let body = read.required(BODY.name, body);
    let internal = read.boolean("internal");
    let internal = internal
        .or(read.boolean("confidential"))
        .unwrap_or_default();
    let created_at = read.timestamp("created_at");
    read.finish()?;
    Ok(NoteInput {
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
pub(super) fn note_id(request: &ApiRequest) -> Result<NoteId, ApiError> {
    request.number(ID.name, ResourceNote::NAME).map(NoteId::new)
}

/// Notes with their authors.
pub(super) struct NotesWithAuthors {
    notes: Page<ResourceNote>,
    users: HashMap<UserId, User>,
}

impl NotesWithAuthors {
    pub(super) fn one<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        note: ResourceNote,
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
        notes: Page<ResourceNote>,
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
    pub(super) fn into_json(self, base_url: &str) -> Page<NoteJson<UserSummary>> {
        let Self { notes, users } = self;
        notes.map(|note| {
            let author = users.get(&note.author_id);
            NoteJson::new(note, author.map(|user| UserSummary::new(user, base_url)))
        })
    }

    /// The JSON of a single note.
    pub(super) fn single(self, base_url: &str) -> Result<NoteJson<UserSummary>, Failure> {
        let note = self.into_json(base_url).items.pop();
        Ok(note.ok_or_else(|| StoreError::inconsistent("notes", 0, "the note is missing"))?)
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
