//! Page of a snippet.

use api_conventions::error::ValidationFailures;
use api_conventions::reference::encode_segment;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::rules::snippets::SnippetRights;
use projects::{Snippet, SnippetFile};
use storage::StoreError;

use crate::areas::snippets::view::SnippetView;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::{DisplayTime, sentences};
use crate::frame::page::pill::Pill;
use crate::frame::page::prose::{Prose, Text};
use crate::frame::page::shell::Shell;

/// Maximum number of characters of all files together that the page shows.
const MAX_SHOWN: usize = 50_000;

/// Line of a file.
struct FileLine {
    number: usize,
    text: String,
}

/// File, as far as the page shows it.
struct FileView {
    path: String,
    raw: String,
    lines: Vec<FileLine>,
    /// Whole text to copy; empty if the page shows only a part of it.
    copied: String,
    is_cut: bool,
}

#[derive(Template)]
#[template(path = "areas/snippets/snippet.html")]
pub(super) struct SnippetShowPage {
    shell: Shell,
    list: String,
    path: String,
    may_change: bool,
    title: DisplayName,
    whole_title: String,
    visibility: Pill,
    author: DisplayName,
    description: Prose,
    files: Vec<FileView>,
    created: DisplayTime,
    changed: DisplayTime,
    confirm: String,
    wrong: Vec<String>,
}

/// Snippet with everything that its page shows.
pub(super) struct LoadedSnippet {
    view: SnippetView,
    files: Vec<SnippetFile>,
    may_change: bool,
}

impl LoadedSnippet {
    /// Loads the files and the author of a snippet.
    pub(super) fn of(
        tx: &mut dyn ReadTransaction,
        snippet: Snippet,
        rights: SnippetRights,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            files: tx.list_snippet_files(snippet.id)?,
            view: SnippetView::of(tx, snippet)?,
            may_change: rights == SnippetRights::All,
        })
    }

    /// Title, for the frame of the page.
    pub(super) fn title(&self) -> DisplayName {
        DisplayName::of(&self.view.snippet.content.title)
    }

    /// Description to be rendered.
    pub(super) fn description(&self) -> Text {
        let description = self.view.snippet.content.description.clone();
        Text {
            id_prefix: "description-".to_owned(),
            text: description.unwrap_or_default(),
        }
    }
}

/// Frame of the page, with what was entered in the form for deletion.
pub(super) struct ShowFrame<'a> {
    pub(super) shell: Shell,
    /// Path of the list, below the root of the server.
    pub(super) base: &'a str,
    pub(super) confirm: &'a str,
    pub(super) failures: &'a ValidationFailures,
    pub(super) now: Timestamp,
}

impl SnippetShowPage {
    pub(super) fn new(frame: ShowFrame<'_>, loaded: LoadedSnippet, description: Prose) -> Self {
        let title = loaded.title();
        let SnippetView { snippet, context } = loaded.view;
        let author = context.author(&snippet);
        let author = author.map_or("A deleted user", |user| user.name.as_str());
        let path = format!("{}/{}", frame.base, snippet.id);
        let mut left = MAX_SHOWN;
        let files = loaded.files.into_iter();
        let files = files.map(|file| FileView::new(file, &path, &mut left));
        Self {
            files: files.collect(),
            list: frame.base.to_owned(),
            may_change: loaded.may_change,
            title,
            visibility: snippet.content.visibility.into(),
            author: DisplayName::of(author),
            description,
            created: DisplayTime::at(snippet.created_at, frame.now),
            changed: DisplayTime::at(snippet.updated_at, frame.now),
            whole_title: snippet.content.title,
            confirm: frame.confirm.to_owned(),
            wrong: sentences("The title", frame.failures.of("confirm")),
            shell: frame.shell,
            path,
        }
    }
}

impl FileView {
    /// Shows at most `left` characters of a file, and subtracts those that it shows.
    fn new(file: SnippetFile, snippet: &str, left: &mut usize) -> Self {
        let end = file.content.char_indices().nth(*left).map(|(at, _)| at);
        let shown = end.map_or(&*file.content, |end| file.content.get(..end).unwrap_or(""));
        *left = left.saturating_sub(shown.chars().count());
        let line = |(number, text): (usize, &str)| FileLine {
            number,
            text: text.to_owned(),
        };
        let lines = (1..).zip(shown.lines()).map(line).collect();
        Self {
            raw: format!("{snippet}/raw/main/{}", encode_segment(&file.path)),
            path: file.path,
            lines,
            copied: if end.is_none() {
                file.content
            } else {
                String::new()
            },
            is_cut: end.is_some(),
        }
    }
}
