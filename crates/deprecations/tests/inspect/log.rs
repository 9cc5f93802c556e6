//! Access logs.

use deprecations::inspect::{FileFormat, InspectOptions, inspect};

use crate::{check, edition, found, found_in, schedule};

fn combined(request: &str) -> String {
    format!(
        r#"2001:db8::1 - eve [22/May/2023:10:00:00 +0000] "{request} HTTP/1.1" 200 12 "https://h.example/?private_token=s3cret" "curl/8""#
    )
}

#[test]
fn the_common_and_the_combined_format_are_read() {
    let log = [
        r#"::1 - - [22/May/2023:10:00:00 +0000] "GET /api/v4/lamps/1/changes HTTP/1.1" 200 12"#,
        "",
        &combined("HEAD https://h.example/git/api/v4/lamps/a%2Fb/changes/?x=1"),
        &combined("GET /api/v5/l%61mps/1/changes.json"),
        &combined("POST /api/v4/lamps/1/changes"),
        "no call at all",
    ]
    .join("\r\n");
    let report = check("16.0", &log).unwrap();
    assert_eq!(report.source, FileFormat::AccessLog);
    assert_eq!(
        found(&report),
        ["15-1-changes | GET /api/v4/lamps/:id/changes | the whole operation | 3 from 1"]
    );
    assert_eq!(
        (report.calls, report.unread, report.first_unread),
        (4, 1, Some(6))
    );
    assert_eq!(report.unknown_calls, 1);
    assert_eq!(report.unknown[0].call, "POST /api/v4/lamps/:id/changes");
    assert_eq!(report.exit_code(false), 1);
}

#[test]
fn lines_of_json_are_read_by_their_usual_names() {
    for line in [
        r#"{"method":"GET","path":"/api/v4/lamps/1/changes","status":200}"#,
        r#"{"request":"GET /api/v4/lamps/1/changes HTTP/1.1","status":"200"}"#,
        r#"{"request":{"method":"GET","uri":"/api/v4/lamps/1/changes"},"status":200}"#,
        r#"{"httpRequest":{"requestMethod":"GET","requestUrl":"https://h/api/v4/lamps/1/changes"}}"#,
        r#"{"http":{"request":{"method":"GET"}},"url":{"path":"/api/v4/lamps/1/changes"}}"#,
        r#"{"http.request.method":"GET","url.original":"/api/v4/lamps/1/changes?a=b"}"#,
        r#"{"RequestMethod":"GET","RequestPath":"/api/v4/lamps/1/changes"}"#,
        r#"{"fields":{"request.method":"GET","request.route":"/api/v4/lamps/{id}/changes"}}"#,
        r#"{"log":"::1 - - [x] \"GET /api/v4/lamps/1/changes HTTP/1.1\" 200 1\n","stream":"stdout"}"#,
    ] {
        let found = found_in(line);
        let expected =
            "15-1-changes | GET /api/v4/lamps/:id/changes | the whole operation | 1 from 1";
        assert_eq!(found, [expected], "{line}");
    }
}

