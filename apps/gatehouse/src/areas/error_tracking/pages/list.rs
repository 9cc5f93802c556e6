//! The list of a project's errors.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use askama::Template;
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName, TrackedError};
use error_tracking::store::HourCount;
use web_conventions::failure::Failure;

use super::super::errors::{LEVELS, hours_of, list_matching, read_filter};
use super::super::external::connection_of;
use super::{day_of, days_of, external, path_of, since};
use crate::frame::page::bars::Bars;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::list::{Choice, ListColumn, ListQuery, Pager, Tab, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Developer, Maintainer, Reporter};

/// Days of the chart of a row.
const DAYS: usize = 14;

/// Views of the list: a label, and the value of the API parameter `status`.
/// The first three have counts.
const VIEWS: [(&str, &str); 4] = [
    ("Unresolved", "unresolved"),
    ("Resolved", "resolved"),
    ("Ignored", "ignored"),
    ("All", "all"),
];

/// Time spans for the filter, in seconds.
const SPANS: [(&str, i64); 4] = [
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 7 * 86_400),
    ("month", 30 * 86_400),
];
const SPAN_WORDS: [&str; 4] = [SPANS[0].0, SPANS[1].0, SPANS[2].0, SPANS[3].0];

/// Parameters that filter the list.
const NARROWING: [&str; 8] = [
    "search",
    "environment",
    "release",
    "level",
    "tags",
    "seen",
    "assigned",
    "assignee_id",
];

/// A request for the list.
pub(super) type ListRequest = ProjectPage<RoleOrNotFound<Reporter>>;

/// A row of the list.
struct ErrorRow {
    iid: String,
    level: Pill,
    /// Further marks: regressed, and the status if the view mixes several.
    marks: Vec<Pill>,
    title: DisplayName,
    path: String,
    second: Vec<DisplayName>,
    bars: Bars,
    events: String,
    users: String,
    last_seen: DisplayTime,
    first_seen: DisplayTime,
}

/// Errors of a page of the list, from this server or an external tracker.
pub(super) struct ErrorListData {
    pub(super) errors: Vec<(TrackedError, Vec<HourCount>)>,
    pub(super) total: String,
    /// Error counts by the first three statuses, if known.
    pub(super) counts: Option<[i64; 3]>,
    pub(super) pager: Pager,
    /// Page of the project in the external tracker, if the errors are there.
    pub(super) external: Option<String>,
    /// Reason why the list is unavailable, and its HTTP status.
    pub(super) problem: Option<(StatusCode, String)>,
}

/// Reason why a list has no rows.
enum Empty {
    /// The errors could not be loaded.
    Unknown,
    /// No error matches the filter.
    NoMatch,
    /// No program has reported an error yet.
    NoneYet,
    /// All errors are resolved or ignored.
    NoneOpen,
    /// No error has the selected status.
    NoneHere,
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error_list.html")]
struct ErrorListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    query: ListQuery,
    levels: Vec<Choice>,
    spans: Vec<Choice>,
    assigned: Vec<Choice>,
    kept: Vec<(&'static str, String)>,
    /// Address without the filter, if the list is filtered.
    clear: Option<String>,
    /// Tag filter, and the address without it.
    tag: Option<(DisplayName, String)>,
    columns: [ListColumn; 4],
    rows: Vec<ErrorRow>,
    pager: Pager,
    action: String,
    may_change: bool,
    /// Reason why there are no rows.
    empty: Empty,
    /// Time span of the charts in the rows.
    span: &'static str,
    /// Page of the project in the external tracker, if the errors are there.
    outside: Option<String>,
    problem: Option<String>,
    /// Address of the settings with the DSN, for users who may see it.
    settings: Option<String>,
    statistics: String,
    monitors: String,
}

/// Answers with the list: the unresolved errors, unless the address selects others.
pub(super) async fn show(page: ListRequest) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let mut filter = read_filter(query.params()).map_err(Failure::from)?;
    narrow(&query, &mut filter, page.now(), page.viewer().user_id());
    let source = page.read(|tx, found| Ok(connection_of(tx, &found.project)?));
    let (listed, found) = match source.await? {
        (None, _) => load_local(&page, &query, filter.clone()).await?,
        (Some(connection), found) => {
            let listed = external::list(&page, &query, &connection, filter.clone());
            (listed.await?, found)
        }
    };
    let status = listed.problem.as_ref().map(|(status, _)| *status);
    let content = list_page(&page, query, &filter, listed, &found);
    page.show_with(status.unwrap_or(StatusCode::OK), &content)
}

/// Loads the errors stored on this server.
async fn load_local(
    page: &ListRequest,
    query: &ListQuery,
    filter: ErrorFilter,
) -> Result<(ErrorListData, ProjectContext), PageFailure> {
    let (from, paging) = (since(page.now(), DAYS), query.paging()?);
    let after = query.cursor()?;
    let read = page.read(move |tx, found| {
        let mut filter = filter;
        filter.after = after;
        filter.project_id = found.project.id;
        let errors = list_matching(tx, &filter, paging)?;
        let hours = hours_of(tx, &errors.items, from)?;
        Ok((errors, hours, tx.count_errors(found.project.id)?))
    });
    let ((errors, mut hours, counts), found) = read.await?;
    let pager = Pager::new(query, paging, &errors);
    let listed = ErrorListData {
        total: total(errors.total, "error", "errors"),
        counts: Some(counts),
        pager,
        external: None,
        problem: None,
        errors: errors
            .items
            .into_iter()
            .map(|error| {
                let hours = hours.remove(&error.id).unwrap_or_default();
                (error, hours)
            })
            .collect(),
    };
    Ok((listed, found))
}

