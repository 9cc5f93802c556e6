//! Parsing of times as senders write them.

use api_conventions::time::{CalendarDate, Timestamp};
use chrono::{DateTime, NaiveDateTime};

/// Senders write times before this one for "never": Alertmanager gives the first second of year 1.
const FIRST_MEANT: &str = "0002-01-01T00:00:00Z";

/// Parses a time: RFC 3339 with any fraction and offset, the same with a space, without an offset (then UTC), ISO 8601
/// basic format, a date alone, the format of mail headers, or a Unix time in seconds, milliseconds, microseconds or
/// nanoseconds, which are distinguished by magnitude. Returns `None` if the text cannot be parsed or means "never".
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let timestamp = Timestamp::parse_rfc3339(text)
        .or_else(|| from_epoch(text))
        .or_else(|| extended(text))
        .or_else(|| basic(text).as_deref().and_then(extended))
        .or_else(|| CalendarDate::parse(text).map(CalendarDate::start))
        .or_else(|| from_mail(text))?;
    let first = Timestamp::parse_rfc3339(FIRST_MEANT)?;
    (timestamp >= first).then_some(timestamp)
}

/// Parses ISO 8601 extended format, and similar forms.
fn extended(text: &str) -> Option<Timestamp> {
    // ISO 8601 allows a comma before the fraction.
    let text = text.replacen(',', ".", 1);
    with_offset(&text).or_else(|| without_offset(&text))
}

fn with_offset(text: &str) -> Option<Timestamp> {
    let forms = [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M%#z",
        "%Y-%m-%d %H:%M:%S%.f %#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
    ];
    let timestamp = forms
        .iter()
        .find_map(|form| DateTime::parse_from_str(text, form).ok())?;
    Timestamp::from_chrono(&timestamp.to_utc())
}

fn without_offset(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix(" UTC").unwrap_or(text);
    let forms = [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
    ];
    let timestamp = forms
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    Timestamp::from_chrono(&timestamp.and_utc())
}

/// Converts ISO 8601 basic format to extended: a date of eight digits, and optionally a time of four or six after a
/// `T`.
fn basic(text: &str) -> Option<String> {
    let (day, rest) = text.split_at_checked(8).filter(|(day, _)| is_digits(day))?;
    let (year, month_and_day) = day.split_at_checked(4)?;
    let (month, day) = month_and_day.split_at_checked(2)?;
    let date = format!("{year}-{month}-{day}");
    if rest.is_empty() {
        return Some(format!("{date}T00:00"));
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (time, rest) = rest.split_at_checked(length)?;
    let (hour, minute_and_second) = time.split_at_checked(2)?;
    match minute_and_second.split_at_checked(2)? {
        (minute, "") => Some(format!("{date}T{hour}:{minute}{rest}")),
        (minute, second) if second.len() == 2 => {
            Some(format!("{date}T{hour}:{minute}:{second}{rest}"))
        }
        _ => None,
    }
}

/// Parses a Unix time. Its unit is the one that puts it between the years 1973 and 5138.
fn from_epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let number: u64 = whole.parse().ok()?;
    let micros = match number {
        100_000_000..100_000_000_000 => number * 1_000_000 + decimals(fraction, 6)?,
        100_000_000_000..100_000_000_000_000 => number * 1_000 + decimals(fraction, 3)?,
        100_000_000_000_000..100_000_000_000_000_000 => number,
        100_000_000_000_000_000..10_000_000_000_000_000_000 => number / 1_000,
        // Shorter numbers are years, counts or mistakes.
        _ => return None,
    };
    Timestamp::from_micros(i64::try_from(micros).ok()?)
}

/// Returns the first `places` digits after the point, as an integer.
fn decimals(fraction: &str, places: usize) -> Option<u64> {
    let digits: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(places)
        .collect();
    digits.parse().ok()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn from_mail(text: &str) -> Option<Timestamp> {
    let timestamp = DateTime::parse_from_rfc2822(text).ok()?;
    Timestamp::from_chrono(&timestamp.to_utc())
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
            "2024-03-01T12:20:30+0200",
            "2024-03-01T12:20:30+02",
            "2024-03-01T10:20:30,000Z",
            "20240301T102030Z",
            "20240301T102030.0Z",
            "20240301T102030",
            "20240301T122030+0200",
            "20240301T122030+02:00",
            "20240301 102030",
            "1709288430",
            "1709288430.000",
            "1709288430000",
            "1709288430000.0",
            "1709288430000000",
            "1709288430000000000",
        ];
        for text in same {
            assert_eq!(
                parse(text).map(|at| at.to_string()).as_deref(),
                Some("2024-03-01T10:20:30.000Z"),
                "{text}"
            );
        }
        for (text, expected) in [
            ("2024-03-01", "2024-03-01T00:00:00.000Z"),
            ("20240301", "2024-03-01T00:00:00.000Z"),
            ("20240301T1020", "2024-03-01T10:20:00.000Z"),
            ("2024-03-01T10:20Z", "2024-03-01T10:20:00.000Z"),
            ("1709288430.1239", "2024-03-01T10:20:30.123Z"),
            ("1709288430123", "2024-03-01T10:20:30.123Z"),
            ("1709288430123999", "2024-03-01T10:20:30.123Z"),
            ("100000000", "1973-03-03T09:46:40.000Z"),
        ] {
            let read = parse(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn never_and_nonsense_are_no_timestamps() {
        let none = [
            "",
            "0001-01-01T00:00:00Z",
            "0001-01-01T00:00:00+01:00",
            "2024-02-30T00:00:00Z",
            "99999-01-01T00:00:00Z",
            "292277026596-12-04T15:30:08Z",
            "-0001-01-01T00:00:00Z",
            "yesterday",
            "2024-03-01T25:00:00Z",
            "0",
            "-1709288430",
            "2024",
            "99999999",
            "20241301",
            "20240301T1020300Z",
            "20240301T10",
            "20240301T",
            "1709288430.",
            "1709288430.x",
            "18446744073709551615",
            "99999999999999999999",
            "1.7e9",
        ];
        for text in none {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[0-9TZ:+\\-. ,A-Za-z]{0,40}") {
            if let Some(timestamp) = parse(&text) {
                prop_assert!(timestamp >= Timestamp::MIN && timestamp <= Timestamp::MAX);
            }
        }
    }
}
