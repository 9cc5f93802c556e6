//! Lists of snippets.

use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use projects::Snippet;

use crate::areas::snippets::view::SnippetPage;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::{DisplayTime, counted};
use crate::frame::page::list::{ListQuery, Pager, Tab, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::shell::Shell;

/// Row of a list.
struct SnippetListRow {
    title: DisplayName,
    path: String,
    files: String,
    visibility: Pill,
    author: DisplayName,
    created: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/snippets/snippet_list.html")]
pub(super) struct SnippetListPage {
    shell: Shell,
    heading: &'static str,
    total: String,
    new: Option<String>,
    tabs: Vec<Tab>,
    rows: Vec<SnippetListRow>,
    pager: Pager,
}

/// Frame of a list.
pub(super) struct ListFrame<'a> {
    pub(super) shell: Shell,
    pub(super) heading: &'static str,
    /// Path of the list, below the root of the server.
    pub(super) base: &'a str,
    pub(super) may_create: bool,
    pub(super) tabs: Vec<Tab>,
}

impl SnippetListPage {
    pub(super) fn new(
        frame: ListFrame<'_>,
        query: &ListQuery,
        paging: OffsetPage,
        found: &SnippetPage,
        now: Timestamp,
    ) -> Self {
        let row = |snippet: &Snippet| {
            let author = found.context.author(snippet);
            let author = author.map_or("A deleted user", |user| user.name.as_str());
            let first = snippet.paths.first().cloned().unwrap_or_default();
            let more = snippet.paths.len().saturating_sub(1);
            let files = match u64::try_from(more) {
                Ok(0) | Err(_) => first,
                Ok(more) => format!("{first} and {}", counted(more, "more file", "more files")),
            };
            SnippetListRow {
                title: DisplayName::of(&snippet.content.title),
                path: format!("{}/{}", frame.base, snippet.id),
                files,
                visibility: snippet.content.visibility.into(),
                author: DisplayName::of(author),
                created: DisplayTime::at(snippet.created_at, now),
            }
        };
        Self {
            heading: frame.heading,
            total: total(found.page.total, "snippet", "snippets"),
            new: frame.may_create.then(|| format!("{}/new", frame.base)),
            rows: found.page.items.iter().map(row).collect(),
            tabs: frame.tabs,
            pager: Pager::new(query, paging, &found.page),
            shell: frame.shell,
        }
    }
}
