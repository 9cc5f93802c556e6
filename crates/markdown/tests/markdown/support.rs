//! Rendering with ordinary settings, and a strict parser for the output.

use markdown::{Reference, RenderSettings, ResolvedReferences, Target, render};

pub(crate) const BASE_URL: &str = "https://gate.example";

pub(crate) const SETTINGS: RenderSettings<'static> = RenderSettings {
    base_url: BASE_URL,
    id_prefix: "t-",
};

pub(crate) fn plain(text: &str) -> String {
    render(text, SETTINGS, &ResolvedReferences::new())
}

/// Renders a text with all its references resolved.
pub(crate) fn all_resolved(text: &str) -> String {
    let found = markdown::references(text, BASE_URL).into_iter();
    let target = |reference: &Reference| Target {
        href: format!("{BASE_URL}/to?a=1&b=\"{reference:?}"),
        title: format!("<{reference:?}>"),
    };
    let resolved = found.map(|reference| (reference.clone(), target(&reference)));
    render(text, SETTINGS, &resolved.collect())
}

/// A start tag: its name, and its attributes with their raw values.
pub(crate) type HtmlTag = (String, Vec<(String, String)>);

/// Parses HTML strictly: elements end in order, and every attribute value is quoted.
pub(crate) fn tags(html: &str) -> Vec<HtmlTag> {
    let mut all = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '>']) {
        let after = rest[at..].strip_prefix('<').unwrap();
        let end = end_of_tag(after);
        let tag = &after[..end];
        rest = &after[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{html:?}");
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{tag:?}");
        if !["br", "hr", "input"].contains(&name) {
            open.push(name.to_owned());
        }
        all.push((name.to_owned(), read_attributes(attributes)));
    }
    assert!(open.is_empty(), "{open:?} stay open: {html:?}");
    all
}

fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    let end = tag.find(|c| {
        is_quoted ^= c == '"';
        c == '>' && !is_quoted
    });
    end.unwrap()
}

fn read_attributes(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").unwrap();
        let (value, after) = after.split_once('"').unwrap();
        all.push((name.trim().to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    all
}

/// Asserts that the HTML contains only elements and URLs that are safe on a page.
pub(crate) fn assert_safe(html: &str) {
    for (name, attributes) in tags(html) {
        let forbidden = [
            "script", "style", "img", "iframe", "object", "svg", "form", "meta",
        ];
        assert!(!forbidden.contains(&name.as_str()), "{html:?}");
        for (attribute, value) in attributes {
            assert!(
                !attribute.starts_with("on") && attribute != "style",
                "{html:?}"
            );
            if attribute != "href" {
                continue;
            }
            let known = [
                "http://", "https://", "http:", "https:", "mailto:", "/", "#",
            ];
            let value = value.to_lowercase();
            assert!(
                known.iter().any(|start| value.starts_with(start)),
                "{value:?}"
            );
        }
        assert!(!html.contains('\0'), "{html:?}");
    }
}
