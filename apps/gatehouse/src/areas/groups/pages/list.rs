//! Lists of groups: those of the visitor, and all visible ones.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::Visibility;
use api_conventions::page::SortOrder;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names_of_groups;
use projects::{GroupFilter, GroupOrder, GroupsWithin};
use web_conventions::failure::Failure;
use web_conventions::operations::refuse_unsupported_filters;

use super::row::PlaceRow;
use super::{ALL, MINE};
use crate::areas::groups::parameters::{UNSUPPORTED_FILTERS, read_filter};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{Choice, ListColumn, ListQuery, Pager, Tab, total};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::{SignedInVisitor, Visitor};
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/groups/group_list.html")]
struct GroupListPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    visibilities: Vec<Choice>,
    is_narrowed: bool,
    /// Sort order, which the filter form passes on.
    order: Vec<(&'static str, String)>,
    clear: String,
    name: ListColumn,
    rows: Vec<PlaceRow>,
    pager: Pager,
    is_mine: bool,
}

/// Groups of which the visitor is a member.
pub(super) async fn mine(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    list(&PageRequest::new(&request, &state, &visitor), true).await
}

/// All groups that the visitor can view.
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
    let (order_by, sort) = (word_of(filter.order_by), filter.sort);
    let (paging, now) = (query.paging()?, page.visitor.now());
    let work = move |tx: &mut (dyn ReadTransaction + '_)| {
        let found = tx.list_groups(&filter, now.date(), paging)?;
        let names = full_names_of_groups(tx, &found.items)?;
        Ok::<_, Failure>((found, names))
    };
    let found = page.state.database.read(page.visitor.lane(), work).await;
    let (found, names) = found?;
    let rows = found.items.iter();
    let rows = rows.map(|group| PlaceRow::of_group(group, &names, now));
    page.show(&GroupListPage {
        shell: page.shell(
            SiteArea::Groups,
            if is_mine { "Your groups" } else { "Groups" },
        ),
        total: total(found.total, "group", "groups"),
        tabs: tabs(page.visitor, &query, is_mine),
        search: query.text("search").to_owned(),
        visibilities: Choice::all(&Visibility::NAMES, query.text("visibility")),
        is_narrowed: query.has_any(&["search", "visibility"]),
        order: query.hidden_fields(&["order_by", "sort"]),
        clear: query.with(&[("search", ""), ("visibility", "")]),
        name: ListColumn::new(&query, "Name", "name", SortOrder::Ascending, order_by, sort),
        rows: rows.collect(),
        pager: Pager::new(&query, paging, &found),
        is_mine,
    })
}

/// Returns the API filter.
/// The list itself decides if it shows the visitor's groups or all visible ones; the address cannot override that.
fn filter_of(
    page: &PageRequest<'_>,
    query: &ListQuery,
    is_mine: bool,
) -> Result<GroupFilter, PageFailure> {
    let viewer = page.visitor.viewer();
    refuse_unsupported_filters(&UNSUPPORTED_FILTERS, query.params()).map_err(Failure::from)?;
    let read = read_filter(query.params(), viewer, GroupsWithin::Everywhere);
    let mut filter = read.map_err(Failure::from)?;
    filter.is_member = is_mine && filter.min_access_level.is_none();
    Ok(filter)
}

/// Value of `order_by` for a sort column of the list; empty for other orders.
fn word_of(order: GroupOrder) -> &'static str {
    match order {
        GroupOrder::Name => "name",
        GroupOrder::Path | GroupOrder::Id => "",
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
