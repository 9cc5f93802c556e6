//! The list of milestones.

use actix_web::HttpResponse;
use api_conventions::page::{OffsetPage, Total};
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::{MilestoneFilter, MilestoneState, ProjectMilestone};
use storage::StoreError;
use web_conventions::failure::Failure;

use super::path_of;
use crate::areas::milestones::api::read_filter;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{ListQuery, Pager, Tab, count, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Views of the list: the name, the value of the API's `state` parameter, and the state it selects.
const VIEWS: [(&str, &str, MilestoneState); 2] = [
    ("Open", "active", MilestoneState::Active),
    ("Closed", "closed", MilestoneState::Closed),
];

/// Row of the list.
struct MilestoneRow {
    title: DisplayName,
    path: String,
    state: Pill,
    days: String,
    is_late: bool,
    changed: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/milestones/milestone_list.html")]
struct MilestoneListPage {
    shell: Shell,
    total: String,
    new: Option<String>,
    tabs: Vec<Tab>,
    search: String,
    state: String,
    is_narrowed: bool,
    clear: String,
    is_open_view: bool,
    rows: Vec<MilestoneRow>,
    pager: Pager,
}

/// Responds with the list: open milestones by default, or those that the query selects.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let mut filter = read_filter(query.params()).map_err(Failure::from)?;
    let state = *filter.state.get_or_insert_default();
    let paging = query.paging()?;
    let read = page.read(move |tx, found| {
        let milestones = ProjectMilestone::list(tx, found.project.id, &filter, paging)?;
        Ok((milestones, counts(tx, found)?))
    });
    let ((milestones, counts), found) = read.await?;
    let now = page.now();
    let rows = milestones.items.iter();
    let rows = rows
        .map(|milestone| MilestoneRow::new(milestone, &found, now))
        .collect();
    let new = format!("{}/-/milestones/new", found.path());
    page.show(&MilestoneListPage {
        shell: page.shell(&found, Section::Milestones, "Milestones"),
        total: total(milestones.total, "milestone", "milestones"),
        new: found.allows::<Reporter>().then_some(new),
        tabs: tabs(&query, state, &counts),
        search: query.text("search").to_owned(),
        state: query.text("state").to_owned(),
        is_narrowed: query.has_any(&["search", "title", "iids"]),
        clear: query.with(&[("search", ""), ("title", ""), ("iids", "")]),
        is_open_view: state == MilestoneState::Active,
        rows,
        pager: Pager::new(&query, paging, &milestones),
    })
}

fn counts(tx: &mut dyn ReadTransaction, found: &ProjectContext) -> Result<Vec<Total>, StoreError> {
    let of = |(_, _, state): &(_, _, MilestoneState)| {
        let filter = MilestoneFilter {
            state: Some(*state),
            ..MilestoneFilter::default()
        };
        let page = ProjectMilestone::list(tx, found.project.id, &filter, OffsetPage::new(1, 1))?;
        Ok(page.total)
    };
    VIEWS.iter().map(of).collect()
}

fn tabs(query: &ListQuery, current: MilestoneState, counts: &[Total]) -> Vec<Tab> {
    let views = VIEWS.into_iter().zip(counts);
    let tab = |((name, word, state), total): ((&'static str, &str, MilestoneState), &Total)| Tab {
        name,
        href: query.with(&[("state", if word == VIEWS[0].1 { "" } else { word })]),
        count: count(*total),
        is_current: state == current,
    };
    views.map(tab).collect()
}

/// Formats the start and due dates of a milestone.
pub(super) fn days(start: Option<CalendarDate>, due: Option<CalendarDate>) -> String {
    match (start.map(day), due.map(day)) {
        (Some(start), Some(due)) => format!("{start} – {due}"),
        (Some(start), None) => format!("From {start}"),
        (None, Some(due)) => format!("Until {due}"),
        (None, None) => String::new(),
    }
}

/// Formats a date for display.
pub(super) fn day(date: CalendarDate) -> String {
    date.start().to_chrono().format("%-d %b %Y").to_string()
}

/// True if the milestone is open and past its due date.
pub(super) fn is_late(milestone: &ProjectMilestone, now: Timestamp) -> bool {
    let content = &milestone.content;
    let is_past = |due: CalendarDate| due < now.date();
    content.state == MilestoneState::Active && content.due_date.is_some_and(is_past)
}

impl MilestoneRow {
    fn new(milestone: &ProjectMilestone, found: &ProjectContext, now: Timestamp) -> Self {
        let content = &milestone.content;
        Self {
            title: DisplayName::of(&content.title),
            path: path_of(found, milestone),
            state: content.state.into(),
            days: days(content.start_date, content.due_date),
            is_late: is_late(milestone, now),
            changed: DisplayTime::at(milestone.updated_at, now),
        }
    }
}
