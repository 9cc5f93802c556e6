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
use web_conventions::operations::refuse_unsupported_filters;

use crate::areas::projects::filter::{UNSUPPORTED_FILTERS, read_filter};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{Choice, ListColumn, ListQuery, Pager, Tab, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::{SignedInVisitor, Visitor};
use crate::state::AppState;

const MINE: &str = "/dashboard/projects";
const ALL: &str = "/explore/projects";

/// A row of the list.
struct ProjectListRow {
    groups: DisplayName,
    name: DisplayName,
    path: String,
    description: String,
    visibility: Pill,
    last_activity: DisplayTime,
    created: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/projects/project_list.html")]
struct ProjectListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    visibilities: Vec<Choice>,
    is_narrowed: bool,
    /// Sort order, which the filter form passes on.
    order: Vec<(&'static str, String)>,
    clear: String,
    columns: [ListColumn; 3],
    rows: Vec<ProjectListRow>,
    pager: Pager,
    is_mine: bool,
}

/// Projects of which the visitor is a member.
pub(super) async fn mine(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
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
    let query = ListQuery::of(page.request)?;
    let filter = filter_of(page, &query, is_mine)?;
    let paging = paging_of(page, &query)?;
    let (order_by, sort) = (word_of(filter.order_by), filter.sort);
    let now = page.visitor.now();
    let work = move |tx: &mut (dyn ReadTransaction + '_)| load(tx, &filter, now, paging);
    let found = page.state.database.read(page.visitor.lane(), work).await;
    let (found, names) = found?;
    let mut shell = page.shell(
        SiteArea::Projects,
        if is_mine { "Your projects" } else { "Projects" },
    );
    query.text("search").clone_into(&mut shell.search_text);
    let rows = found.items.iter();
    let rows = rows
        .map(|project| ProjectListRow::new(project, &names, now))
        .collect();
    let column = |name, word, first| ListColumn::new(&query, name, word, first, order_by, sort);
    page.show(&ProjectListPage {
        shell,
        total: total(found.total, "project", "projects"),
        tabs: tabs(page.visitor, &query, is_mine),
        search: query.text("search").to_owned(),
        visibilities: Choice::all(&Visibility::NAMES, query.text("visibility")),
        is_narrowed: query.has_any(&["search", "visibility"]),
        order: query.hidden_fields(&["order_by", "sort"]),
        clear: query.with(&[("search", ""), ("visibility", "")]),
        columns: [
            column("Name", "name", SortOrder::Ascending),
            column("Last activity", "last_activity_at", SortOrder::Descending),
            column("Created", "created_at", SortOrder::Descending),
        ],
        rows,
        pager: Pager::new(&query, paging, &found),
        is_mine,
    })
}

/// Returns the API filter.
/// Sorts by last activity, unless the address sets another order.
fn filter_of(
    page: &PageRequest<'_>,
    query: &ListQuery,
    is_mine: bool,
) -> Result<ProjectFilter, PageFailure> {
    refuse_unsupported_filters(&UNSUPPORTED_FILTERS, query.params()).map_err(Failure::from)?;
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

fn paging_of(page: &PageRequest<'_>, query: &ListQuery) -> Result<OffsetPage, PageFailure> {
    let max_offset = page.state.settings.paging.max_offset;
    match Paging::by_id(query.params(), max_offset).map_err(Failure::from)? {
        Paging::Offset(paging) => Ok(paging),
        Paging::Keyset { per_page, .. } => Ok(OffsetPage::new(1, per_page.into())),
    }
}

fn load(
    tx: &mut dyn ReadTransaction,
    filter: &ProjectFilter,
    now: Timestamp,
    paging: OffsetPage,
) -> Result<(Page<Project>, FullNames), Failure> {
    let found = tx.list_projects(filter, now.date(), paging)?;
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

fn tabs(visitor: &Visitor, query: &ListQuery, is_mine: bool) -> Vec<Tab> {
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

impl ProjectListRow {
    fn new(project: &Project, names: &FullNames, now: Timestamp) -> Self {
        let whole = names.of_project(project);
        let groups = whole.strip_suffix(&project.name).unwrap_or_default();
        Self {
            groups: DisplayName::of(groups.trim_end_matches(" / ")),
            name: DisplayName::of(&project.name),
            path: format!("/{}", project.full_path.as_str()),
            description: project.description.chars().take(200).collect(),
            visibility: project.visibility.into(),
            last_activity: DisplayTime::at(project.last_activity_at, now),
            created: DisplayTime::at(project.created_at, now),
        }
    }
}
