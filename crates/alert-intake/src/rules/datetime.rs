//! Moments as senders write them.

use api_conventions::time::{CalendarDate, Timestamp};
use chrono::{DateTime, NaiveDateTime};

/// Moments before this one are how senders write "never": Alertmanager gives the first second of year 1.
const FIRST_MEANT: &str = "0002-01-01T00:00:00Z";

/// Reads a moment: RFC 3339 with any fraction and offset, the same with a space, without an offset (then UTC), a
/// day alone, or the form of mail headers. What cannot be read, or means "never", is `None`.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let moment = Timestamp::parse_rfc3339(text)
        .or_else(|| with_space(text))
        .or_else(|| without_offset(text))
        .or_else(|| CalendarDate::parse(text).map(CalendarDate::start))
        .or_else(|| from_mail(text))?;
    let first = Timestamp::parse_rfc3339(FIRST_MEANT)?;
    (moment >= first).then_some(moment)
}

fn with_space(text: &str) -> Option<Timestamp> {
    let moment = DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %#z").ok()?;
    Timestamp::from_chrono(&moment.to_utc())
}

fn without_offset(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix(" UTC").unwrap_or(text);
    let forms = [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
    ];
    let moment = forms
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    Timestamp::from_chrono(&moment.and_utc())
}

fn from_mail(text: &str) -> Option<Timestamp> {
    let moment = DateTime::parse_from_rfc2822(text).ok()?;
    Timestamp::from_chrono(&moment.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_forms_that_senders_use() {
        let same = [
            "2024-03-01T10:20:30Z",
            "2024-03-01T10:20:30.000000000Z",
            "2024-03-01T12:20:30+02:00",
            "2024-03-01 10:20:30 +0000",
            "2024-03-01 12:20:30.0 +02:00",
            "2024-03-01 10:20:30 UTC",
            "2024-03-01T10:20:30",
            " 2024-03-01 10:20:30 ",
            "Fri, 01 Mar 2024 10:20:30 GMT",
        ];
        for text in same {
            assert_eq!(
                parse(text).map(|at| at.to_string()).as_deref(),
                Some("2024-03-01T10:20:30.000Z"),
                "{text}"
            );
        }
        assert_eq!(
            parse("2024-03-01").unwrap().to_string(),
            "2024-03-01T00:00:00.000Z"
        );
    }

    #[test]
    fn never_and_nonsense_are_no_moments() {
        let none = [
            "",
            "0001-01-01T00:00:00Z",
            "0001-01-01T00:00:00+01:00",
            "1709288430",
            "2024-02-30T00:00:00Z",
            "99999-01-01T00:00:00Z",
            "292277026596-12-04T15:30:08Z",
            "-0001-01-01T00:00:00Z",
            "yesterday",
            "2024-03-01T25:00:00Z",
        ];
        for text in none {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[0-9TZ:+\\-. ,A-Za-z]{0,40}") {
            if let Some(moment) = parse(&text) {
                prop_assert!(moment >= Timestamp::MIN && moment <= Timestamp::MAX);
            }
        }
    }
}