fn list_page(
    page: &ListRequest,
    query: ListQuery,
    filter: &ErrorFilter,
    listed: ErrorListData,
    found: &ProjectContext,
) -> ErrorListPage {
    let current = filter.order_by.as_str();
    let is_external = listed.external.is_some();
    let column = |name, order_by: ErrorOrder| {
        let word = order_by.as_str();
        if is_external {
            ListColumn::downward(&query, name, word, current)
        } else {
            ListColumn::new(
                &query,
                name,
                word,
                SortOrder::Descending,
                current,
                filter.sort,
            )
        }
    };
    let path = found.path();
    let is_narrowed = query.has_any(&NARROWING);
    let settings = format!("{path}/-/settings/error_tracking");
    ErrorListPage {
        shell: page.shell(found, Section::Errors, "Errors"),
        tabs: tabs(&query, filter.status, listed.counts),
        levels: Choice::all(&LEVELS, query.text("level")),
        spans: Choice::all(&SPAN_WORDS, query.text("seen")),
        assigned: Choice::all(&["me"], query.text("assigned")),
        kept: query.hidden_fields(&["status", "order_by", "sort", "tags", "assignee_id"]),
        clear: is_narrowed.then(|| query.with(&NARROWING.map(|name| (name, "")))),
        tag: tag(&query),
        columns: [
            column("Events", ErrorOrder::Frequency),
            column("Users", ErrorOrder::Users),
            column("Last seen", ErrorOrder::LastSeen),
            column("First seen", ErrorOrder::FirstSeen),
        ],
        rows: rows(&listed, found, page.now(), filter.status.is_none()),
        action: query.with(&[]),
        may_change: found.allows::<Developer>() && !found.project.archived,
        empty: match filter.status {
            _ if listed.problem.is_some() => Empty::Unknown,
            _ if is_narrowed => Empty::NoMatch,
            _ if listed.counts == Some([0; 3]) => Empty::NoneYet,
            Some(StatusName::Unresolved) => Empty::NoneOpen,
            _ => Empty::NoneHere,
        },
        settings: found.allows::<Maintainer>().then_some(settings),
        statistics: format!("{path}/-/error_tracking/statistics"),
        monitors: format!("{path}/-/error_tracking/monitors"),
        span: if is_external { "24 hours" } else { "14 days" },
        total: listed.total,
        pager: listed.pager,
        outside: listed.external,
        problem: listed.problem.map(|(_, text)| text),
        query,
    }
}

/// Applies the filters that only pages have: a time span until now, and "assigned to me".
fn narrow(query: &ListQuery, filter: &mut ErrorFilter, now: Timestamp, me: Option<UserId>) {
    let span = SPANS.iter().find(|(word, _)| *word == query.text("seen"));
    if let Some((_, seconds)) = span {
        filter.seen_from = Some(now.plus_seconds(-seconds));
    }
    if query.text("assigned") == "me" {
        filter.assignee_id = me;
    }
}

fn tag(query: &ListQuery) -> Option<(DisplayName, String)> {
    let (name, value) = query.text("tags").split_once(':')?;
    let shown = DisplayName::of(&format!("{name}: {value}"));
    Some((shown, query.with(&[("tags", "")])))
}

fn tabs(query: &ListQuery, current: Option<StatusName>, counts: Option<[i64; 3]>) -> Vec<Tab> {
    let counts = counts.into_iter().flatten();
    let counts = counts.map(|count| grouped(u64::try_from(count).unwrap_or_default()));
    let counts = counts.chain(std::iter::repeat(String::new()));
    let tab = |((name, word), count): (&(&'static str, &str), String)| Tab {
        name,
        // The first view is the default, so its address has no `status`.
        href: query.with(&[("status", if *word == VIEWS[0].1 { "" } else { word })]),
        count,
        is_current: current == StatusName::parse(word),
    };
    VIEWS.iter().zip(counts).map(tab).collect()
}

fn rows(
    listed: &ErrorListData,
    found: &ProjectContext,
    now: Timestamp,
    has_several_states: bool,
) -> Vec<ErrorRow> {
    let number = |number: i64| grouped(u64::try_from(number).unwrap_or_default());
    let row = |(error, hours): &(TrackedError, Vec<HourCount>)| {
        let state = has_several_states.then(|| Pill::from(&error.state.status));
        let back = error.regressed_at.map(|_| Pill::REGRESSED);
        let facts = &error.facts;
        let parts = [
            Some(facts.culprit.as_str()),
            facts.location.as_deref(),
            error.last_release.as_deref(),
        ];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        ErrorRow {
            iid: error.iid.to_string(),
            level: facts.level.into(),
            marks: back.into_iter().chain(state).collect(),
            title: DisplayName::of(&facts.title),
            path: path_of(found, error.iid),
            second: parts.map(DisplayName::of).collect(),
            bars: if listed.external.is_some() {
                Bars::of_events(&day_of(hours, now), "hour", "24 hours")
            } else {
                Bars::of_events(&days_of(hours, now, DAYS), "day", "14 days")
            },
            events: number(error.events),
            users: number(error.users),
            last_seen: DisplayTime::at(error.last_seen, now),
            first_seen: DisplayTime::at(error.first_seen, now),
        }
    };
    listed.errors.iter().map(row).collect()
}
