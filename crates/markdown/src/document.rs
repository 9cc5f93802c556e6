//! What can be asked of a text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use comrak::nodes::NodeValue;
use comrak::{Arena, Node, Options, format_html, parse_document};

use crate::bounds::{self, MAX_LINKS, MAX_REFERENCES};
use crate::reference::{Reference, Resolved};
use crate::rewrite::{self, each_reference, escape};
use crate::sanitize::sanitize;
use crate::tasks;

/// Where a text is shown.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// How clients reach the server, without a slash at the end: addresses below it may be references.
    pub base_url: &'a str,
    /// What the ids of footnotes begin with. Texts on one page need different ones, such as `note-12-`.
    pub id_prefix: &'a str,
}

/// How many items a text has that can be ticked off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TaskItems {
    /// All of them.
    pub count: usize,
    /// Those that are ticked off.
    pub completed: usize,
}

/// What a text refers to, each once, in the order in which it comes first; at most [`MAX_REFERENCES`].
///
/// The caller looks these up, and gives to [`render`] what the viewer may know of.
pub fn references(text: &str, base_url: &str) -> Vec<Reference> {
    with_document(text, |root| {
        let mut first = First::default();
        each_reference(root, base_url, &mut |reference| first.offer(reference));
        first.all
    })
}

/// The usernames that a text mentions, in lower case and each once; at most [`MAX_REFERENCES`].
pub fn mentions(text: &str) -> Vec<String> {
    with_document(text, |root| {
        let mut first = First::default();
        each_reference(root, "", &mut |reference| match reference {
            Reference::User(name) => first.offer(name),
            _ => first.has_room(),
        });
        first.all
    })
}

/// How many items of task lists a text has.
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

/// The text as HTML that is safe on a page. References in `resolved` become links.
///
/// A text that is longer than [`MAX_CHARACTERS`](crate::MAX_CHARACTERS) or goes beyond
/// [`MAX_MARKER_COLUMN`](crate::MAX_MARKER_COLUMN) is shown as it is written.
///
/// Characters that set a direction of text are shown as U+FFFD: they would let a text read otherwise than it is.
pub fn render(text: &str, settings: Settings<'_>, resolved: &Resolved) -> String {
    let text = &*in_order(text);
    let mut html = String::new();
    if bounds::allow(text) {
        let options = options(text);
        let arena = Arena::new();
        let root = parse_document(&arena, text, &options);
        rewrite::plain_links(&arena, root);
        rewrite::links_for_references(&arena, root, settings.base_url, resolved);
        let names = tasks::names(root);
        // Writing into a text does not fail.
        let _ = format_html(root, &options, &mut html);
        html = tasks::with_names(&html, &names);
    } else {
        html.push_str("<pre>");
        escape(text, &mut html);
        html.push_str("</pre>\n");
    }
    sanitize(&html, settings.id_prefix)
}

/// The text without characters that set its direction (Unicode Standard Annex #9, sections 2.1 to 2.5).
fn in_order(text: &str) -> Cow<'_, str> {
    let sets_direction = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if text.contains(sets_direction) {
        text.replace(sets_direction, "\u{fffd}").into()
    } else {
        text.into()
    }
}

/// Reads a text that is within the bounds; any other has no structure.
fn with_document<T: Default>(text: &str, ask: impl FnOnce(Node<'_>) -> T) -> T {
    if !bounds::allow(text) {
        return T::default();
    }
    let arena = Arena::new();
    ask(parse_document(&arena, text, &options(text)))
}

/// GitHub's extensions, as far as people know them. HTML in a text is shown, not obeyed.
fn options(text: &str) -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    // Each mention of a footnote becomes two links, so a text has only so many.
    options.extension.footnotes = text.matches("[^").count() <= MAX_LINKS;
    options.parse.escaped_char_spans = true;
    options.render.escape = true;
    options.render.tasklist_classes = true;
    options
}

/// The first of what comes, each once.
struct First<T> {
    all: Vec<T>,
    known: HashSet<T>,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            known: HashSet::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> First<T> {
    /// Takes what did not come before. `false` when nothing more is taken.
    fn offer(&mut self, one: T) -> bool {
        if self.known.insert(one.clone()) {
            self.all.push(one);
        }
        self.has_room()
    }

    fn has_room(&self) -> bool {
        self.all.len() < MAX_REFERENCES
    }
}
