//! `GET /api/v4/projects/:id/events` (`EVT-03` to `EVT-05`).

use std::collections::HashMap;

use accounts::User;
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::{NoteId, ProjectId, UserId};
use api_conventions::page::{Page, Position, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use events::wire::ProjectEventJson;
use events::{Action, Audience, Event, EventFilter, TargetType, Vocabulary};
use gatehouse_core::database::ReadTransaction;
use projects::wire::NoteJson;
use projects::{Note, ProjectAccess};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::Read;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listProjectEvents", "/api/v4/projects/{id}/events", list)
            .documented("events", "List what happened in a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<Shown>>(200, "A page of the entries.")),
    ]
}

/// Continuation cursor of a user's feed.
pub(super) const CURSOR: Parameter = Parameter::query(
    "cursor",
    Kind::Matching(Position::PATTERN),
    "Where the list goes on, as the link to the next page says it where only a part of the entries could be examined.",
);

/// Filters that all feeds share.
pub(super) fn filters() -> [Parameter; 5] {
    [
        Parameter::query(
            "action",
            Kind::Word(Action::NAMES),
            "Only entries about this action.",
        ),
        Parameter::query(
            "target_type",
            Kind::Word(TargetType::NAMES),
            "Only entries about things of this kind.",
        ),
        Parameter::query(
            "before",
            Kind::Date,
            "Only entries of days before this one.",
        ),
        Parameter::query("after", Kind::Date, "Only entries of days after this one."),
        Parameter::query(
            "sort",
            Kind::Word(&SortOrder::NAMES),
            "In which direction, by time.",
        ),
    ]
}

async fn list(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params())?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project, access| {
        let page = tx.list_project_events(&narrow(filter, project.id, access), paging)?;
        let described = Described::read(tx, &page)?;
        Ok((page, described))
    });
    let (page, described) = found.await?;
    asked.page(paging, page, |event| {
        described.show(event, asked.base_url())
    })
}

/// The JSON of an entry.
pub(super) type Shown = ProjectEventJson<UserSummary, NoteJson<UserSummary>>;

/// Authors and notes of the entries on a page.
pub(super) struct Described {
    authors: HashMap<UserId, User>,
    notes: HashMap<NoteId, Note>,
}

impl Described {
    /// Loads the authors and notes, with one query for each kind.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        page: &Page<Event>,
    ) -> Result<Self, storage::StoreError> {
        let notes = notes_of(tx, page)?;
        let authors = authors_of(tx, page, &notes)?;
        Ok(Self { authors, notes })
    }

    /// Builds the JSON of an entry of the page.
    pub(super) fn show(&self, event: Event, base_url: &str) -> Shown {
        let author = self.authors.get(&event.author_id);
        let note = note_of(&event).and_then(|id| self.notes.get(&id).cloned());
        let note = note.map(|note| {
            let author = self.authors.get(&note.author_id);
            NoteJson::new(note, author.map(|user| UserSummary::new(user, base_url)))
        });
        let author = author.map(|author| shown_author(author, base_url));
        ProjectEventJson::new(event, &Vocabulary::STANDARD, author, note)
    }
}

/// Restricts a filter to one project and to the entries that the viewer may read.
pub(super) fn narrow(
    filter: EventFilter,
    project_id: ProjectId,
    access: ProjectAccess,
) -> EventFilter {
    let audience = if access.allows(AccessLevel::Developer) {
        Audience::Developers
    } else if access.allows(AccessLevel::Reporter) {
        Audience::Reporters
    } else {
        Audience::Everyone
    };
    EventFilter {
        project_id,
        audience,
        ..filter
    }
}

fn shown_author(author: &User, base_url: &str) -> (UserSummary, String) {
    let summary = UserSummary::new(author, base_url);
    (summary, author.username.as_str().to_owned())
}

/// Note that an entry refers to.
fn note_of(event: &Event) -> Option<NoteId> {
    let target = event.target.as_ref()?;
    (target.kind == TargetType::Note).then(|| NoteId::new(target.id))
}

/// Loads the notes of a page.
/// Everyone who sees an entry about a note may read the note.
fn notes_of(
    tx: &mut dyn ReadTransaction,
    page: &Page<Event>,
) -> Result<HashMap<NoteId, Note>, storage::StoreError> {
    let ids: Vec<NoteId> = page.items.iter().filter_map(note_of).collect();
    let notes = if ids.is_empty() {
        Vec::new()
    } else {
        tx.list_notes_by_id(&ids)?
    };
    Ok(notes.into_iter().map(|note| (note.id, note)).collect())
}

fn authors_of(
    tx: &mut dyn ReadTransaction,
    page: &Page<Event>,
    notes: &HashMap<NoteId, Note>,
) -> Result<HashMap<UserId, User>, storage::StoreError> {
    let mut ids: Vec<UserId> = page.items.iter().map(|event| event.author_id).collect();
    ids.extend(notes.values().map(|note| note.author_id));
    ids.sort_unstable();
    ids.dedup();
    let users = if ids.is_empty() {
        Vec::new()
    } else {
        tx.list_users_by_id(&ids)?
    };
    Ok(users.into_iter().map(|user| (user.id, user)).collect())
}

/// Parses the filter of a request.
/// The project and the audience are set once the project is resolved.
pub(super) fn read_filter(params: &Params) -> Result<EventFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = EventFilter::new(ProjectId::new(0), Audience::Everyone);
    filter.action = read.word("action", |word| Vocabulary::STANDARD.parse_action(word));
    filter.target_type = read.word("target_type", |word| {
        Vocabulary::STANDARD.parse_target(word)
    });
    filter.before = read.date("before");
    filter.after = read.date("after");
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    Ok(filter)
}
