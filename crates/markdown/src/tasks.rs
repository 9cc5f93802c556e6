//! Accessible names of task list checkboxes: a screen reader announces nothing for a checkbox without a name.

use comrak::Node;
use comrak::nodes::NodeValue;

use crate::rewrite::escape;

/// Longest name, in characters.
const MAX_NAME: usize = 100;

/// Name of a checkbox whose item has no text.
const NAMELESS: &str = "Task";

/// Beginning of a checkbox in the library's output.
/// Nothing else in its HTML begins like this, because user text is escaped.
const CHECKBOX: &str = "<input ";

/// Names of the checkboxes of a document, in order: the text in the first line of each item.
pub(crate) fn names(root: Node<'_>) -> Vec<String> {
    let items = root.descendants();
    let items = items.filter(|node| matches!(node.data.borrow().value, NodeValue::TaskItem(_)));
    items.map(name).collect()
}

fn name(item: Node<'_>) -> String {
    let mut name = String::new();
    // Text below the first block belongs to other items, or is more detail on this one.
    let first = item.first_child();
    for node in first
        .into_iter()
        .flat_map(comrak::arena_tree::Node::descendants)
    {
        match &node.data.borrow().value {
            NodeValue::Text(text) => name.push_str(text),
            NodeValue::HtmlInline(html) => name.push_str(html),
            NodeValue::Code(code) => name.push_str(&code.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => break,
            _ => {}
        }
        if name.len() > MAX_NAME * 4 {
            break;
        }
    }
    let name: String = name.trim().chars().take(MAX_NAME).collect();
    if name.is_empty() {
        NAMELESS.to_owned()
    } else {
        name
    }
}

/// Adds names to the checkboxes in the HTML of a document.
pub(crate) fn with_names(html: &str, names: &[String]) -> String {
    if names.is_empty() {
        return html.to_owned();
    }
    let mut labelled = String::with_capacity(html.len());
    let mut names = names.iter();
    for (number, part) in html.split(CHECKBOX).enumerate() {
        if number > 0 {
            let name = names.next().map_or(NAMELESS, String::as_str);
            labelled.push_str(CHECKBOX);
            labelled.push_str("aria-label=\"");
            escape(name, &mut labelled);
            labelled.push_str("\" ");
        }
        labelled.push_str(part);
    }
    labelled
}
