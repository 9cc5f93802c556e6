//! Parsing and rendering of a text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use comrak::nodes::NodeValue;
use comrak::{Arena, Node, Options, format_html, parse_document};

use crate::bounds::{self, MAX_LINKS, MAX_REFERENCES};
use crate::reference::{Reference, ResolvedReferences};
use crate::rewrite::{self, each_reference, escape};
use crate::sanitize::sanitize;
use crate::tasks;

/// Settings for the page on which a text is shown.
#[derive(Debug, Clone, Copy)]
pub struct RenderSettings<'a> {
    /// External URL of the server, without a trailing slash.
    /// URLs below it may be references.
    pub base_url: &'a str,
    /// Prefix of footnote ids.
    /// Texts on one page need different prefixes, such as `note-12-`.
    pub id_prefix: &'a str,
}

/// Number of task list items in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskItems {
    /// All items.
    pub count: usize,
    /// Completed items.
    pub completed: usize,
}

/// References in a text, each once, in order of first occurrence; at most [`MAX_REFERENCES`].
///
/// The caller looks them up and passes to [`render`] those that the viewer may see.
pub fn references(text: &str, base_url: &str) -> Vec<Reference> {
    with_document(text, |root| {
        let mut first = UniqueItems::default();
        each_reference(root, base_url, &mut |reference| first.insert(reference));
        first.all
    })
}

/// Usernames mentioned in a text, in lower case and each once; at most [`MAX_REFERENCES`].
pub fn mentions(text: &str) -> Vec<String> {
    with_document(text, |root| {
        let mut first = UniqueItems::default();
        each_reference(root, "", &mut |reference| match reference {
            Reference::User(name) => first.insert(name),
            _ => first.has_room(),
        });
        first.all
    })
}

/// Counts the task list items in a text.
pub fn task_items(text: &str) -> TaskItems {
    with_document(text, |root| {
        let mut items = TaskItems::default();
        for node in root.descendants() {
            if let NodeValue::TaskItem(item) = &node.data.borrow().value {
                items.count += 1;
                items.completed += usize::from(item.symbol.is_some());
            }
        }
        items
    })
}

/// Renders a text as HTML that is safe on a page.
/// References in `resolved` become links.
///
/// A text that is longer than [`MAX_CHARACTERS`](crate::MAX_CHARACTERS) or goes beyond
/// [`MAX_MARKER_COLUMN`](crate::MAX_MARKER_COLUMN) is shown as it is written.
///
/// Characters that set the text direction are shown as U+FFFD, because they would make a text read differently from how
/// it is written.
pub fn render(text: &str, settings: RenderSettings<'_>, resolved: &ResolvedReferences) -> String {
    let text = &*without_direction_marks(text);
    let mut html = String::new();
    if bounds::allow(text) {
        let options = options(text);
        let arena = Arena::new();
        let root = parse_document(&arena, text, &options);
        rewrite::plain_links(&arena, root);
        rewrite::links_for_references(&arena, root, settings.base_url, resolved);
        let names = tasks::names(root);
        // Writing to a `String` does not fail.
        let _ = format_html(root, &options, &mut html);
        html = tasks::with_names(&html, &names);
    } else {
        html.push_str("<pre>");
        escape(text, &mut html);
        html.push_str("</pre>\n");
    }
    sanitize(&html, settings.id_prefix)
}

/// Replaces the characters that set the text direction (Unicode Standard Annex #9, sections 2.1 to 2.5).
fn without_direction_marks(text: &str) -> Cow<'_, str> {
    let sets_direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.contains(sets_direction) {
        text.replace(sets_direction, "\u{fffd}").into()
    } else {
        text.into()
    }
}

/// Parses a text that is within the limits; any other text has no structure.
fn with_document<T: Default>(text: &str, read: impl FnOnce(Node<'_>) -> T) -> T {
    if !bounds::allow(text) {
        return T::default();
    }
    let arena = Arena::new();
    read(parse_document(&arena, text, &options(text)))
}

/// Common GitHub extensions.
/// HTML in a text is escaped.
fn options(text: &str) -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = bounds::allow_tables(text);
    options.extension.autolink = true;
    options.extension.tasklist = true;
    // Each footnote reference becomes two links, so their number is limited.
    options.extension.footnotes = text.matches("[^").count() <= MAX_LINKS;
    options.parse.escaped_char_spans = true;
    options.render.escape = true;
    options.render.tasklist_classes = true;
    options
}

/// Distinct items up to the limit, in order.
struct UniqueItems<T> {
    all: Vec<T>,
    known: HashSet<T>,
}

impl<T> Default for UniqueItems<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            known: HashSet::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> UniqueItems<T> {
    /// Adds an item unless it is known.
    /// Returns `false` once the limit is reached.
    fn insert(&mut self, one: T) -> bool {
        if self.known.insert(one.clone()) {
            self.all.push(one);
        }
        self.has_room()
    }

    fn has_room(&self) -> bool {
        self.all.len() < MAX_REFERENCES
    }
}
