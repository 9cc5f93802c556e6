//! User-chosen names, as pages show them.

use oauth_provider::rules::name::{is_forbidden, is_visible};

/// Longest name shown in full, in characters.
/// Longer names would push important content off the screen.
const MAX_CHARS: usize = 60;

/// Placeholder for a name with no visible characters.
const INVISIBLE: &str = "(no visible name)";

/// Name prepared for a page: on one line, without control of text direction, and truncated after 60 characters.
/// Rows older than these rules may contain names that break them.
///
/// Templates render it with the macro of `name.html`, which isolates its text direction from the surrounding text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayName {
    whole: String,
    short: Option<String>,
}

impl DisplayName {
    /// Prepares a name.
    pub fn of(name: &str) -> Self {
        if !is_visible(name) {
            return Self {
                whole: INVISIBLE.to_owned(),
                short: None,
            };
        }
        let shown = |c: char| {
            if is_forbidden(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        };
        let whole: String = name.trim().chars().map(shown).collect();
        let short = whole.char_indices().nth(MAX_CHARS).map(|_| {
            let kept: String = whole.chars().take(MAX_CHARS - 1).collect();
            format!("{}…", kept.trim_end())
        });
        Self { whole, short }
    }

    /// Name, truncated if it is long.
    pub fn short(&self) -> &str {
        self.short.as_deref().unwrap_or(&self.whole)
    }

    /// Whole name.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// True if the name is longer than [`Self::short`] shows.
    pub fn is_cut(&self) -> bool {
        self.short.is_some()
    }

    /// Short form for places without markup, such as a window title.
    /// It is enclosed in characters that isolate its text direction (Unicode Standard Annex #9, section 2.4.2).
    pub fn isolated(&self) -> String {
        format!("\u{2068}{}\u{2069}", self.short())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_shown_as_it_is() {
        let name = DisplayName::of(" Tom & Jerry's ");
        assert_eq!((name.short(), name.is_cut()), ("Tom & Jerry's", false));
        assert_eq!(name.isolated(), "\u{2068}Tom & Jerry's\u{2069}");
    }

    #[test]
    fn a_long_name_is_cut_and_kept_whole_beside() {
        let edge = "é".repeat(MAX_CHARS);
        assert_eq!(DisplayName::of(&edge).short(), edge);
        let beyond = format!("{edge}x");
        let name = DisplayName::of(&beyond);
        assert_eq!(
            (name.short().chars().count(), name.is_cut()),
            (MAX_CHARS, true)
        );
        assert!(name.short().ends_with('…'));
        assert_eq!(name.whole(), beyond);
    }

    #[test]
    fn an_old_name_reorders_nothing_and_breaks_no_line() {
        let name = DisplayName::of("Shop\n\u{202e}elgooG\u{2069}");
        assert_eq!(name.whole(), "Shop\u{fffd}\u{fffd}elgooG\u{fffd}");
        assert_eq!(DisplayName::of("\u{200b}\u{3164}").short(), INVISIBLE);
    }
}
