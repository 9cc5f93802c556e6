//! The allow-list of HTML. What comes here is HTML of ours already; this is the second lock on the same door.

use std::borrow::Cow;

use ammonia::{Builder, UrlRelative, UrlRelativeEvaluate};

use crate::reference::Reference;

/// The elements that Markdown makes.
const ELEMENTS: [&str; 28] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "strong",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// The classes of elements, which pages style.
const CLASSES: [(&str, &[&str]); 6] = [
    ("a", &["footnote-backref"]),
    ("a", &Reference::CLASSES),
    ("input", &["task-list-item-checkbox"]),
    ("li", &["task-list-item"]),
    ("sup", &["footnote-ref"]),
    ("ul", &["contains-task-list"]),
];

/// The longest name of a language, in bytes.
const MAX_LANGUAGE: usize = 40;

/// What cuts long texts into parts while they are sanitised. The library looks from each `&` to the end of its text, so a
/// text without cuts would take time by the square of its length.
const SEAM: &str = "<!---->";

/// How many bytes of text stand between two seams, or more where nothing has to be escaped.
const PART: usize = 1024;

/// What is left of some HTML when everything is taken out that is not on the list.
pub(crate) fn sanitize(html: &str, id_prefix: &str) -> String {
    let mut list = Builder::empty();
    list.tags(ELEMENTS.into())
        .clean_content_tags(["script", "style"].into())
        .strip_comments(false)
        .tag_attributes(
            [
                ("a", ["href", "title", "id", "aria-label"].into()),
                ("code", ["class"].into()),
                ("input", ["checked", "disabled", "aria-label"].into()),
                ("li", ["id"].into()),
                ("ol", ["start"].into()),
                ("td", ["align"].into()),
                ("th", ["align"].into()),
            ]
            .into(),
        )
        .add_tag_attribute_values("input", "type", ["checkbox"])
        .set_tag_attribute_value("input", "disabled", "")
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::Custom(Box::new(Anchors(id_prefix.to_owned()))))
        .link_rel(Some("nofollow noopener noreferrer"))
        .id_prefix(Some(id_prefix))
        .attribute_filter(|element, name, value| match (element, name) {
            ("code", "class") => is_language(value).then_some(value.into()),
            _ => Some(value.into()),
        });
    for (element, classes) in CLASSES {
        list.add_allowed_classes(element, classes);
    }
    list.add_allowed_classes("section", ["footnotes"]);
    // A text of ours has no `<` that is not escaped, so every seam is one that was put there.
    list.clean(&with_seams(html)).to_string().replace(SEAM, "")
}

/// Puts seams into the texts of HTML that comes from Markdown, before what will be escaped.
fn with_seams(html: &str) -> String {
    let mut all = String::with_capacity(html.len() + html.len() / PART * SEAM.len());
    let mut length = 0;
    let mut is_tag = false;
    for letter in html.chars() {
        length += letter.len_utf8();
        match letter {
            '<' => is_tag = true,
            '>' => (is_tag, length) = (false, 0),
            // The library escapes `&` and the space that does not break, and looks at what is encoded like that.
            '&' | '\u{80}'..='\u{bf}' if !is_tag && length > PART => {
                all.push_str(SEAM);
                length = 0;
            }
            _ => {}
        }
        all.push(letter);
    }
    all
}

/// Whether a class names the language of some code.
fn is_language(class: &str) -> bool {
    let name = class.strip_prefix("language-").unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._#".contains(c);
    !name.is_empty() && name.len() <= MAX_LANGUAGE && name.chars().all(is_plain)
}

/// Addresses without a scheme: from the root of the site on, or a footnote of the same text, whose id has the prefix.
struct Anchors(String);

impl UrlRelativeEvaluate<'_> for Anchors {
    fn evaluate<'url>(&self, url: &'url str) -> Option<Cow<'url, str>> {
        if let Some(id) = url.strip_prefix('#') {
            return Some(format!("#{}{id}", self.0).into());
        }
        url.starts_with('/').then_some(url.into())
    }
}
