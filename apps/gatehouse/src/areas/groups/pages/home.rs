//! Overview page of a group: its description, projects and subgroups.

use actix_web::HttpResponse;
use api_conventions::page::{OffsetPage, Total};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::{GroupFilter, GroupsWithin, ProjectFilter, ProjectOrder, ProjectsWithin, Viewer};
use storage::StoreError;

use super::row::PlaceRow;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::group::{GroupContext, GroupPage};
use crate::frame::page::list::{ListQuery, Pager, Tab, count};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::CanView;
use crate::frame::page::prose::{Prose, Text, render_alone};
use crate::frame::page::shell::{PageBreadcrumb, Shell};
use crate::frame::page::side::Section;

/// Content of the page's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupContentView {
    Projects,
    Subgroups,
}

/// Parameters of the page.
struct GroupPageQuery {
    /// Requested view; `None` for the default.
    view: Option<GroupContentView>,
    search: Option<String>,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

/// Listed content of the group.
struct Contents {
    view: GroupContentView,
    projects: Total,
    subgroups: Total,
    rows: Vec<PlaceRow>,
    has_next: bool,
}

#[derive(Template)]
#[template(path = "areas/groups/group.html")]
struct GroupHomePage {
    shell: Shell,
    above: Vec<PageBreadcrumb>,
    name: DisplayName,
    visibility: Pill,
    description: Prose,
    path: String,
    new_project: bool,
    new_subgroup: bool,
    tabs: Vec<Tab>,
    is_of_projects: bool,
    search: String,
    view: String,
    clear: String,
    rows: Vec<PlaceRow>,
    pager: Pager,
    id: String,
    full_path: String,
    created: DisplayTime,
}

/// Answers with the page of a group.
pub(super) async fn show(page: GroupPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let params = GroupPageQuery::of(&query, page.viewer(), page.now())?;
    let (paging, now) = (params.page, params.now);
    let read = page.read(move |tx, found| Ok(Contents::read(tx, found, &params)?));
    let (contents, found) = read.await?;
    let path = found.path();
    let query = query.with_path(&path);
    let group = &found.group;
    let description = Text {
        id_prefix: "description-".to_owned(),
        text: group.content.description.clone(),
    };
    let above = found.above.iter().map(|one| PageBreadcrumb {
        name: DisplayName::of(&one.name),
        path: Some(path_of_group(one.full_path.as_str())),
    });
    page.show(&GroupHomePage {
        shell: page.shell(&found, Section::Overview, "Overview"),
        above: above.collect(),
        name: DisplayName::of(&group.content.name),
        visibility: group.content.visibility.into(),
        description: render_alone(&page.state().base_url, description).await?,
        new_project: makes_projects(&found),
        new_subgroup: makes_subgroups(&found),
        tabs: contents.tabs(&query),
        is_of_projects: contents.view == GroupContentView::Projects,
        search: query.text("search").to_owned(),
        view: query.text("view").to_owned(),
        clear: query.with(&[("search", "")]),
        pager: contents.pager(&query, paging),
        rows: contents.rows,
        id: group.id.to_string(),
        full_path: group.full_path.as_str().to_owned(),
        created: DisplayTime::at(group.created_at, now),
        path,
    })
}

/// True if the visitor may create projects in the group.
fn makes_projects(found: &GroupContext) -> bool {
    let least = found.group.content.project_creation_level.min_level();
    found.access.allows_at_least(least)
}

/// True if the visitor may create subgroups in the group.
pub(super) fn makes_subgroups(found: &GroupContext) -> bool {
    let least = found.group.content.subgroup_creation_level.min_level();
    found.access.allows(least)
}

impl GroupPageQuery {
    fn of(query: &ListQuery, viewer: Viewer, now: Timestamp) -> Result<Self, PageFailure> {
        let search = query.text("search");
        Ok(Self {
            view: match query.text("view") {
                "projects" => Some(GroupContentView::Projects),
                "subgroups" => Some(GroupContentView::Subgroups),
                _ => None,
            },
            search: (!search.is_empty()).then(|| search.to_owned()),
            page: query.paging()?,
            viewer,
            now,
        })
    }
}

impl Contents {
    /// Loads one of the lists, and the length of the other.
    /// A group with subgroups but no projects shows the subgroups by default.
    fn read(
        tx: &mut dyn ReadTransaction,
        found: &GroupContext,
        params: &GroupPageQuery,
    ) -> Result<Self, StoreError> {
        let mut projects = ProjectFilter::new(params.viewer);
        projects.within = ProjectsWithin::Group {
            id: found.group.id,
            with_subgroups: false,
            with_shared: true,
        };
        projects.search.clone_from(&params.search);
        projects.order_by = ProjectOrder::LastActivityAt;
        let mut subgroups = GroupFilter::new(params.viewer);
        subgroups.within = GroupsWithin::ChildrenOf(found.group.id);
        subgroups.search.clone_from(&params.search);
        let (today, one) = (params.now.date(), OffsetPage::new(1, 1));
        let in_projects = tx.list_projects(&projects, today, one)?;
        let in_subgroups = tx.list_groups(&subgroups, today, one)?;
        let has_subgroups_alone = in_projects.items.is_empty() && !in_subgroups.items.is_empty();
        let view = match params.view {
            Some(view) => view,
            None if has_subgroups_alone => GroupContentView::Subgroups,
            None => GroupContentView::Projects,
        };
        let (rows, has_next) = match view {
            GroupContentView::Projects => {
                let page = tx.list_projects(&projects, today, params.page)?;
                let names = full_names(tx, &page.items)?;
                let group = found.group.full_path.as_str();
                let rows = page.items.iter();
                let row = |project| PlaceRow::of_project(project, group, &names, params.now);
                (rows.map(row).collect(), page.has_next)
            }
            GroupContentView::Subgroups => {
                let page = tx.list_groups(&subgroups, today, params.page)?;
                let rows = page.items.iter();
                let row = |group| PlaceRow::of_subgroup(group, params.now);
                (rows.map(row).collect(), page.has_next)
            }
        };
        Ok(Self {
            view,
            projects: in_projects.total,
            subgroups: in_subgroups.total,
            rows,
            has_next,
        })
    }

    fn tabs(&self, query: &ListQuery) -> Vec<Tab> {
        let tab = |name, word, total, view| Tab {
            name,
            href: query.with(&[("view", word)]),
            count: count(total),
            is_current: view == self.view,
        };
        vec![
            tab(
                "Projects",
                "projects",
                self.projects,
                GroupContentView::Projects,
            ),
            tab(
                "Subgroups",
                "subgroups",
                self.subgroups,
                GroupContentView::Subgroups,
            ),
        ]
    }

    fn pager(&self, query: &ListQuery, paging: OffsetPage) -> Pager {
        let total = match self.view {
            GroupContentView::Projects => self.projects,
            GroupContentView::Subgroups => self.subgroups,
        };
        let page = api_conventions::page::Page {
            items: vec![(); self.rows.len()],
            has_next: self.has_next,
            total,
        };
        Pager::new(query, paging, &page)
    }
}
