//! Types of settings, and how they are parsed.

use std::path::PathBuf;

use serde::de::DeserializeOwned;

/// Type of a setting.
/// Every type needs a rule in words and a parser, so that no message names a Rust type, and every setting can be a
/// variable.
pub(super) trait SettingType: DeserializeOwned {
    /// Rule for valid values, in words.
    const RULE: &'static str;

    /// Parses the value of a variable; `None` if it breaks the rule.
    fn from_text(text: &str) -> Option<Self>;
}

impl SettingType for String {
    const RULE: &'static str = "text in quotes";

    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl SettingType for PathBuf {
    const RULE: &'static str = "a path in quotes";

    fn from_text(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }
}

impl SettingType for bool {
    const RULE: &'static str = "true or false";

    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl SettingType for usize {
    const RULE: &'static str = "a whole number";

    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl SettingType for u64 {
    const RULE: &'static str = "a whole number";

    fn from_text(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}
