//! The list of a project's errors.

use actix_web::HttpResponse;
use api_conventions::ids::UserId;
use api_conventions::page::{Page, SortOrder};
use api_conventions::time::Timestamp;
use askama::Template;
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName, TrackedError};
use web_conventions::failure::Failure;

use super::super::errors::{Hours, LEVELS, hours_of, read_filter};
use super::{days_of, path_of, since};
use crate::frame::page::bars::Bars;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::list::{Choice, Column, Pager, Query, Tab, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Found, Hidden, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Developer, Maintainer, Reporter};

/// Days of the chart of a row.
const DAYS: usize = 14;

/// The views of the list: a name, and the word of the parameter `status` in the API. The first three have counts.
const VIEWS: [(&str, &str); 4] = [
    ("Unresolved", "unresolved"),
    ("Resolved", "resolved"),
    ("Ignored", "ignored"),
    ("All", "all"),
];

/// The spans of time that a list can be narrowed to, with their seconds.
const SPANS: [(&str, i64); 4] = [
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 7 * 86_400),
    ("month", 30 * 86_400),
];
const SPAN_WORDS: [&str; 4] = [SPANS[0].0, SPANS[1].0, SPANS[2].0, SPANS[3].0];

/// The parameters that narrow the list.
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

/// A row of the list.
struct Row {
    iid: String,
    level: Pill,
    /// What else there is to know at once: that it is back, or its status where the view has several.
    marks: Vec<Pill>,
    title: ShownName,
    path: String,
    second: Vec<ShownName>,
    bars: Bars,
    events: String,
    users: String,
    last_seen: DisplayTime,
    first_seen: DisplayTime,
}

