//! Page of one error: its facts, one of its events, its status and its actions.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorIid;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use error_tracking::model::{
    ErrorComment, ErrorEvent, ErrorKey, EventId, StoredAttachment, TagCount, TrackedError,
};
use error_tracking::store::{EventNeighbours, EventPosition, HourCount};
use gatehouse_core::database::ReadTransaction;
use projects::Issue;
use projects::rules::issues::sees_issue;
use web_conventions::failure::Failure;

use super::super::errors::hours_of;
use super::super::external::connection_of;
use super::super::lookup::{ErrorLookup, look_up};
use super::event::{
    BreadcrumbRow, EventField, EventSection, breadcrumbs, clamped, moment, notes, sections,
};
use super::facts::ErrorSidebar;
use super::trace::{CallOrder, TraceView, traces};
use super::{external, path_of, since};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::ListQuery;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Developer, Maintainer, Reporter, Role};

/// Days covered by the chart.
pub(super) const DAYS: usize = 28;
/// Values shown per tag.
const VALUES: usize = 4;
/// User comments on the page.
const COMMENTS: u64 = 5;

/// Data of an error, loaded for its page.
pub(super) struct ErrorPageData {
    pub(super) error: TrackedError,
    pub(super) hours: Vec<HourCount>,
    pub(super) keys: Vec<ErrorKey>,
    pub(super) tags: Vec<TagCount>,
    pub(super) event: Option<(ErrorEvent, EventNeighbours, Vec<StoredAttachment>)>,
    pub(super) comments: Vec<ErrorComment>,
    pub(super) assignee: Option<String>,
    pub(super) issue: Option<Issue>,
    pub(super) location: ErrorLocation,
}

/// Storage location of an error.
pub(super) enum ErrorLocation {
    /// This server.
    Local,
    /// An external tracker, with the address of the error's page there if the tracker reports it.
    External(Option<String>),
}

impl ErrorLocation {
    pub(super) fn is_external(&self) -> bool {
        matches!(self, Self::External(_))
    }

    /// Address of the error's page in the external tracker.
    fn link(&self) -> Option<&str> {
        match self {
            Self::External(link) => link.as_deref(),
            Self::Local => None,
        }
    }
}

/// The event on the page.
struct EventView {
    id: String,
    time: DisplayTime,
    release: String,
    environment: String,
    traces: Vec<TraceView>,
    message: String,
    crumbs: Vec<BreadcrumbRow>,
    sections: Vec<EventSection>,
    tags: Vec<EventField>,
    notes: Vec<EventField>,
    files: Vec<(String, String)>,
    api: String,
    first: Option<String>,
    previous: Option<String>,
    next: Option<String>,
    last: Option<String>,
    is_newest_first: bool,
    turned: String,
}

/// Comment of a user of the program.
struct CommentRow {
    who: String,
    text: String,
    time: DisplayTime,
}

