//! Filter for characters that set the text direction in user content.
//! They make text read differently from what it is (Unicode Standard Annex #9, sections 2.1 to 2.5). Every page passes
//! through it, so no template can forget it.

/// Parts of a page that keep such characters, from their start to their end.
/// Text that is sent back or copied must not change. None of them can start inside user content, because templates
/// escape `"` and `<`.
const VERBATIM_PARTS: [(&str, &str); 3] = [
    ("<textarea", "</textarea>"),
    (" value=\"", "\""),
    (" data-copy=\"", "\""),
];

/// True for a character that overrides or embeds a direction, or isolates text as left-to-right or right-to-left.
/// Names use the two other isolates, which take the direction from the text.
fn sets_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}' | '\u{2067}')
}

/// Replaces the characters of a page that set a direction with U+FFFD.
pub(super) fn neutralize_bidi(html: String) -> String {
    if !html.contains(sets_direction) {
        return html;
    }
    let mut shown = String::with_capacity(html.len());
    let mut rest = html.as_str();
    while let Some((before, kept, after)) = next_verbatim(rest) {
        shown.push_str(&before.replace(sets_direction, "\u{fffd}"));
        shown.push_str(kept);
        rest = after;
    }
    shown.push_str(&rest.replace(sets_direction, "\u{fffd}"));
    shown
}

/// Finds the first part that is kept, with the text before and after it.
fn next_verbatim(html: &str) -> Option<(&str, &str, &str)> {
    let first = |(begin, end): &(&str, &'static str)| Some((html.find(begin)?, begin.len(), *end));
    let (at, begins, end) = VERBATIM_PARTS
        .iter()
        .filter_map(first)
        .min_by_key(|found| found.0)?;
    let (before, rest) = html.split_at(at);
    let (_, inside) = rest.split_at(begins);
    let length = inside.find(end).map_or(inside.len(), |at| at + end.len());
    let (kept, after) = rest.split_at(begins + length);
    Some((before, kept, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_others_wrote_sets_no_direction() {
        for sets in "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}".chars() {
            let page = format!("<p title=\"a{sets}\">b{sets}c</p>");
            assert_eq!(
                neutralize_bidi(page),
                "<p title=\"a\u{fffd}\">b\u{fffd}c</p>",
                "{sets:?}"
            );
        }
        let plain = "<bdi>\u{2068}متجر\u{2069}</bdi>";
        assert_eq!(neutralize_bidi(plain.to_owned()), plain);
    }

    #[test]
    fn form_values_and_copied_text_keep_bidi_controls() {
        let kept = "<input value=\"a\u{202e}b\"><textarea rows=\"2\">\nc\u{202e}</textarea><button data-copy=\"\u{202e}\">";
        let page = format!("\u{202e}{kept}\u{202e}{kept}");
        assert_eq!(
            neutralize_bidi(page),
            format!("\u{fffd}{kept}\u{fffd}{kept}")
        );
        // A part without an end extends to the end of the page.
        assert_eq!(
            neutralize_bidi("<textarea>\u{202e}".to_owned()),
            "<textarea>\u{202e}"
        );
    }
}
