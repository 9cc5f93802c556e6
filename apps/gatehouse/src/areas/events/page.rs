//! Activity page of a project, grouped by day.

use actix_web::HttpResponse;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use askama::Template;
use events::{Action, EventFilter, FeedEvent, TargetType};
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use super::api::{narrow, read_filter};
use crate::frame::page::activity::{ActivityContext, ActivityDay, TimedLines, by_day};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{Choice, ListQuery, Pager, total};
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Query parameters that filter the list.
const FILTERS: [&str; 4] = ["action", "target_type", "after", "before"];

#[derive(Template)]
#[template(path = "areas/events/activity.html")]
struct ActivityPage {
    shell: Shell,
    /// Path of the feed.
    feed: String,
    total: String,
    actions: Vec<Choice>,
    kinds: Vec<Choice>,
    after: String,
    before: String,
    is_narrowed: bool,
    clear: String,
    days: Vec<ActivityDay>,
    pager: Pager,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("activityPage", "/{project}/-/activity", show)]
}

async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let filter = read_filter(query.params()).map_err(Failure::from)?;
    let (paging, now) = (query.paging()?, page.now());
    let read = page.read(move |tx, found| Ok(read(tx, found, filter, paging, now)?));
    let ((events, lines), found) = read.await?;
    page.show(&ActivityPage {
        shell: page.shell(&found, Section::Activity, "Activity"),
        feed: format!("{}/-/activity.atom", found.path()),
        total: total(events.total, "entry", "entries"),
        actions: Choice::all(Action::NAMES, query.text("action")),
        kinds: Choice::all(TargetType::NAMES, query.text("target_type")),
        after: query.text("after").to_owned(),
        before: query.text("before").to_owned(),
        is_narrowed: query.has_any(&FILTERS),
        clear: query.with(&FILTERS.map(|name| (name, ""))),
        days: by_day(lines, now),
        pager: Pager::new(&query, paging, &events),
    })
}

/// Loads a page of the feed, with the line of each entry.
fn read(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    filter: EventFilter,
    paging: OffsetPage,
    now: Timestamp,
) -> Result<(Page<FeedEvent>, TimedLines), StoreError> {
    let filter = narrow(filter, &found.project, found.access);
    let page = tx.list_project_events(&filter, paging)?;
    let context = ActivityContext::of(tx, &page.items)?;
    let place = found.project.full_path.as_str();
    let line = |event: &FeedEvent| (event.created_at, context.line(event, place, now));
    let lines = page.items.iter().map(line).collect();
    Ok((page, lines))
}
