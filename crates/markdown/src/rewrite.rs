//! Changes to a parsed document before it is rendered.

use comrak::nodes::{AstNode, NodeLink, NodeValue};
use comrak::{Arena, Node};

use crate::bounds::MAX_LINKS;
use crate::reference::{Reference, ResolvedReferences, Target};
use crate::scan::{own_issue, scan};

/// Passes every reference of a document to `see`, in order, until `see` returns `false`.
pub(crate) fn each_reference(
    root: Node<'_>,
    base_url: &str,
    see: &mut dyn FnMut(Reference) -> bool,
) {
    for node in reference_nodes(root) {
        let found = match node {
            ReferenceNode::Text(node) => scan(&text_of(node))
                .into_iter()
                .map(|found| found.reference)
                .collect(),
            ReferenceNode::Address(node) => {
                own_address(node, base_url).into_iter().collect::<Vec<_>>()
            }
        };
        if !found.into_iter().all(&mut *see) {
            return;
        }
    }
}

/// Replaces resolved references with links.
/// All others stay as they are.
pub(crate) fn links_for_references<'a>(
    arena: &'a Arena<'a>,
    root: Node<'a>,
    base_url: &str,
    resolved: &ResolvedReferences,
) {
    let mut left = MAX_LINKS;
    for node in reference_nodes(root) {
        match node {
            ReferenceNode::Text(node) => link_in_text(arena, node, resolved, &mut left),
            ReferenceNode::Address(node) => {
                if let Some(reference) = own_address(node, base_url)
                    && let Some(target) = resolved.get(&reference)
                    && let Reference::Issue {
                        project: Some(project),
                        iid,
                    } = &reference
                {
                    let link = link(&reference, target, &format!("{project}#{iid}"));
                    node.insert_before(arena.alloc(AstNode::from(link)));
                    node.detach();
                }
            }
        }
    }
}

/// Longest URL or title of a link, in bytes.
/// A longer one is dropped.
const MAX_ADDRESS: usize = 4096;

/// Converts images to links, and drops URLs that are too long.
/// An external image would tell its server who reads the page, and when.
pub(crate) fn plain_links<'a>(arena: &'a Arena<'a>, root: Node<'a>) {
    let links: Vec<Node<'_>> = root
        .descendants()
        .filter(|node| is_link_or_image(node))
        .collect();
    for node in links {
        let is_image = matches!(node.data.borrow().value, NodeValue::Image(_));
        if is_image && node.ancestors().skip(1).any(is_link_or_image) {
            // Links cannot be nested, so the image is replaced by its description.
            for child in node.children().collect::<Vec<_>>() {
                node.insert_before(child);
            }
            node.detach();
        } else if is_image {
            let link = address(node);
            if node.first_child().is_none() {
                let text = NodeValue::Text(link.url.clone().into());
                node.append(arena.alloc(AstNode::from(text)));
            }
            node.data.borrow_mut().value = NodeValue::Link(Box::new(link));
        } else {
            node.data.borrow_mut().value = NodeValue::Link(Box::new(address(node)));
        }
    }
}

/// Target of a link or an image, without a URL or title that is too long.
fn address(node: Node<'_>) -> NodeLink {
    let short = |text: &String| {
        if text.len() > MAX_ADDRESS {
            String::new()
        } else {
            text.clone()
        }
    };
    let value = &node.data.borrow().value;
    let link = match value {
        NodeValue::Link(link) | NodeValue::Image(link) => Some(link),
        _ => None,
    };
    NodeLink {
        url: link.map(|link| short(&link.url)).unwrap_or_default(),
        title: link.map(|link| short(&link.title)).unwrap_or_default(),
    }
}

/// Node that can contain references.
enum ReferenceNode<'a> {
    /// Text that is neither code nor in a link.
    Text(Node<'a>),
    /// A link whose text is its own URL.
    Address(Node<'a>),
}

fn reference_nodes(root: Node<'_>) -> Vec<ReferenceNode<'_>> {
    let mut all = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let value = &node.data.borrow().value;
        match value {
            NodeValue::Text(_) => all.push(ReferenceNode::Text(node)),
            NodeValue::Link(link) => {
                let shows_itself = node.first_child().is_some_and(|child| {
                    matches!(&child.data.borrow().value, NodeValue::Text(text) if *text == link.url)
                });
                if shows_itself {
                    all.push(ReferenceNode::Address(node));
                }
            }
            // A character after a backslash is literal.
            NodeValue::Image(_) | NodeValue::Escaped => {}
            _ => waiting.extend(node.reverse_children()),
        }
    }
    all
}

fn is_link_or_image(node: Node<'_>) -> bool {
    matches!(
        node.data.borrow().value,
        NodeValue::Link(_) | NodeValue::Image(_)
    )
}

fn text_of(node: Node<'_>) -> String {
    match &node.data.borrow().value {
        NodeValue::Text(text) => text.clone().into_owned(),
        _ => String::new(),
    }
}

fn own_address(node: Node<'_>, base_url: &str) -> Option<Reference> {
    match &node.data.borrow().value {
        NodeValue::Link(link) => own_issue(&link.url, base_url),
        _ => None,
    }
}

fn link_in_text<'a>(
    arena: &'a Arena<'a>,
    node: Node<'a>,
    resolved: &ResolvedReferences,
    left: &mut usize,
) {
    let text = text_of(node);
    let mut at = 0;
    let put = |value: NodeValue| node.insert_before(arena.alloc(AstNode::from(value)));
    for found in scan(&text) {
        if *left == 0 {
            break;
        }
        let (Some(target), Some(before), Some(written)) = (
            resolved.get(&found.reference),
            text.get(at..found.range.start),
            text.get(found.range.clone()),
        ) else {
            continue;
        };
        put(NodeValue::Text(before.to_owned().into()));
        put(link(&found.reference, target, written));
        at = found.range.end;
        *left -= 1;
    }
    if at > 0 {
        put(NodeValue::Text(
            text.get(at..).unwrap_or_default().to_owned().into(),
        ));
        node.detach();
    }
}

/// Link for a reference, with `written` as its text.
fn link(reference: &Reference, target: &Target, written: &str) -> NodeValue {
    let mut html = format!("<a class=\"reference {}\" href=\"", reference.class());
    escape(&target.href, &mut html);
    html.push('"');
    if !target.title.is_empty() {
        html.push_str(" title=\"");
        escape(&target.title, &mut html);
        html.push('"');
    }
    html.push('>');
    escape(written, &mut html);
    html.push_str("</a>");
    NodeValue::Raw(html)
}

/// Escapes a text for HTML.
pub(crate) fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            _ => html.push(letter),
        }
    }
}
