//! Atom feed of all records (RFC 4287).

use std::fmt::{self, Write as _};

use chrono::NaiveDate;

use crate::model::Record;
use crate::schedule::Schedule;

use super::{FeedContext, instead, web_url, when};

/// Year in the ids of feeds and entries, in which authorities are assumed to have owned their hosts (RFC 4151, section
/// 2.1).
/// It never changes, because readers identify entries by their ids.
const NAMED_IN: &str = "2023";

/// Renders the schedule as an Atom feed with an entry for each record, the most recently edited first.
///
/// The id of an entry consists of the host and the id of its record, so it stays the same whatever else changes (RFC
/// 4287, section 4.2.6). An entry is updated when its record is (section 4.2.15), but not when the announced change
/// takes effect.
pub fn atom(schedule: &Schedule, context: FeedContext<'_>) -> String {
    let mut feed = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_feed(&mut feed, schedule, context);
    feed
}

fn write_feed(feed: &mut String, schedule: &Schedule, context: FeedContext<'_>) -> fmt::Result {
    let mut records: Vec<&Record> = schedule.records().iter().collect();
    // Records edited on the same day keep the order of the schedule.
    records.sort_by_key(|record| std::cmp::Reverse(record.edited));
    let newest = records.first().map(|record| record.edited);
    let page = escape(&context.page());
    let name = escape(context.name);
    writeln!(feed, r#"<?xml version="1.0" encoding="utf-8"?>"#)?;
    writeln!(feed, r#"<feed xmlns="http://www.w3.org/2005/Atom">"#)?;
    writeln!(
        feed,
        "  <id>tag:{},{NAMED_IN}:deprecations</id>",
        context.host()
    )?;
    writeln!(feed, "  <title>{name}: deprecations and removals</title>")?;
    writeln!(
        feed,
        "  <updated>{}</updated>",
        time(newest.unwrap_or_default())
    )?;
    writeln!(feed, "  <author><name>{name}</name></author>")?;
    writeln!(
        feed,
        r#"  <link rel="self" type="application/atom+xml" href="{page}.atom"/>"#
    )?;
    writeln!(
        feed,
        r#"  <link rel="alternate" type="text/html" href="{page}"/>"#
    )?;
    for record in records {
        write_entry(feed, record, context)?;
    }
    writeln!(feed, "</feed>")
}

fn write_entry(feed: &mut String, record: &Record, context: FeedContext<'_>) -> fmt::Result {
    let id = escape(&record.id);
    let address = escape(&web_url(context.base_url, record));
    writeln!(feed, "  <entry>")?;
    writeln!(
        feed,
        "    <id>tag:{},{NAMED_IN}:deprecations/{id}</id>",
        context.host()
    )?;
    writeln!(feed, "    <title>{}</title>", escape(&record.title))?;
    writeln!(feed, "    <updated>{}</updated>", time(record.edited))?;
    writeln!(
        feed,
        r#"    <link rel="alternate" type="text/html" href="{address}"/>"#
    )?;
    writeln!(feed, r#"    <category term="{}"/>"#, escape(&record.area))?;
    if record.breaking {
        writeln!(feed, r#"    <category term="breaking"/>"#)?;
    }
    let mut html = String::new();
    write_html(&mut html, record)?;
    writeln!(
        feed,
        r#"    <content type="html">{}</content>"#,
        escape(&html)
    )?;
    writeln!(feed, "  </entry>")
}

/// Writes a record as HTML, with its Markdown unrendered: one element for each block, with line breaks kept where they
/// matter.
fn write_html(html: &mut String, record: &Record) -> fmt::Result {
    write!(html, "<p>{}</p>", escape(&when(record)))?;
    if let Some(instead) = instead(record) {
        write!(html, "<p>{}</p>", escape(&instead))?;
    }
    let body = record.body.replace("\r\n", "\n");
    for block in body.split("\n\n") {
        let block = block.trim_matches('\n');
        if block.trim().is_empty() {
            continue;
        }
        let name = if has_lines(block) { "pre" } else { "p" };
        write!(html, "<{name}>{}</{name}>", escape(block))?;
    }
    Ok(())
}

/// True if the line breaks of a block matter, as in lists, tables and code.
fn has_lines(block: &str) -> bool {
    let begins = ["- ", "* ", "+ ", "|", "```", "    ", "\t", "#", ">"];
    block.lines().any(|line| {
        let is_numbered = line
            .split_once(". ")
            .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
        is_numbered || begins.iter().any(|begin| line.starts_with(begin))
    })
}

/// Formats the first instant of a day (RFC 4287, section 3.3; RFC 3339).
fn time(day: NaiveDate) -> String {
    format!("{}T00:00:00Z", day.format("%Y-%m-%d"))
}

/// Escapes a text for an element or an attribute of XML.
/// Characters that XML 1.0 forbids (section 2.2) are left out, because no escape can express them; a carriage return is
/// escaped, because readers turn a bare one into a line feed (section 2.11).
///
/// ```
/// use deprecations::feed::escape;
///
/// assert_eq!(escape("a < \"b\" & c\u{8}"), "a &lt; &quot;b&quot; &amp; c");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' | '\n' => escaped.push(character),
            '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}
