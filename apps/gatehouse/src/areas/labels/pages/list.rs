//! The list of labels.

use actix_web::HttpResponse;
use askama::Template;
use projects::{Label, LabelFilter};

use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{Pager, Query, total};
use crate::frame::page::project::{ProjectPage, Sight};
use crate::frame::page::shell::Shell;
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Row of the list.
struct Row {
    id: String,
    title: ShownName,
    color: String,
    description: String,
    priority: String,
}

#[derive(Template)]
#[template(path = "areas/labels/label_list.html")]
struct ListPage {
    shell: Shell,
    total: String,
    list: String,
    may_change: bool,
    search: String,
    is_narrowed: bool,
    clear: String,
    rows: Vec<Row>,
    pager: Pager,
}

/// Responds with the list, ordered by title.
pub(super) async fn show(page: ProjectPage<Sight>) -> Result<HttpResponse, PageFailure> {
    let query = Query::of(page.request())?;
    let asked = query.paging()?;
    let filter = LabelFilter {
        title: None,
        search: Some(query.text("search").to_owned()).filter(|text| !text.is_empty()),
    };
    let read = page.read(move |tx, found| Ok(Label::list(tx, found.project.id, &filter, asked)?));
    let (labels, found) = read.await?;
    page.show(&ListPage {
        shell: page.shell(&found, Section::Labels, "Labels"),
        total: total(labels.total, "label", "labels"),
        list: format!("{}/-/labels", found.path()),
        may_change: found.allows::<Reporter>(),
        search: query.text("search").to_owned(),
        is_narrowed: query.has_any(&["search"]),
        clear: query.with(&[("search", "")]),
        pager: Pager::new(&query, asked, &labels),
        rows: labels.items.into_iter().map(Row::of).collect(),
    })
}

impl Row {
    fn of(label: Label) -> Self {
        Self {
            id: label.id.to_string(),
            title: ShownName::of(&label.content.title),
            color: label.content.color,
            description: label.content.description.unwrap_or_default(),
            priority: label
                .content
                .priority
                .map(|rank| rank.to_string())
                .unwrap_or_default(),
        }
    }
}
