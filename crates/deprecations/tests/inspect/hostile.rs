//! Malformed and hostile files, and bounds on the size of reports.

use deprecations::Schedule;
use deprecations::inspect::{FileFormat, InspectError, InspectOptions, inspect};
use proptest::prelude::*;

use crate::{check, edition, found};

const CALL: &str = r#"{"method":"GET","path":"/api/v4/lamps/1/changes","status":200}"#;

#[test]
fn files_without_calls_are_rejected_with_a_reason() {
    let broken = |what, line, column| InspectError::Broken { what, line, column };
    for (text, expected) in [
        ("", InspectError::Empty),
        ("\u{feff} \n", InspectError::Empty),
        ("openapi: 3.0.0\npaths: {}\n", InspectError::Yaml),
        ("# API\nswagger: '2.0'\n", InspectError::Yaml),
        (r#"{"swagger":"2.0"}"#, InspectError::Version),
        (r#"{"openapi":"4.0"}"#, InspectError::Version),
        (r#"{"openapi":3}"#, InspectError::Version),
        (
            "{\"openapi\":\"3.1.0\",\n\"paths\":",
            broken(FileFormat::OpenApi, 2, 8),
        ),
        ("{\"log\":{\"entries\":[{}", broken(FileFormat::Har, 1, 21)),
        ("{\"a\":1}\n{\"b\":2}", InspectError::Unknown),
        ("hello\nworld", InspectError::Unknown),
        ("[1,2]", InspectError::Unknown),
        ("{\"log\":\"hello\"}", InspectError::Unknown),
        ("\"", InspectError::Unknown),
    ] {
        assert_eq!(check("16.0", text).unwrap_err(), expected, "{text}");
    }
    let message = broken(FileFormat::Har, 1, 21).to_string();
    assert_eq!(
        message,
        "this looks like a HAR file, but is malformed at line 1, column 21"
    );
}

#[test]
fn broken_lines_do_not_hide_the_others() {
    let long = "x".repeat(1 << 20);
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let lines = [
        "{\"method\":\"GET\",\"path\":\"/api/v4/la",
        &format!("{{\"method\":\"GET\",\"path\":\"/{long}\"}}"),
        &format!("::1 - - [x] \"GET /api/v4/lamps?a={long} HTTP/1.1\" 200 1"),
        &deep,
        "::1 - - [x] \"\\x16\\x03\\x01\" 400 0",
        "::1 - - [x] \"GET /api/v4/lamps/1/changes",
        "::1 - - [x] \"-\" 408 -",
        "::1 - - [x] \"G\\\"T /x HTTP/1.1\" 408 -",
        CALL,
    ];
    let report = check("16.0", &lines.join("\n")).unwrap();
    assert_eq!(
        (report.calls, report.unread, report.first_unread),
        (1, 8, Some(1))
    );
    assert_eq!(
        found(&report),
        ["15-1-changes | GET /api/v4/lamps/:id/changes | the whole operation | 1 from 9"]
    );
}

#[test]
fn lists_are_bounded_and_counts_are_not() {
    let line = |at: u32| {
        let name: String = at
            .to_string()
            .bytes()
            .map(|it| char::from(it - b'0' + b'a'))
            .collect();
        format!("::1 - - [x] \"GET /api/v4/shades-{name} HTTP/1.1\" 200 1\n")
    };
    let log: String = (0..500).map(line).collect();
    let report = check("16.0", &log).unwrap();
    assert_eq!((report.unknown.len(), report.unknown_calls), (20, 500));
}

#[test]
fn findings_beyond_the_bound_still_count() {
    let paths: Vec<String> = (0..1_100)
        .map(|at| format!("GET /api/v4/lamp{at}"))
        .collect();
    let text = format!(
        "title = \"a\"\narea = \"a\"\nkind = \"endpoint\"\nannounced = \"15.9\"\nremoval = \"16.0\"\n\
         body = \"a\"\nenforcement = \"enforced\"\nedited = \"2023-02-22\"\ntouches = [{{ endpoints = {paths:?} }}]"
    );
    let schedule = Schedule::parse([("15-9-lamps", text.as_str())]).unwrap();
    let line = |path: &String| format!("::1 - - [x] \"{path}\" 200 1");
    let log: Vec<String> = paths.iter().map(line).collect();
    let log = log.join("\n");
    let report = inspect(&schedule, &log, &InspectOptions::at(edition("16.0"))).unwrap();
    assert_eq!(
        (report.findings.len(), report.left_off, report.breaking_uses),
        (1_000, 100, 1_100)
    );
    assert!(
        report.to_string().contains("\n100 more uses not listed"),
        "{report}"
    );
}

#[test]
fn a_report_is_three_lines_then_records_then_calls() {
    let log = [
        CALL,
        CALL,
        r#"{"method":"GET","path":"/api/v4/lamps","query":"paused=1","status":404}"#,
        r#"{"method":"GET","path":"/api/v4/lamps","query":"filepath=x","status":404}"#,
        r#"{"method":"GET","path":"/api/v4/shades/1"}"#,
        r#"{"method":"GET","path":"/"}"#,
        "?",
    ];
    let report = check("16.0", &log.join("\n")).unwrap();
    let expected = "\
Checked 6 calls of an access log against 16.0: 2 breaking, 1 deprecated, 0 unclear.
1 call unknown, 1 outside the API; 1 unreadable, first at line 7.
1 record was not checked; it is listed at the end.

BREAKS 15-1-changes: About 15-1-changes (removed in 16.0)
  Instead: `GET /lamps/:id/states`
  GET /api/v4/lamps/:id/changes: the whole operation (2 times, first at line 1)

DEPRECATED 15-2-path: About 15-2-path (will be removed in 17.0)
  GET /api/v4/lamps: the parameter `filepath` (line 4)

UNKNOWN: no record and no known operation matches these calls
  GET /api/v4/shades/:id (line 5)

NOT CHECKED: an access log does not show uses of these records
  15-9-behaviour
";
    assert_eq!(report.to_string(), expected);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["findings"][0]["status"], "removed");
    assert_eq!(json["findings"][0]["certainty"], "certain");
    assert_eq!(json["findings"][0]["removal"], "16.0");
    assert_eq!(json["source"], "access_log");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = check("16.0", &text);
    }

    #[test]
    fn any_request_is_read_or_refused(target in "[a-z0-9/%&=?#\\[\\].:@ \"\\\\-]{0,80}") {
        for line in [
            format!("::1 - - [x] \"GET /{target} HTTP/1.1\" 200 1"),
            serde_json::json!({ "method": "POST", "uri": format!("/api/v4/lamps{target}") }).to_string(),
            serde_json::json!({ "log": { "entries": [{ "request": { "method": "PUT", "url": target } }] } }).to_string(),
        ] {
            if let Ok(report) = check("16.0", &line) {
                prop_assert!(report.calls + report.unread <= 1);
            }
        }
    }
}
