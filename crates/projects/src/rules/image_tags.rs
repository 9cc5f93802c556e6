//! Tags of an image repository that a rule deletes.

use api_conventions::time::Timestamp;
use regex::{Regex, RegexBuilder};

use crate::model::TagRule;

/// Tag that no rule deletes, because clients use it when none is named.
const LATEST: &str = "latest";
/// Most memory of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Tag with the time at which its image was created; `None` if the image states no time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedTag {
    /// Name of the tag.
    pub name: String,
    /// Time at which the image was created.
    pub created_at: Option<Timestamp>,
}

/// Compiled rule.
#[derive(Debug)]
pub struct TagSelector {
    delete: Regex,
    keep: Option<Regex>,
    keep_newest: Option<u32>,
    older_than_seconds: Option<i64>,
}

impl TagSelector {
    /// Compiles a rule. `None` if a pattern is invalid or too large.
    pub fn new(rule: &TagRule) -> Option<Self> {
        let keep = rule.keep_pattern.as_deref().map(compile);
        Some(Self {
            delete: compile(&rule.delete_pattern)?,
            keep: match keep {
                None => None,
                Some(keep) => Some(keep?),
            },
            keep_newest: rule.keep_newest,
            older_than_seconds: rule.older_than_seconds,
        })
    }

    /// True for a pattern that a rule may have.
    pub fn is_pattern(pattern: &str) -> bool {
        compile(pattern).is_some()
    }

    /// True if the tag may be deleted as far as its name decides.
    pub fn matches(&self, name: &str) -> bool {
        let is_kept = |keep: &Regex| keep.is_match(name);
        name != LATEST && self.delete.is_match(name) && !self.keep.as_ref().is_some_and(is_kept)
    }

    /// True if the times of images decide too.
    pub fn needs_times(&self) -> bool {
        self.keep_newest.is_some() || self.older_than_seconds.is_some()
    }

    /// Selects the tags to delete at `now`. Of matching tags the newest are kept, and of the others those that are not old
    /// enough. A tag without a time counts as created now.
    pub fn select(&self, tags: Vec<DatedTag>, now: Timestamp) -> Vec<String> {
        let mut matching: Vec<DatedTag> = tags
            .into_iter()
            .filter(|tag| self.matches(&tag.name))
            .collect();
        matching.sort_by_key(|tag| std::cmp::Reverse(tag.created_at.unwrap_or(now)));
        let kept = usize::try_from(self.keep_newest.unwrap_or(0)).unwrap_or(usize::MAX);
        let is_old = |tag: &DatedTag| {
            let Some(seconds) = self.older_than_seconds else {
                return true;
            };
            let before = now.plus_seconds(seconds.saturating_neg());
            tag.created_at.is_some_and(|created| created < before)
        };
        let rest = matching.into_iter().skip(kept).filter(is_old);
        rest.map(|tag| tag.name).collect()
    }
}

/// Compiles a pattern that concerns the whole name.
fn compile(pattern: &str) -> Option<Regex> {
    // Alone first: a stray parenthesis could otherwise close the group around the pattern.
    RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .build()
        .ok()?;
    RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
}

/// Parses an age such as `1h`, `30 days` or `1d 12h`, in seconds. A month has 30 days, and a year 365.
pub fn parse_age(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    let mut seconds: i64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number_end = rest.find(|it: char| !it.is_ascii_digit())?;
        let (number, after) = rest.split_at(number_end);
        let after = after.trim_start();
        let unit_end = after.find(|it: char| !it.is_ascii_alphabetic());
        let (unit, after) = after.split_at(unit_end.unwrap_or(after.len()));
        let number: i64 = number.parse().ok()?;
        seconds = seconds.checked_add(number.checked_mul(unit_seconds(unit)?)?)?;
        rest = after.trim_start();
    }
    Some(seconds)
}

fn unit_seconds(unit: &str) -> Option<i64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        "m" | "min" | "mins" | "minute" | "minutes" => 60,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
        "d" | "day" | "days" => 86_400,
        "w" | "week" | "weeks" => 7 * 86_400,
        "mo" | "mos" | "month" | "months" => 30 * 86_400,
        "y" | "yr" | "yrs" | "year" | "years" => 365 * 86_400,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(delete: &str) -> TagRule {
        TagRule {
            delete_pattern: delete.to_owned(),
            keep_pattern: None,
            keep_newest: None,
            older_than_seconds: None,
        }
    }

    /// The tags that a rule deletes of four, of which one is a day old, one two days, one three, and one has no time.
    fn selected(rule: &TagRule) -> String {
        let now = Timestamp::parse_rfc3339("2026-01-10T00:00:00Z").unwrap();
        let tag = |name: &str, days: Option<i64>| DatedTag {
            name: name.to_owned(),
            created_at: days.map(|days| now.plus_seconds(-86_400 * days)),
        };
        let tags = vec![
            tag("v3", Some(3)),
            tag("latest", Some(9)),
            tag("v1", Some(1)),
            tag("x", None),
            tag("v2", Some(2)),
        ];
        TagSelector::new(rule).unwrap().select(tags, now).join(" ")
    }

    #[test]
    fn a_rule_selects_by_name_number_and_age_and_never_the_tag_latest() {
        let keep = |pattern: &str| Some(pattern.to_owned());
        for (rule, expected) in [
            (rule(".*"), "x v1 v2 v3"),
            (rule("latest|v1"), "v1"),
            (rule("v"), ""),
            (rule("v."), "v1 v2 v3"),
            (rule("V."), ""),
            (
                TagRule {
                    keep_pattern: keep("v[13]"),
                    ..rule(".*")
                },
                "x v2",
            ),
            (
                TagRule {
                    keep_newest: Some(2),
                    ..rule(".*")
                },
                "v2 v3",
            ),
            (
                TagRule {
                    keep_newest: Some(2),
                    ..rule("v.*")
                },
                "v3",
            ),
            (
                TagRule {
                    older_than_seconds: Some(86_400),
                    ..rule(".*")
                },
                "v2 v3",
            ),
            (
                TagRule {
                    older_than_seconds: Some(i64::MAX),
                    ..rule(".*")
                },
                "",
            ),
        ] {
            assert_eq!(selected(&rule), expected, "{rule:?}");
        }
    }

    #[test]
    fn invalid_and_huge_patterns_are_refused() {
        for pattern in [
            "(",
            "a)|(b",
            "[",
            r"(?=a)",
            "(?x)a # b",
            "(?:a{1000}){1000}",
        ] {
            assert!(TagSelector::new(&rule(pattern)).is_none(), "{pattern}");
            let keep = TagRule {
                keep_pattern: Some(pattern.to_owned()),
                ..rule("a")
            };
            assert!(TagSelector::new(&keep).is_none(), "{pattern}");
        }
    }

    #[test]
    fn ages_are_numbers_with_units() {
        for (text, seconds) in [
            ("1h", Some(3600)),
            ("90min", Some(5400)),
            ("1d", Some(86_400)),
            ("1month", Some(2_592_000)),
            ("1 month", Some(2_592_000)),
            ("1d 12h", Some(129_600)),
            ("2weeks3days", Some(1_468_800)),
            ("0s", Some(0)),
            ("", None),
            ("1", None),
            ("d", None),
            ("-1d", None),
            ("1 fortnight", None),
            ("9999999999999999y", None),
        ] {
            assert_eq!(parse_age(text), seconds, "{text}");
        }
    }
}