/// Why a list has no rows.
enum Empty {
    /// Nothing matches what narrows it.
    NoMatch,
    /// No program has reported anything.
    NoneYet,
    /// All errors are resolved or ignored.
    NoneOpen,
    /// No error has the status.
    NoneHere,
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error_list.html")]
struct ListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    query: Query,
    levels: Vec<Choice>,
    spans: Vec<Choice>,
    assigned: Vec<Choice>,
    kept: Vec<(&'static str, String)>,
    /// The address without what narrows the list, where something does.
    clear: Option<String>,
    /// A tag that the list is narrowed to, and the address without it.
    tag: Option<(ShownName, String)>,
    columns: [Column; 4],
    rows: Vec<Row>,
    pager: Pager,
    action: String,
    may_change: bool,
    /// Why there are no rows, where there are none.
    empty: Empty,
    /// Where the line to paste is, for those who may see it.
    settings: Option<String>,
    statistics: String,
}

/// Answers with the list: the unresolved errors, unless the address asks for others.
pub(super) async fn show(page: ProjectPage<Hidden<Reporter>>) -> Result<HttpResponse, PageFailure> {
    let query = Query::of(page.request())?;
    let mut filter = read_filter(query.params()).map_err(Failure::from)?;
    let (now, asked) = (page.now(), query.paging()?);
    narrow(&query, &mut filter, (now, page.viewer().user_id()));
    let (sought, from) = (filter.clone(), since(now, DAYS));
    let read = page.read(move |tx, found| {
        let mut filter = sought;
        filter.project_id = found.project.id;
        let errors = tx.list_errors(&filter, asked)?;
        let hours = hours_of(tx, &errors.items, from)?;
        Ok((errors, hours, tx.count_errors(found.project.id)?))
    });
    let ((errors, hours, counts), found) = read.await?;
    let order = (filter.order_by.as_str(), filter.sort);
    let column = |name, word| Column::new(&query, name, (word, SortOrder::Descending), order);
    let path = found.path();
    let is_narrowed = query.has_any(&NARROWING);
    page.show(&ListPage {
        shell: page.shell(&found, Section::Errors, "Errors"),
        total: total(errors.total, "error", "errors"),
        tabs: tabs(&query, filter.status, counts),
        levels: Choice::all(&LEVELS, query.text("level")),
        spans: Choice::all(&SPAN_WORDS, query.text("seen")),
        assigned: Choice::all(&["me"], query.text("assigned")),
        kept: query.kept(&["status", "order_by", "sort", "tags", "assignee_id"]),
        clear: is_narrowed.then(|| query.with(&NARROWING.map(|name| (name, "")))),
        tag: tag(&query),
        columns: [
            column("Events", ErrorOrder::Frequency.as_str()),
            column("Users", ErrorOrder::Users.as_str()),
            column("Last seen", ErrorOrder::LastSeen.as_str()),
            column("First seen", ErrorOrder::FirstSeen.as_str()),
        ],
        rows: rows(&errors, &hours, (&found, now), filter.status.is_none()),
        pager: Pager::new(&query, asked, &errors),
        action: query.with(&[]),
        may_change: found.allows::<Developer>() && !found.project.archived,
        empty: match filter.status {
            _ if is_narrowed => Empty::NoMatch,
            _ if counts == [0; 3] => Empty::NoneYet,
            Some(StatusName::Unresolved) => Empty::NoneOpen,
            _ => Empty::NoneHere,
        },
        settings: found
            .allows::<Maintainer>()
            .then(|| format!("{path}/-/settings/error_tracking")),
        statistics: format!("{path}/-/error_tracking/statistics"),
        query,
    })
}

/// Narrows the list by what pages alone can ask for: a span of time until now, and oneself.
fn narrow(query: &Query, filter: &mut ErrorFilter, (now, me): (Timestamp, Option<UserId>)) {
    let span = SPANS.iter().find(|(word, _)| *word == query.text("seen"));
    if let Some((_, seconds)) = span {
        filter.seen_from = Some(now.plus_seconds(-seconds));
    }
    if query.text("assigned") == "me" {
        filter.assignee_id = me;
    }
}

fn tag(query: &Query) -> Option<(ShownName, String)> {
    let (name, value) = query.text("tags").split_once(':')?;
    let shown = ShownName::of(&format!("{name}: {value}"));
    Some((shown, query.with(&[("tags", "")])))
}

fn tabs(query: &Query, current: Option<StatusName>, counts: [i64; 3]) -> Vec<Tab> {
    let counts = counts.map(|count| grouped(u64::try_from(count).unwrap_or_default()));
    let counts = counts.into_iter().chain([String::new()]);
    let tab = |((name, word), count): (&(&'static str, &str), String)| Tab {
        name,
        // The first view is what the address asks for without a word.
        href: query.with(&[("status", if *word == VIEWS[0].1 { "" } else { word })]),
        count,
        is_current: current == StatusName::parse(word),
    };
    VIEWS.iter().zip(counts).map(tab).collect()
}

fn rows(
    errors: &Page<TrackedError>,
    hours: &Hours,
    (found, now): (&Found, Timestamp),
    has_several_states: bool,
) -> Vec<Row> {
    let number = |number: i64| grouped(u64::try_from(number).unwrap_or_default());
    let row = |error: &TrackedError| {
        let state = has_several_states.then(|| Pill::from(&error.state.status));
        let back = error.regressed_at.map(|_| Pill::REGRESSED);
        let facts = &error.facts;
        let parts = [
            Some(facts.culprit.as_str()),
            facts.location.as_deref(),
            error.last_release.as_deref(),
        ];
        let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
        let hours = hours.get(&error.id).map(Vec::as_slice).unwrap_or_default();
        Row {
            iid: error.iid.to_string(),
            level: facts.level.into(),
            marks: back.into_iter().chain(state).collect(),
            title: ShownName::of(&facts.title),
            path: path_of(found, error.iid),
            second: parts.map(ShownName::of).collect(),
            bars: Bars::of_events(&days_of(hours, now, DAYS), "day", "14 days"),
            events: number(error.events),
            users: number(error.users),
            last_seen: DisplayTime::at(error.last_seen, now),
            first_seen: DisplayTime::at(error.first_seen, now),
        }
    };
    errors.items.iter().map(row).collect()
}
