//! Exact output of the feed and the calendar.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use deprecations::Schedule;
use deprecations::feed::{FeedContext, atom, calendar, escape, fold, text_value};
use proptest::prelude::*;

const CONTEXT: FeedContext<'static> = FeedContext {
    base_url: "https://h.example:8443/git/",
    name: "A & B, Ltd",
};

fn schedule() -> Schedule {
    let files = [
        (
            "15-9-lamp",
            r#"
            title = "Field `a<b>` & \"c\""
            area = "Lamps, old"
            kind = "field"
            announced = "15.9"
            removal = "16.0"
            breaking = true
            replacement = "`a; b`"
            body = "First line,\nsecond.\n\n- one\n- two\n\n<script>alert(1)</script>\n"
            enforcement = "enforced"
            edited = "2023-02-22"
            touches = [{ endpoints = ["GET /api/v4/lamps"], field = "a" }]
            "#,
        ),
        (
            "15-10-shade",
            r#"
            title = "Shades"
            area = "Shades"
            kind = "endpoint"
            announced = "15.10"
            removal = "v5"
            body = "Go."
            enforcement = "enforced"
            edited = "2023-03-22"
            touches = [{ endpoints = ["GET /api/v4/shades"] }]
            "#,
        ),
    ];
    Schedule::parse(files).unwrap()
}

#[test]
fn a_feed_has_an_entry_for_each_record() {
    let expected = r#"<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>tag:h.example,2023:deprecations</id>
  <title>A &amp; B, Ltd: deprecations and removals</title>
  <updated>2023-03-22T00:00:00Z</updated>
  <author><name>A &amp; B, Ltd</name></author>
  <link rel="self" type="application/atom+xml" href="https://h.example:8443/git/-/deprecations.atom"/>
  <link rel="alternate" type="text/html" href="https://h.example:8443/git/-/deprecations"/>
  <entry>
    <id>tag:h.example,2023:deprecations/15-10-shade</id>
    <title>Shades</title>
    <updated>2023-03-22T00:00:00Z</updated>
    <link rel="alternate" type="text/html" href="https://h.example:8443/git/-/deprecations/15-10-shade"/>
    <category term="Shades"/>
    <content type="html">&lt;p&gt;Announced in 15.10. Removal in v5.&lt;/p&gt;&lt;p&gt;Go.&lt;/p&gt;</content>
  </entry>
  <entry>
    <id>tag:h.example,2023:deprecations/15-9-lamp</id>
    <title>Field `a&lt;b&gt;` &amp; &quot;c&quot;</title>
    <updated>2023-02-22T00:00:00Z</updated>
    <link rel="alternate" type="text/html" href="https://h.example:8443/git/-/deprecations/15-9-lamp"/>
    <category term="Lamps, old"/>
    <category term="breaking"/>
    <content type="html">&lt;p&gt;Announced in 15.9. Removal in 16.0, on 2023-05-22 (breaking change).&lt;/p&gt;&lt;p&gt;Instead: `a; b`&lt;/p&gt;&lt;p&gt;First line,
second.&lt;/p&gt;&lt;pre&gt;- one
- two&lt;/pre&gt;&lt;p&gt;&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;&lt;/p&gt;</content>
  </entry>
</feed>
"#;
    assert_eq!(atom(&schedule(), CONTEXT), expected);
}

#[test]
fn a_feed_of_nothing_is_a_feed() {
    let context = FeedContext {
        base_url: "http://u@[::1]:80",
        name: "\u{1}",
    };
    let feed = atom(&Schedule::default(), context);
    assert!(feed.contains("<id>tag:1,2023:deprecations</id>"), "{feed}");
    assert!(feed.contains("<updated>1970-01-01T00:00:00Z</updated>"));
    assert!(feed.contains("<name></name>") && feed.ends_with("</feed>\n"));
    let nowhere = FeedContext {
        base_url: "",
        name: "a",
    };
    assert!(atom(&Schedule::default(), nowhere).contains("tag:localhost,2023:"));
}

