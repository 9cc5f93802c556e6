//! Lists of projects: those of the visitor, and all visible ones.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::{FullNames, Project, ProjectFilter, ProjectOrder};
use web_conventions::failure::Failure;
use web_conventions::operations::refuse_unbuilt;

use crate::areas::projects::filter::{UNBUILT, read_filter};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{Choice, Column, Pager, Query, Tab, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::visitor::{Member, Visitor};
use crate::state::AppState;

const MINE: &str = "/dashboard/projects";
const ALL: &str = "/explore/projects";

/// A row of the list.
struct Row {
    groups: ShownName,
    name: ShownName,
    path: String,
    description: String,
    visibility: Pill,
    last_activity: DisplayTime,
    created: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/projects/project_list.html")]
struct ListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    visibilities: Vec<Choice>,
    is_narrowed: bool,
    /// Sort order, which the filter form passes on.
    order: Vec<(&'static str, String)>,
    clear: String,
    columns: [Column; 3],
    rows: Vec<Row>,
    pager: Pager,
    is_mine: bool,
}

/// Projects of which the visitor is a member.
pub(super) async fn mine(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Member,
) -> Result<HttpResponse, PageFailure> {
    list(&PageRequest::new(&request, &state, &visitor), true).await
}

/// All projects that the visitor can view.
pub(super) async fn all(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    list(&PageRequest::new(&request, &state, &visitor), false).await
}

async fn list(page: &PageRequest<'_>, is_mine: bool) -> Result<HttpResponse, PageFailure> {
    let query = Query::of(page.request)?;
    let filter = filter_of(page, &query, is_mine)?;
    let asked = paging_of(page, &query)?;
    let order = (word_of(filter.order_by), filter.sort);
    let now = page.visitor.now();
    let work = move |tx: &mut (dyn ReadTransaction + '_)| read(tx, &filter, now, asked);
    let found = page.state.database.read(page.visitor.lane(), work).await;
    let (found, names) = found?;
    let mut shell = page.shell(
        Place::Projects,
        if is_mine { "Your projects" } else { "Projects" },
    );
    query.text("search").clone_into(&mut shell.sought);
    let rows = found.items.iter();
    let rows = rows.map(|project| Row::new(project, &names, now)).collect();
    let column = |name, word, first| Column::new(&query, name, (word, first), order);
    page.show(&ListPage {
        shell,
        total: total(found.total, "project", "projects"),
        tabs: tabs(page.visitor, &query, is_mine),
        search: query.text("search").to_owned(),
        visibilities: Choice::all(&Visibility::NAMES, query.text("visibility")),
        is_narrowed: query.has_any(&["search", "visibility"]),
        order: query.kept(&["order_by", "sort"]),
        clear: query.with(&[("search", ""), ("visibility", "")]),
        columns: [
            column("Name", "name", SortOrder::Ascending),
            column("Last activity", "last_activity_at", SortOrder::Descending),
            column("Created", "created_at", SortOrder::Descending),
        ],
        rows,
        pager: Pager::new(&query, asked, &found),
        is_mine,
    })
}

/// Returns the API filter.
/// Sorts by last activity, unless the address sets another order.
fn filter_of(
    page: &PageRequest<'_>,
    query: &Query,
    is_mine: bool,
) -> Result<ProjectFilter, PageFailure> {
    refuse_unbuilt(&UNBUILT, query.params()).map_err(Failure::from)?;
    let read = read_filter(query.params(), page.visitor.viewer());
    let (mut filter, _) = read.map_err(Failure::from)?;
    if !query.has_any(&["order_by"]) {
        filter.order_by = ProjectOrder::LastActivityAt;
    }
    if is_mine && filter.min_access_level.is_none() {
        filter.min_access_level = Some(AccessLevel::Guest);
    }
    Ok(filter)
}

fn paging_of(page: &PageRequest<'_>, query: &Query) -> Result<OffsetPage, PageFailure> {
    let max_offset = page.state.settings.paging.max_offset;
    match Paging::by_id(query.params(), max_offset).map_err(Failure::from)? {
        Paging::Offset(asked) => Ok(asked),
        Paging::Keyset { per_page, .. } => Ok(OffsetPage::new(1, per_page.into())),
    }
}

fn read(
    tx: &mut dyn ReadTransaction,
    filter: &ProjectFilter,
    now: Timestamp,
    asked: OffsetPage,
) -> Result<(Page<Project>, FullNames), Failure> {
    let found = tx.list_projects(filter, now.date(), asked)?;
    let names = full_names(tx, &found.items)?;
    Ok((found, names))
}

/// Value of `order_by` for a sort column of the list; empty for other orders.
fn word_of(order: ProjectOrder) -> &'static str {
    match order {
        ProjectOrder::Name => "name",
        ProjectOrder::LastActivityAt => "last_activity_at",
        ProjectOrder::CreatedAt => "created_at",
        ProjectOrder::Id | ProjectOrder::Path | ProjectOrder::UpdatedAt => "",
    }
}

fn tabs(visitor: &Visitor, query: &Query, is_mine: bool) -> Vec<Tab> {
    if visitor.signed_in().is_none() {
        return Vec::new();
    }
    let tab = |name, path, is_current| Tab {
        name,
        href: query.at(path),
        count: String::new(),
        is_current,
    };
    vec![tab("Mine", MINE, is_mine), tab("All", ALL, !is_mine)]
}

impl Row {
    fn new(project: &Project, names: &FullNames, now: Timestamp) -> Self {
        let whole = names.of_project(project);
        let groups = whole.strip_suffix(&project.name).unwrap_or_default();
        Self {
            groups: ShownName::of(groups.trim_end_matches(" / ")),
            name: ShownName::of(&project.name),
            path: format!("/{}", project.full_path.as_str()),
            description: project.description.chars().take(200).collect(),
            visibility: project.visibility.into(),
            last_activity: DisplayTime::at(project.last_activity_at, now),
            created: DisplayTime::at(project.created_at, now),
        }
    }
}
