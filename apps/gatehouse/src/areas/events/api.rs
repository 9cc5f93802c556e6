//! `GET /api/v4/projects/:id/events` (`EVT-03` to `EVT-05`).

use std::collections::HashMap;

use accounts::User;
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{EventId, NoteId, ProjectId, UserId};
use api_conventions::page::{Position, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use events::wire::ProjectEventJson;
use events::{Action, EventFilter, FeedEvent, FeedRights, TargetType, Vocabulary};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::feed_rights::feed_rights;
use projects::wire::NoteJson;
use projects::{Project, ProjectAccess, ResourceNote};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::ReadApi;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listProjectEvents", "/api/v4/projects/{id}/events", list)
            .documented("events", "List the events of a project")
            .takes([PROJECT])
            .takes(filters())
            .takes([CURSOR])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<FeedEventJson>>(
                200,
                "A page of events.",
            )),
    ]
}

/// Continuation cursor of a feed.
pub(super) const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::Matching(Position::PATTERN),
    "Position at which the list continues. The link to the next page contains it if only some of the events could be examined.",
);

/// Filters that all feeds share.
pub(super) fn filters() -> [Parameter; 5] {
    [
        Parameter::query(
            "action",
            ParameterKind::Word(Action::NAMES),
            "Filter by action.",
        ),
        Parameter::query(
            "target_type",
            ParameterKind::Word(TargetType::NAMES),
            "Filter by type of the target.",
        ),
        Parameter::query(
            "before",
            ParameterKind::Date,
            "Only events before this day.",
        ),
        Parameter::query("after", ParameterKind::Date, "Only events after this day."),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction, by time.",
        ),
    ]
}

async fn list(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project, access| {
        let page = tx.list_project_events(&narrow(filter, &project, access), paging)?;
        let context = EventContext::read(tx, &page.items)?;
        Ok((page, context))
    });
    let (page, context) = found.await?;
    request.page(paging, page, |event| {
        context.show(event, request.base_url())
    })
}

/// The JSON of an entry.
pub(super) type FeedEventJson = ProjectEventJson<UserSummary, NoteJson<UserSummary>>;

/// Authors and notes of entries.
pub(super) struct EventContext {
    authors: HashMap<UserId, User>,
    notes: HashMap<NoteId, ResourceNote>,
}

impl EventContext {
    /// Loads the authors and notes, with one query for each kind.
    pub(super) fn read<'e>(
        tx: &mut dyn ReadTransaction,
        events: impl IntoIterator<Item = &'e FeedEvent>,
    ) -> Result<Self, storage::StoreError> {
        let events: Vec<&FeedEvent> = events.into_iter().collect();
        let notes = notes_of(tx, &events)?;
        let authors = authors_of(tx, &events, &notes)?;
        Ok(Self { authors, notes })
    }

    /// Builds the JSON of one of the entries.
    pub(super) fn show(&self, event: FeedEvent, base_url: &str) -> FeedEventJson {
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
pub(super) fn narrow(filter: EventFilter, project: &Project, access: ProjectAccess) -> EventFilter {
    EventFilter {
        project_id: project.id,
        rights: feed_rights(project, access),
        ..filter
    }
}

fn shown_author(author: &User, base_url: &str) -> (UserSummary, String) {
    let summary = UserSummary::new(author, base_url);
    (summary, author.username.as_str().to_owned())
}

/// Note that an entry refers to.
pub(super) fn note_of(event: &FeedEvent) -> Option<NoteId> {
    let target = event.target.as_ref()?;
    (target.kind == TargetType::Note).then(|| NoteId::new(target.id))
}

/// Loads the notes of entries.
/// Everyone who sees an entry about a note may read the note.
fn notes_of(
    tx: &mut dyn ReadTransaction,
    events: &[&FeedEvent],
) -> Result<HashMap<NoteId, ResourceNote>, storage::StoreError> {
    let ids: Vec<NoteId> = events.iter().copied().filter_map(note_of).collect();
    let notes = if ids.is_empty() {
        Vec::new()
    } else {
        tx.list_notes_by_id(&ids)?
    };
    Ok(notes.into_iter().map(|note| (note.id, note)).collect())
}

fn authors_of(
    tx: &mut dyn ReadTransaction,
    events: &[&FeedEvent],
    notes: &HashMap<NoteId, ResourceNote>,
) -> Result<HashMap<UserId, User>, storage::StoreError> {
    let mut ids: Vec<UserId> = events.iter().map(|event| event.author_id).collect();
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
/// The filter names no project and has the fewest rights, until [`narrow`] sets both.
pub(super) fn read_filter(params: &Params) -> Result<EventFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = EventFilter::new(ProjectId::new(0), FeedRights::LEAST);
    filter.action = read.word("action", |word| Vocabulary::STANDARD.parse_action(word));
    filter.target_type = read.word("target_type", |word| {
        Vocabulary::STANDARD.parse_target(word)
    });
    filter.before = read.date("before");
    filter.after = read.date("after");
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    let after = Paging::cursor(params)?;
    filter.after_id = after.map(|after| EventId::new(after.number()));
    Ok(filter)
}
