//! A calendar of removals (iCalendar, RFC 5545).

use chrono::NaiveDate;

use crate::model::Record;
use crate::schedule::Schedule;

use super::{FeedContext, instead, web_url, when};

/// The most octets of a line, without its end (RFC 5545, section 3.1).
const MAX_OCTETS: usize = 75;

/// The schedule as a calendar, with an event of a whole day for each removal that has a day, the first one first.
///
/// The name of an event is made of the name of its record and the host, and its stamp is the day on which the record was edited
/// (RFC 5545, sections 3.8.4.7 and 3.8.7.2), so that a calendar that is read again changes no more than the records did.
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
        // The name of the calendar: as calendars read it today, and as RFC 7986 (section 5.1) has it.
        format!("X-WR-CALNAME:{name}: removals"),
        format!("NAME:{name}: removals"),
    ];
    for (day, record) in removals {
        lines.extend(event(day, record, context));
    }
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| fold(line)).collect()
}

/// The lines of an event (RFC 5545, section 3.6.1). Without an end it lasts the day on which it starts.
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
        // An address has no escapes of texts (section 3.3.13).
        format!("URL:{}", one_line(&web_url(context.base_url, record))),
        format!("CATEGORIES:{}{kind}", text_value(&record.area)),
        "TRANSP:TRANSPARENT".to_owned(),
        "END:VEVENT".to_owned(),
    ]
}

/// An address without what would end its line.
fn one_line(address: &str) -> String {
    address
        .chars()
        .filter(|it| !it.is_ascii_control())
        .collect()
}

/// A line of a calendar with its end. One that is longer than 75 octets is folded: it goes on in the next line, after a space. A
/// fold never splits a character, so that readers that unfold texts rather than octets see none broken.
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

/// A text as the value of a property. Backslashes, semicolons, commas and line breaks are escaped; control characters, which no
/// text may have, are left out.
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
