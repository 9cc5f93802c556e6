//! Allow-list of HTML.
//! The input is HTML of our own already, so this is a second line of defence.

use std::borrow::Cow;

use ammonia::{Builder, UrlRelative, UrlRelativeEvaluate};

use crate::reference::Reference;

/// Elements that Markdown produces.
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

/// CSS classes allowed on elements.
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

/// Separator that cuts long texts into parts while they are sanitised.
/// The library scans from each `&` to the end of its text, so a text without cuts would take time by the square of its
/// length.
const SEAM: &str = "<!---->";

/// Bytes of text between two seams; more if nothing has to be escaped.
const SEAM_INTERVAL: usize = 1024;

/// Removes everything from HTML that is not on the allow-list.
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
    // Our own text has no unescaped `<`, so every seam in the output is one that was inserted here.
    list.clean(&with_seams(html)).to_string().replace(SEAM, "")
}

/// Inserts seams into the texts of HTML rendered from Markdown, before characters that will be escaped.
fn with_seams(html: &str) -> String {
    let mut all = String::with_capacity(html.len() + html.len() / SEAM_INTERVAL * SEAM.len());
    let mut length = 0;
    let mut is_tag = false;
    for letter in html.chars() {
        length += letter.len_utf8();
        match letter {
            '<' => is_tag = true,
            '>' => (is_tag, length) = (false, 0),
            // The library escapes `&` and the no-break space, and examines every character with the same first UTF-8
            // byte.
            '&' | '\u{80}'..='\u{bf}' if !is_tag && length > SEAM_INTERVAL => {
                all.push_str(SEAM);
                length = 0;
            }
            _ => {}
        }
        all.push(letter);
    }
    all
}

/// True if a class names the language of a code block.
fn is_language(class: &str) -> bool {
    let name = class.strip_prefix("language-").unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-._#".contains(c);
    !name.is_empty() && name.len() <= MAX_LANGUAGE && name.chars().all(is_plain)
}

/// URLs without a scheme: absolute paths on this site, and footnotes of the same text, whose ids have the prefix.
struct Anchors(String);

impl UrlRelativeEvaluate<'_> for Anchors {
    fn evaluate<'url>(&self, url: &'url str) -> Option<Cow<'url, str>> {
        if let Some(id) = url.strip_prefix('#') {
            return Some(format!("#{}{id}", self.0).into());
        }
        url.starts_with('/').then_some(url.into())
    }
}