/// Reason why events are grouped together.
struct GroupingRow {
    id: String,
    sentence: &'static str,
    inputs: Vec<EventField>,
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error.html")]
struct ErrorPage {
    shell: Shell,
    list: String,
    action: String,
    problem: Option<String>,
    title: DisplayName,
    culprit: String,
    iid: String,
    level: Pill,
    status: Pill,
    is_open: bool,
    may_change: bool,
    may_delete: bool,
    location: ErrorLocation,
    facts: ErrorSidebar,
    event: Option<EventView>,
    grouping: Vec<GroupingRow>,
    comments: Vec<CommentRow>,
}

type ErrorPageRequest = ProjectPage<RoleOrNotFound<Reporter>>;

/// Answers with the page of an error and one of its events: the latest, unless the address names another one.
pub(super) async fn show(page: ErrorPageRequest) -> Result<HttpResponse, PageFailure> {
    let iid = ErrorIid::new(page.number("iid")?);
    answer(&page, iid, StatusCode::OK, None).await
}

/// Answers with the page, and with the problem of a form.
pub(super) async fn answer<R>(
    page: &ProjectPage<RoleOrNotFound<R>>,
    iid: ErrorIid,
    status: StatusCode,
    problem: Option<String>,
) -> Result<HttpResponse, PageFailure>
where
    R: Role,
{
    let query = ListQuery::of(page.request())?;
    let position = position_of(query.text("event"))?;
    let source = page.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    let (loaded, found) = match source.await? {
        (None, _) => load_local(page, iid, position).await?,
        (Some(connection), _) => external::load(page, &connection, iid, position).await?,
    };
    let order = match query.text("order") {
        "oldest" => CallOrder::OldestFirst,
        _ => CallOrder::NewestFirst,
    };
    let event = match &loaded.event {
        Some(event) => Some(event_view(page, &found, &loaded, event, &query, order)?),
        None => None,
    };
    let now = page.now();
    let error = &loaded.error;
    let title = DisplayName::of(&error.facts.title);
    page.show_with(
        status,
        &ErrorPage {
            shell: page.shell(&found, Section::Errors, &title.isolated()),
            list: format!("{}/-/error_tracking", found.path()),
            action: path_of(&found, iid),
            problem,
            title,
            culprit: error.facts.culprit.clone(),
            iid: iid.to_string(),
            level: error.facts.level.into(),
            status: Pill::from(&error.state.status),
            is_open: error.state.status.as_str() == "unresolved",
            may_change: found.allows::<Developer>() && !found.project.archived,
            may_delete: found.allows::<Maintainer>()
                && !found.project.archived
                && !loaded.location.is_external(),
            facts: ErrorSidebar::of(&loaded, &found, now),
            grouping: loaded.keys.iter().map(grouping).collect(),
            comments: comments(&loaded, now),
            location: loaded.location,
            event,
        },
    )
}

/// Loads an error stored on this server.
/// The page of a merged error redirects to the one that has its events.
async fn load_local<R: Role>(
    page: &ProjectPage<RoleOrNotFound<R>>,
    iid: ErrorIid,
    position: EventPosition,
) -> Result<(ErrorPageData, ProjectContext), PageFailure> {
    let from = since(page.now(), DAYS);
    let viewer = page.viewer();
    let read = page.read(move |tx, found| {
        let error = match look_up(tx, found.project.id, iid)? {
            ErrorLookup::Found(error) => *error,
            ErrorLookup::Merged(into) => return Ok(Err(into)),
        };
        let mut loaded = load(tx, error, position, from)?;
        let sees = |issue: &Issue| sees_issue(issue, viewer, found.access);
        loaded.issue = loaded.issue.filter(sees);
        Ok(Ok(loaded))
    });
    match read.await? {
        (Ok(loaded), found) => Ok((loaded, found)),
        (Err(into), found) => Err(PageFailure::moved(path_of(&found, into))),
    }
}

/// Parses the event that the address names.
fn position_of(text: &str) -> Result<EventPosition, PageFailure> {
    match text {
        "" | "latest" => Ok(EventPosition::Latest),
        "oldest" => Ok(EventPosition::Oldest),
        text => EventId::parse(text)
            .map(EventPosition::WithId)
            .ok_or_else(PageFailure::not_found),
    }
}

fn load(
    tx: &mut dyn ReadTransaction,
    error: TrackedError,
    position: EventPosition,
    from: Timestamp,
) -> Result<ErrorPageData, Failure> {
    let mut hours = hours_of(tx, std::slice::from_ref(&error), from)?;
    let event = match tx.find_error_event(error.id, position)? {
        Some(event) => {
            let place = tx.find_event_neighbours(error.id, event.summary.id)?;
            let files = tx.list_attachments(error.project_id, event.summary.event_id)?;
            Some((event, place, files))
        }
        None if matches!(position, EventPosition::WithId(_)) => {
            return Err(ApiError::not_found("Event").into());
        }
        None => None,
    };
    let assignee = match error.state.assignee_id {
        Some(id) => tx.find_user(id)?.map(|user| user.name),
        None => None,
    };
    let issue = match error.state.issue_id {
        Some(id) => tx.find_issue_by_id(id)?,
        None => None,
    };
    let comments = tx.list_error_comments(error.id, OffsetPage::new(1, COMMENTS))?;
    Ok(ErrorPageData {
        hours: hours.remove(&error.id).unwrap_or_default(),
        keys: tx.list_error_keys(error.id)?,
        tags: tx.list_error_tags(error.id, VALUES)?,
        comments: comments.items,
        event,
        assignee,
        issue,
        location: ErrorLocation::Local,
        error,
    })
}

fn event_view<R: Role>(
    page: &ProjectPage<RoleOrNotFound<R>>,
    found: &ProjectContext,
    loaded: &ErrorPageData,
    event: &(ErrorEvent, EventNeighbours, Vec<StoredAttachment>),
    query: &ListQuery,
    order: CallOrder,
) -> Result<EventView, PageFailure> {
    let (event, place, files) = event;
    let report = event
        .report()
        .map_err(|error| Failure::caused(ApiError::internal(), error))?;
    let id = event.summary.event_id.to_string();
    let at = |event: Option<EventId>| event.map(|id| query.with(&[("event", &id.to_string())]));
    let (is_first, is_last) = (place.previous.is_none(), place.next.is_none());
    let api = format!(
        "/api/v4/projects/{}/error_tracking/errors/{}/events/{id}",
        found.project.id, loaded.error.iid
    );
    let file = |file: &StoredAttachment| {
        let href = format!("{api}/attachments/{}", file.id);
        (file.filename.clone(), href)
    };
    let turned = match order {
        CallOrder::NewestFirst => "oldest",
        CallOrder::OldestFirst => "",
    };
    let tag = |(name, value): &(String, String)| EventField {
        name: name.clone(),
        value: value.clone(),
    };
    let message = report
        .message
        .as_ref()
        .map(|message| message.formatted.clone());
    Ok(EventView {
        time: moment(event.summary.occurred_at, page.now()),
        release: event.summary.release.clone().unwrap_or_default(),
        environment: event.summary.environment.clone().unwrap_or_default(),
        traces: traces(&report, order),
        message: clamped(&message.unwrap_or_default(), 8_000),
        crumbs: breadcrumbs(&report),
        sections: sections(&report),
        tags: report.tags.iter().map(tag).collect(),
        notes: notes(&report),
        files: files.iter().map(file).collect(),
        first: (!is_first).then(|| query.with(&[("event", "oldest")])),
        previous: at(place.previous),
        next: at(place.next),
        last: (!is_last).then(|| query.with(&[("event", "")])),
        is_newest_first: order == CallOrder::NewestFirst,
        turned: query.with(&[("order", turned)]),
        api,
        id,
    })
}

fn grouping(key: &ErrorKey) -> GroupingRow {
    let inputs = key.explanation.inputs.iter();
    GroupingRow {
        id: key.id.to_string(),
        sentence: key.explanation.method.sentence(),
        inputs: inputs
            .map(|input| EventField {
                name: input.part.word().to_owned(),
                value: input.text.clone(),
            })
            .collect(),
    }
}

fn comments(loaded: &ErrorPageData, now: Timestamp) -> Vec<CommentRow> {
    let shown = |comment: &ErrorComment| {
        let who = comment.name.as_ref().or(comment.email.as_ref()).cloned();
        CommentRow {
            who: who.unwrap_or_else(|| "Anonymous".to_owned()),
            text: comment.text.clone(),
            time: DisplayTime::at(comment.received_at, now),
        }
    };
    loaded.comments.iter().map(shown).collect()
}
