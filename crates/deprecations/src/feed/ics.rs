//! Calendar of removals (iCalendar, RFC 5545).

use chrono::NaiveDate;

use crate::model::Record;
use crate::schedule::Schedule;

use super::{FeedContext, instead, web_url, when};

/// Maximum length of a line in octets, without the line break (RFC 5545, section 3.1).
const MAX_OCTETS: usize = 75;

/// Renders the schedule as a calendar with an all-day event for each removal that has a day, the first one first.
///
/// The UID of an event consists of the id of its record and the host, and its stamp is the day on which the record was
/// last edited (RFC 5545, sections 3.8.4.7 and 3.8.7.2), so that refreshing a calendar changes only what the records
/// changed.
pub fn calendar(schedule: &Schedule, context: FeedContext<'_>) -> String {
    let dated = schedule.deprecations();
    let dated = dated.filter_map(|record| Some((record.removed_on()?, record)));
    let mut removals: Vec<(NaiveDate, &Record)> = dated.collect();
    removals.sort_by(|(left_day, left), (right_day, right)| {
        left_day.cmp(right_day).then_with(|| left.id.cmp(&right.id))
    });
    let name = text_value(context.name);
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        format!("PRODID:-//{name}//Deprecations//EN"),
        "CALSCALE:GREGORIAN".to_owned(),
        // Name of the calendar, in the form that today's calendars read, and in that of RFC 7986 (section 5.1).
        format!("X-WR-CALNAME:{name}: removals"),
        format!("NAME:{name}: removals"),
    ];
    for (day, record) in removals {
        lines.extend(event(day, record, context));
    }
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| fold(line)).collect()
}

/// Returns the lines of an event (RFC 5545, section 3.6.1). Without an end, it lasts for the day on which it starts.
fn event(day: NaiveDate, record: &Record, context: FeedContext<'_>) -> Vec<String> {
    let edited = record.edited.format("%Y%m%dT000000Z");
    let removal = record.removal().map(|removal| removal.to_string());
    let release = removal.unwrap_or_default();
    let summary = format!("Removed in {release}: {}", record.title);
    let parts = [
        Some(when(record)),
        instead(record),
        Some(record.body.trim().to_owned()),
    ];
    let description: Vec<String> = parts.into_iter().flatten().collect();
    let kind = if record.breaking { ",breaking" } else { "" };
    vec![
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}@{}", text_value(&record.id), context.host()),
        format!("DTSTAMP:{edited}"),
        format!("LAST-MODIFIED:{edited}"),
        format!("DTSTART;VALUE=DATE:{}", day.format("%Y%m%d")),
        format!("SUMMARY:{}", text_value(&summary)),
        format!("DESCRIPTION:{}", text_value(&description.join("\n\n"))),
        // In a URL, text escapes do not apply (section 3.3.13).
        format!("URL:{}", one_line(&web_url(context.base_url, record))),
        format!("CATEGORIES:{}{kind}", text_value(&record.area)),
        "TRANSP:TRANSPARENT".to_owned(),
        "END:VEVENT".to_owned(),
    ]
}

/// Removes the characters that would end the line from a URL.
fn one_line(address: &str) -> String {
    address
        .chars()
        .filter(|it| !it.is_ascii_control())
        .collect()
}

/// Ends a line of a calendar, folding it if it is longer than 75 octets: it continues on the next line, after a space.
/// A fold never splits a character, so that readers that unfold text rather than octets see none broken.
///
/// ```
/// use deprecations::feed::fold;
///
/// let folded = fold(&"x".repeat(80));
/// assert_eq!(folded, format!("{}\r\n {}\r\n", "x".repeat(75), "x".repeat(5)));
/// ```
pub fn fold(line: &str) -> String {
    let mut folded = String::with_capacity(line.len() + line.len() / 20 + 2);
    let mut octets = 0;
    for character in line.chars() {
        if octets + character.len_utf8() > MAX_OCTETS {
            folded.push_str("\r\n ");
            // The space counts.
            octets = 1;
        }
        folded.push(character);
        octets += character.len_utf8();
    }
    folded.push_str("\r\n");
    folded
}

/// Escapes a text as the value of a property.
/// Backslashes, semicolons, commas and line breaks are escaped; control characters, which are not allowed in text, are
/// left out.
///
/// ```
/// use deprecations::feed::text_value;
///
/// assert_eq!(text_value("a, b; c\\d\r\ne"), r"a\, b\; c\\d\ne");
/// ```
pub fn text_value(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' | ';' | ',' => {
                value.push('\\');
                value.push(character);
            }
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\n' => value.push_str("\\n"),
            '\t' => value.push(character),
            other if other.is_ascii_control() => {}
            other => value.push(other),
        }
    }
    value
}
