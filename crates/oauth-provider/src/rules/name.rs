//! Characters allowed in the name of an application. Users decide by this name whether to authorize an application, so
//! it must show what it says, on one line, without disturbing the text around it. The specification does not cover
//! this.

/// True if a character is forbidden in a name.
///
/// Forbidden are control characters, which include line breaks; the line and paragraph separators; and the characters
/// that embed, override or isolate a direction of text and so can reorder the text around the name (Unicode Standard
/// Annex #9, section 2).
///
/// Direction marks and joiners stay allowed: names in Arabic, Persian or Hebrew and many emoji need them, and they
/// reorder nothing beyond the name.
///
/// ```
/// use oauth_provider::rules::name::is_forbidden;
///
/// assert!(is_forbidden('\u{202e}') && is_forbidden('\n'));
/// assert!(!is_forbidden('\u{200d}') && !is_forbidden('ش'));
/// ```
pub fn is_forbidden(character: char) -> bool {
    let ends_line = matches!(character, '\u{2028}' | '\u{2029}');
    let sets_direction = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || ends_line || sets_direction
}

/// True if a name has a visible character. White space, the blank of Braille and code points that Unicode tells
/// programs not to display (its property `Default_Ignorable_Code_Point`, with the annotation characters) are not
/// visible.
///
/// ```
/// use oauth_provider::rules::name::is_visible;
///
/// assert!(is_visible("Shop") && is_visible("متجر"));
/// assert!(!is_visible("") && !is_visible("\u{200b}\u{3164}"));
/// ```
pub fn is_visible(name: &str) -> bool {
    name.chars().any(|character| !is_invisible(character))
}

fn is_invisible(character: char) -> bool {
    character.is_whitespace() || is_forbidden(character) || is_ignorable(character)
}

fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_break_control_and_bidi_characters_are_forbidden() {
        for character in [
            '\n', '\r', '\t', '\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{2028}', '\u{2029}',
            '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}',
            '\u{2068}', '\u{2069}',
        ] {
            assert!(is_forbidden(character), "{character:?}");
        }
    }

    #[test]
    fn names_of_every_script_and_emoji_are_free_of_it() {
        for name in [
            "Shop & Söhne",
            "متجر\u{200f} (1)",
            "می\u{200c}خواهم",
            "חנות",
            "店舗\u{3000}東京",
            "👩\u{200d}💻 Tools",
            "<b>\"'</b>",
        ] {
            assert!(!name.chars().any(is_forbidden), "{name}");
            assert!(is_visible(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_shows_nothing_is_not_visible() {
        for name in [
            "",
            " \u{a0}\u{3000}",
            "\u{200b}\u{200c}\u{200d}",
            "\u{ad}\u{34f}\u{2060}\u{feff}",
            "\u{115f}\u{1160}\u{3164}\u{ffa0}",
            "\u{2800}\u{2800}",
            "\u{fe0f}\u{e0041}\u{e007f}",
            "\u{202e}\u{2069}",
        ] {
            assert!(!is_visible(name), "{name:?}");
        }
        assert!(is_visible("\u{200b}a\u{200b}"));
    }
}