#[test]
fn a_calendar_has_an_event_for_each_removal_with_a_day() {
    let expected = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        r"PRODID:-//A & B\, Ltd//Deprecations//EN",
        "CALSCALE:GREGORIAN",
        r"X-WR-CALNAME:A & B\, Ltd: removals",
        r"NAME:A & B\, Ltd: removals",
        "BEGIN:VEVENT",
        "UID:15-9-lamp@h.example",
        "DTSTAMP:20230222T000000Z",
        "LAST-MODIFIED:20230222T000000Z",
        "DTSTART;VALUE=DATE:20230522",
        r#"SUMMARY:Removed in 16.0: Field `a<b>` & "c""#,
        r"DESCRIPTION:Announced in 15.9. Removal in 16.0\, on 2023-05-22 (breaking ch",
        r" ange).\n\nInstead: `a\; b`\n\nFirst line\,\nsecond.\n\n- one\n- two\n\n<sc",
        r" ript>alert(1)</script>",
        "URL:https://h.example:8443/git/-/deprecations/15-9-lamp",
        r"CATEGORIES:Lamps\, old,breaking",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ];
    assert_eq!(calendar(&schedule(), CONTEXT), expected.join("\r\n"));
}

#[test]
fn atom_feed_and_calendar_cover_the_published_schedule() {
    let published = deprecations::published();
    let feed = atom(published, CONTEXT);
    assert_eq!(feed.matches("<entry>").count(), published.records().len());
    let dated = published
        .deprecations()
        .filter(|it| it.removed_on().is_some());
    let calendar = calendar(published, CONTEXT);
    assert_eq!(calendar.matches("BEGIN:VEVENT").count(), dated.count());
}

#[test]
fn characters_forbidden_in_xml_are_omitted() {
    let hostile = "\0\u{1}\t\n\u{B}\r\u{1F}'\u{7F}\u{FFFE}\u{FFFF}\u{10FFFF}";
    assert_eq!(escape(hostile), "\t\n&#13;&#39;\u{7F}\u{10FFFF}");
}

#[test]
fn control_characters_are_no_text_of_a_calendar() {
    assert_eq!(text_value("a\r\nb\rc\nd\0\u{7}\te"), "a\\nb\\nc\\nd\te");
}

/// Unfolds lines.
fn unfolded(lines: &str) -> String {
    let lines = lines.strip_suffix("\r\n").unwrap();
    lines.replace("\r\n ", "")
}

proptest! {
    #[test]
    fn folded_lines_are_short_and_unfold_to_the_same(line in "[^\\r\\n]{0,300}") {
        let folded = fold(&line);
        for part in folded.strip_suffix("\r\n").unwrap().split("\r\n") {
            prop_assert!(part.len() <= 75, "{}", part.len());
        }
        prop_assert_eq!(unfolded(&folded), line);
    }

    #[test]
    fn long_lines_of_long_characters_are_folded_between_them(line in "[a\u{e9}\u{20ac}\u{1f600}]{60,400}") {
        let folded = fold(&line);
        let parts: Vec<&str> = folded.strip_suffix("\r\n").unwrap().split("\r\n").collect();
        for part in &parts {
            prop_assert!(part.len() <= 75);
        }
        // No line could be longer: the longest character has four octets.
        for part in parts.iter().rev().skip(1) {
            prop_assert!(part.len() > 75 - 4);
        }
        prop_assert_eq!(unfolded(&folded), line);
    }

    #[test]
    fn values_have_no_bare_separators(text in any::<String>()) {
        let value = text_value(&text);
        let is_text = value.chars().all(|it| it == '\t' || !it.is_ascii_control());
        prop_assert!(is_text);
        let bare = value.replace("\\\\", "").replace("\\;", "").replace("\\,", "").replace("\\n", "");
        prop_assert!(!bare.contains(['\\', ';', ',']));
    }

    #[test]
    fn escaped_text_comes_back(text in "[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\u{FFFE}\u{FFFF}]{0,60}") {
        let escaped = escape(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\'', '\r']));
        let mut back = escaped;
        for (name, character) in [("lt", "<"), ("gt", ">"), ("quot", "\""), ("#39", "'"), ("#13", "\r"), ("amp", "&")] {
            back = back.replace(&format!("&{name};"), character);
        }
        prop_assert_eq!(back, text);
    }
}
