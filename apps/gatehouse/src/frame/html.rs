//! HTML of short API texts.

use markdown::{RenderSettings, ResolvedReferences};

/// Renders a description in Markdown.
/// References in it stay plain text.
pub fn to_html(text: &str, base_url: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    let settings = RenderSettings {
        base_url,
        id_prefix: "description-",
    };
    markdown::render(text, settings, &ResolvedReferences::new())
}

/// Renders a single line: a lone paragraph loses its tags, because clients place it inside a line of their own.
pub fn line_to_html(text: &str, base_url: &str) -> String {
    let html = to_html(text, base_url);
    let inner = html
        .trim()
        .strip_prefix("<p")
        .and_then(|rest| rest.split_once('>'));
    let inner = inner.and_then(|(_, rest)| rest.strip_suffix("</p>"));
    match inner {
        Some(inner) if !inner.contains("<p") => inner.to_owned(),
        _ => html,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_paragraph_around_it() {
        let html = |text| line_to_html(text, "https://host");
        assert_eq!(html("Something *broke*"), "Something <em>broke</em>");
        assert_eq!(html(" "), "");
        assert!(!html("<script>alert(1)</script>a").contains("script>"));
        assert!(html("one\n\ntwo").contains("<p"), "{}", html("one\n\ntwo"));
    }
}
