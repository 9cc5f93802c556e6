//! The list of labels.

use actix_web::HttpResponse;
use askama::Template;
use projects::{Label, LabelFilter};

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Pager, total};
use crate::frame::page::project::{CanView, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Row of the list.
struct LabelRow {
    id: String,
    title: DisplayName,
    color: String,
    description: String,
    priority: String,
}

#[derive(Template)]
#[template(path = "areas/labels/label_list.html")]
struct LabelListPage {
    shell: Shell,
    total: String,
    list: String,
    may_change: bool,
    search: String,
    is_narrowed: bool,
    clear: String,
    rows: Vec<LabelRow>,
    pager: Pager,
}

/// Responds with the list, ordered by title.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let paging = query.paging()?;
    let filter = LabelFilter {
        title: None,
        search: Some(query.text("search").to_owned()).filter(|text| !text.is_empty()),
    };
    let read = page.read(move |tx, found| Ok(Label::list(tx, found.project.id, &filter, paging)?));
    let (labels, found) = read.await?;
    page.show(&LabelListPage {
        shell: page.shell(&found, Section::Labels, "Labels"),
        total: total(labels.total, "label", "labels"),
        list: format!("{}/-/labels", found.path()),
        may_change: found.allows::<Reporter>(),
        search: query.text("search").to_owned(),
        is_narrowed: query.has_any(&["search"]),
        clear: query.with(&[("search", "")]),
        pager: Pager::new(&query, paging, &labels),
        rows: labels.items.into_iter().map(LabelRow::of).collect(),
    })
}

impl LabelRow {
    fn of(label: Label) -> Self {
        Self {
            id: label.id.to_string(),
            title: DisplayName::of(&label.content.title),
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
