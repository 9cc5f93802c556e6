//! Overview page of a group: its description, projects and subgroups.

use actix_web::HttpResponse;
use api_conventions::page::{OffsetPage, Total};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::{GroupFilter, GroupsWithin, ProjectFilter, ProjectOrder, ProjectsWithin, Viewer};
use storage::StoreError;

use super::row::Row;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::group::{FoundGroup, GroupPage};
use crate::frame::page::list::{Pager, Query, Tab, count};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::Sight;
use crate::frame::page::prose::{Prose, Text, render_alone};
use crate::frame::page::shell::{Crumb, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Section;

/// Content of the page's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Projects,
    Subgroups,
}

/// Parameters of the page.
struct Asked {
    /// Requested view; `None` for the default.
    view: Option<View>,
    search: Option<String>,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

/// Listed content of the group.
struct Contents {
    view: View,
    projects: Total,
    subgroups: Total,
    rows: Vec<Row>,
    has_next: bool,
}

#[derive(Template)]
#[template(path = "areas/groups/group.html")]
struct HomePage {
    shell: Shell,
    above: Vec<Crumb>,
    name: ShownName,
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
    rows: Vec<Row>,
    pager: Pager,
    id: String,
    full_path: String,
    created: DisplayTime,
}

/// Answers with the page of a group.
pub(super) async fn show(page: GroupPage<Sight>) -> Result<HttpResponse, PageFailure> {
    let query = Query::of(page.request())?;
    let asked = Asked::of(&query, page.viewer(), page.now())?;
    let (paging, now) = (asked.page, asked.now);
    let read = page.read(move |tx, found| Ok(Contents::read(tx, found, &asked)?));
    let (contents, found) = read.await?;
    let path = found.path();
    let query = query.moved(&path);
    let group = &found.group;
    let description = Text {
        id_prefix: "description-".to_owned(),
        text: group.content.description.clone(),
    };
    let above = found.above.iter().map(|one| Crumb {
        name: ShownName::of(&one.name),
        path: Some(path_of_group(one.full_path.as_str())),
    });
    page.show(&HomePage {
        shell: page.shell(&found, Section::Overview, "Overview"),
        above: above.collect(),
        name: ShownName::of(&group.content.name),
        visibility: group.content.visibility.into(),
        description: render_alone(&page.state().base_url, description).await?,
        new_project: makes_projects(&found),
        new_subgroup: makes_subgroups(&found),
        tabs: contents.tabs(&query),
        is_of_projects: contents.view == View::Projects,
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
fn makes_projects(found: &FoundGroup) -> bool {
    let least = found.group.content.project_creation_level.least();
    found.access.allows_from(least)
}

/// True if the visitor may create subgroups in the group.
pub(super) fn makes_subgroups(found: &FoundGroup) -> bool {
    let least = found.group.content.subgroup_creation_level.least();
    found.access.allows(least)
}

impl Asked {
    fn of(query: &Query, viewer: Viewer, now: Timestamp) -> Result<Self, PageFailure> {
        let search = query.text("search");
        Ok(Self {
            view: match query.text("view") {
                "projects" => Some(View::Projects),
                "subgroups" => Some(View::Subgroups),
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
        found: &FoundGroup,
        asked: &Asked,
    ) -> Result<Self, StoreError> {
        let mut projects = ProjectFilter::new(asked.viewer);
        projects.within = ProjectsWithin::Group {
            id: found.group.id,
            with_subgroups: false,
            with_shared: true,
        };
        projects.search.clone_from(&asked.search);
        projects.order_by = ProjectOrder::LastActivityAt;
        let mut subgroups = GroupFilter::new(asked.viewer);
        subgroups.within = GroupsWithin::ChildrenOf(found.group.id);
        subgroups.search.clone_from(&asked.search);
        let (today, one) = (asked.now.date(), OffsetPage::new(1, 1));
        let in_projects = tx.list_projects(&projects, today, one)?;
        let in_subgroups = tx.list_groups(&subgroups, today, one)?;
        let has_subgroups_alone = in_projects.items.is_empty() && !in_subgroups.items.is_empty();
        let view = match asked.view {
            Some(view) => view,
            None if has_subgroups_alone => View::Subgroups,
            None => View::Projects,
        };
        let (rows, has_next) = match view {
            View::Projects => {
                let page = tx.list_projects(&projects, today, asked.page)?;
                let names = full_names(tx, &page.items)?;
                let group = found.group.full_path.as_str();
                let rows = page.items.iter();
                let row = |project| Row::of_project(project, group, &names, asked.now);
                (rows.map(row).collect(), page.has_next)
            }
            View::Subgroups => {
                let page = tx.list_groups(&subgroups, today, asked.page)?;
                let rows = page.items.iter();
                let row = |group| Row::of_subgroup(group, asked.now);
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

    fn tabs(&self, query: &Query) -> Vec<Tab> {
        let tab = |name, word, total, view| Tab {
            name,
            href: query.with(&[("view", word)]),
            count: count(total),
            is_current: view == self.view,
        };
        vec![
            tab("Projects", "projects", self.projects, View::Projects),
            tab("Subgroups", "subgroups", self.subgroups, View::Subgroups),
        ]
    }

    fn pager(&self, query: &Query, asked: OffsetPage) -> Pager {
        let total = match self.view {
            View::Projects => self.projects,
            View::Subgroups => self.subgroups,
        };
        let page = api_conventions::page::Page {
            items: vec![(); self.rows.len()],
            has_next: self.has_next,
            total,
        };
        Pager::new(query, asked, &page)
    }
}
