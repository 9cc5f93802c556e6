//! Severity of events.

use serde::{Deserialize, Serialize};

/// Severity of an event, the worst last.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Information for debugging.
    Debug,
    /// Nothing is wrong.
    Info,
    /// Something may go wrong.
    Warning,
    /// Something failed.
    /// Default for an event without a level.
    #[default]
    Error,
    /// The program ended.
    Fatal,
}

impl Level {
    /// All levels, the least severe first.
    pub const ALL: [Self; 5] = [
        Self::Debug,
        Self::Info,
        Self::Warning,
        Self::Error,
        Self::Fatal,
    ];

    /// Word in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }

    /// Stored number, which grows with the severity.
    /// The numbers are those of Python's `logging`.
    pub const fn number(self) -> i16 {
        match self {
            Self::Debug => 10,
            Self::Info => 20,
            Self::Warning => 30,
            Self::Error => 40,
            Self::Fatal => 50,
        }
    }

    /// Level with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }

    /// Parses the level of an SDK: a word of any SDK in upper or lower case, or a number of Python's `logging`.
    /// `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let word = text.trim().to_ascii_lowercase();
        Some(match word.as_str() {
            "debug" | "trace" | "verbose" => Self::Debug,
            "info" | "log" | "notice" => Self::Info,
            "warning" | "warn" => Self::Warning,
            "error" | "err" => Self::Error,
            "fatal" | "critical" | "crash" | "emergency" => Self::Fatal,
            number => Self::from_logging(number.parse().ok()?)?,
        })
    }

    fn from_logging(number: i64) -> Option<Self> {
        Some(match number {
            1..=19 => Self::Debug,
            20..=29 => Self::Info,
            30..=39 => Self::Warning,
            40..=49 => Self::Error,
            50..=100 => Self::Fatal,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_all_sdks_are_known() {
        for (text, expected) in [
            ("fatal", Some(Level::Fatal)),
            ("CRITICAL", Some(Level::Fatal)),
            ("Error", Some(Level::Error)),
            ("warn", Some(Level::Warning)),
            ("log", Some(Level::Info)),
            ("10", Some(Level::Debug)),
            ("50", Some(Level::Fatal)),
            ("0", None),
            ("odd", None),
            ("", None),
        ] {
            assert_eq!(Level::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn levels_are_kept_by_number() {
        for level in Level::ALL {
            assert_eq!(Level::from_number(level.number()), Some(level));
            assert_eq!(Level::parse(level.as_str()), Some(level));
        }
        assert_eq!(Level::from_number(11), None);
    }
}