#[test]
fn parameters_are_read_from_queries() {
    for (query, expected) in [
        ("filepath=x", "15-2-path | the parameter `filepath`"),
        (
            "status=active",
            "15-3-status | the parameter `status` with the value `active`",
        ),
        ("status=on", ""),
        (
            "updated_after=1",
            "15-5-pair | the parameter `updated_after` without `order_by=updated_at`",
        ),
        ("updated_after=1&order_by=updated_at", ""),
        (
            "search=ab",
            "15-6-lengths | the parameter `search`, shorter than 3 characters",
        ),
        ("search=&x=%FF", ""),
        (
            "bad=%FF&search=%C3%A9%C3%A9",
            "15-6-lengths | the parameter `search`, shorter than 3 characters",
        ),
        ("search=abc", ""),
    ] {
        // Programs write queries in both of these ways.
        for line in [
            combined(&format!("GET /api/v4/lamps?{query}")),
            format!(r#"{{"method":"GET","path":"/api/v4/lamps","query":"{query}","status":200}}"#),
        ] {
            let report = check("16.0", &line).unwrap();
            let certain = report
                .findings
                .iter()
                .filter(|it| !it.detail.contains("not show"));
            let found = certain.map(|it| format!("{} | {}", it.record, it.detail));
            let found: Vec<String> = found.collect();
            assert_eq!(found.join("; "), expected, "{line}");
        }
    }
}

#[test]
fn findings_about_parts_not_in_the_log_are_uncertain() {
    let calls = [
        combined("PUT /api/v4/lamps/1"),
        combined("GET /api/v4/lamps/1"),
        r#"{"method":"GET","path":"/api/v4/lamps","status":200}"#.to_owned(),
    ];
    let report = check("16.0", &calls.join("\n")).unwrap();
    assert_eq!(
        found(&report),
        [
            "15-4-null? | PUT /api/v4/lamps/:id | the parameter `private` with the value `null`, which the file might not show | 1 from 1",
            "15-7-links? | GET /api/v4/lamps/:id | the field `assets.links.external` of the response, which the file does not show | 1 from 2",
            "15-7-links? | GET /api/v4/lamps/:id | the field `owners` of the response, which the file does not show | 1 from 2",
            "15-2-path? | GET /api/v4/lamps | the parameter `filepath`, which the file might not show | 1 from 3",
            "15-3-status? | GET /api/v4/lamps | the field `status` with the value `active` of the response, which the file does not show | 1 from 3",
            "15-3-status? | GET /api/v4/lamps | the parameter `status` with the value `active`, which the file might not show | 1 from 3",
            "15-3-status? | GET /api/v4/lamps/:id | the field `status` with the value `active` of the response, which the file does not show | 1 from 2",
        ]
    );
    assert_eq!((report.exit_code(false), report.exit_code(true)), (0, 0));
    assert_eq!(report.not_shown, ["15-9-behaviour"]);
    // An error response has no fields.
    let refused = calls[1].replace("\" 200 ", "\" 404 ");
    assert!(found_in(&refused).is_empty());
}

#[test]
fn parameters_newer_than_the_edition_are_breaking() {
    let call = combined("GET /api/v4/lamps?paused=true");
    let report = check("15.7", &call).unwrap();
    assert!(
        found(&report)[0].starts_with("15-8-paused | GET /api/v4/lamps | the parameter `paused`")
    );
    assert_eq!(report.findings[0].introduced.as_deref(), Some("15.8"));
    assert_eq!(report.exit_code(false), 1);
    assert_eq!(check("15.8", &call).unwrap().exit_code(true), 0);
}

#[test]
fn deprecations_fail_a_check_that_denies_them() {
    let call = combined("GET /api/v4/lamps/1/changes");
    let report = check("15.11", &call).unwrap();
    assert_eq!((report.exit_code(false), report.exit_code(true)), (0, 1));
    let unannounced = check("15.0", &call).unwrap();
    assert_eq!(unannounced.exit_code(true), 0);
    assert!(unannounced.findings.is_empty() && unannounced.unknown.is_empty());
}

#[test]
fn addresses_of_pages_are_read() {
    for (path, is_found) in [
        ("/a/b/issues/3", true),
        ("/git/a/b/c/settings/ci", true),
        ("/a/b/-/issues/3", false),
        ("/groups/a/issues", false),
        ("/a/issues", false),
        ("/a/b/alerts/notify/settings.json", false),
        ("/help/user/issues", false),
        ("/a/oauth/issues/1", true),
        ("/a/b/c", false),
    ] {
        let found = found_in(&combined(&format!("GET {path}")));
        let expected = "15-9-pages | GET /:project/";
        assert_eq!(
            found.iter().any(|it| it.starts_with(expected)),
            is_found,
            "{path} {found:?}"
        );
    }
}

#[test]
fn records_can_be_ignored_and_operations_named() {
    let log = [
        combined("GET /api/v4/lamps/1/changes"),
        combined("GET /api/v4/lamps/newest"),
        combined("GET /api/v4/shades/1"),
        combined("OPTIONS /api/v4/shades/1"),
    ]
    .join("\n");
    let operations = ["GET /api/v4/lamps/newest", "GET /api/v4/shades/:id"];
    let operations = operations.map(|it| it.parse().unwrap());
    let ignored = ["15-1-changes".to_owned()];
    let options = InspectOptions {
        at: edition("16.0"),
        ignored: &ignored,
        operations: &operations,
    };
    let report = inspect(&schedule(), &log, &options).unwrap();
    assert!(
        found(&report).is_empty() && report.unknown.is_empty(),
        "{report}"
    );
    assert_eq!(
        check("16.0", &log).unwrap().unknown[0].call,
        "GET /api/v4/shades/:id"
    );
}
