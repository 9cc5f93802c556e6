//! Refused imports name their fault and store nothing (`PATH-02`).

use serde_json::{Value, json};

use crate::support::archives::{archive, archive_of_issues, gzip};
use crate::support::{TestServer, rows};

const IMPORT: &str = "/api/v4/projects/import";

/// Number of rows that an import writes.
const WRITTEN: &str = "SELECT (SELECT count(*) FROM projects) + (SELECT count(*) FROM labels) \
    + (SELECT count(*) FROM milestones) + (SELECT count(*) FROM issues) + (SELECT count(*) FROM notes) \
    + (SELECT count(*) FROM events) + (SELECT count(*) FROM audit_entries) \
    + (SELECT count(*) FROM alert_integrations)";

/// Imports as the developer, and checks the response and that nothing was written.
#[track_caller]
fn check(
    server: &TestServer,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
    expected: (u16, Value),
) {
    let (status, body) = expected;
    let before = rows::number(server, WRITTEN);
    let answer = server.developer().post_form_data(IMPORT, fields, file);
    let found = (answer.status, answer.json());
    assert_eq!(found, (status, body), "{fields:?}");
    assert_eq!(rows::number(server, WRITTEN), before, "{fields:?}");
}

fn bad_request(reason: &str) -> (u16, Value) {
    let message = format!("400 Bad request - {reason}");
    (400, json!({ "message": message }))
}

fn too_large(reason: &str) -> (u16, Value) {
    let message = format!("413 Request Entity Too Large - {reason}");
    (413, json!({ "message": message }))
}

/// API-11, API-12.
#[test]
fn parameters_that_are_missing_or_wrong_are_named() {
    let server = TestServer::start();
    let good = archive(&[]);
    let file = Some(&good[..]);
    let error = |text: &str| (400, json!({ "error": text }));
    let namespace = || (400, json!({"message": {"namespace": ["is not valid"]}}));
    let missing = |name: &str| {
        let message = format!("400 (Bad request) \"{name}\" not given");
        (400, json!({ "message": message }))
    };
    check(&server, &[("path", "a")], None, missing("file"));
    check(&server, &[], file, missing("path"));
    check(&server, &[("path", "")], file, missing("path"));
    check(
        &server,
        &[("path", "a"), ("file", "text")],
        None,
        error("file is invalid: send it as a file of multipart/form-data"),
    );
    check(
        &server,
        &[("path", "a"), ("overwrite", "true")],
        file,
        error("overwrite is not supported: delete the project at the path, or choose another path"),
    );
    for unknown in ["4711", "nothing/there", "1"] {
        check(
            &server,
            &[("path", "a"), ("namespace", unknown)],
            file,
            namespace(),
        );
    }
    check(
        &server,
        &[("path", "a"), ("override_params", "text")],
        file,
        error("override_params is invalid"),
    );
    check(
        &server,
        &[("path", "a"), ("override_params[visibility]", "secret")],
        file,
        error("visibility does not have a valid value"),
    );
    let path = json!({"message": {"path": ["'prometheus' is a reserved name"]}});
    check(&server, &[("path", "prometheus")], file, (400, path));
    let name_taken = |what: &str| {
        let message = format!("409 Conflict: {what} has already been taken");
        (409, json!({ "message": message }))
    };
    let created = server
        .developer()
        .post_form_data(IMPORT, &[("path", "a")], file);
    created.expect(201);
    check(&server, &[("path", "A")], file, name_taken("path"));
    check(
        &server,
        &[("path", "b"), ("name", "a")],
        file,
        name_taken("name"),
    );
}

/// A file in another field, and a body of another type, are refused.
#[test]
fn only_forms_bring_the_file() {
    let server = TestServer::start();
    let developer = server.developer();
    let before = rows::number(&server, WRITTEN);
    let answer = developer.post_form_data("/api/v4/projects", &[("name", "a")], Some(b"x"));
    let error = json!({"error": "file is a file, but files are not accepted here"});
    answer.assert_is(400, &error);
    let answer = developer.post(IMPORT, &json!({"path": "a", "file": "x"}));
    assert_eq!(answer.status, 400);
    let answer = developer
        .clone()
        .with("Content-Type", "application/gzip")
        .send("POST", IMPORT, b"x");
    assert_eq!(answer.status, 415);
    assert_eq!(rows::number(&server, WRITTEN), before);
}

#[test]
fn a_file_that_is_no_archive_is_refused() {
    let server = TestServer::start();
    let no_gzip = "the file is not an archive: it is not compressed with gzip";
    let whole = archive_of_issues("{\"iid\":1,\"title\":\"a\"}\n");
    let no_project = gzip(&[0; 1024]);
    let cases: [(&[u8], &str); 6] = [
        (b"", no_gzip),
        (b"PK\x03\x04", no_gzip),
        (
            &gzip(b"text"),
            "the file is not an archive: it contains no tar file",
        ),
        (
            &no_project,
            "the file is not an archive: it contains no tar file",
        ),
        (
            &whole[..whole.len() - 9],
            "the archive is damaged: it cannot be decompressed completely",
        ),
        (
            &whole[..40],
            "the archive is damaged: it cannot be decompressed completely",
        ),
    ];
    for (file, reason) in cases {
        check(&server, &[("path", "a")], Some(file), bad_request(reason));
    }
}

#[test]
fn archives_over_a_limit_are_rejected() {
    let server = TestServer::start();
    let path = [("path", "a")];
    let much = " ".repeat(64 << 20);
    let bomb = archive(&[("other", &much)]);
    let reason = "the archive unpacks to more than 67108864 bytes";
    check(&server, &path, Some(&bomb), too_large(reason));
    let line = format!("{{\"iid\":1,\"title\":\"{}\"}}", " ".repeat(2 << 20));
    let reason = "line 1 of tree/project/issues.ndjson has more than 2097152 bytes";
    check(
        &server,
        &path,
        Some(&archive_of_issues(&line)),
        too_large(reason),
    );
    let lines: Vec<String> = (1..=10_001)
        .map(|iid| format!("{{\"iid\":{iid},\"title\":\"a\"}}"))
        .collect();
    let reason = "the archive has more than 10000 labels, milestones, issues and notes";
    let many = archive_of_issues(&lines.join("\n"));
    check(&server, &path, Some(&many), too_large(reason));
    let reason = "the limit is 10485760 bytes";
    check(
        &server,
        &path,
        Some(&vec![b'x'; 10 << 20]),
        too_large(reason),
    );
}

/// A body above the general limit is accepted only with credentials, and up to the import limit.
#[test]
fn the_size_of_the_form_is_a_setting() {
    let server = TestServer::start_configured(
        "[server]\nmax_body_bytes = 1024\n[projects]\nmax_import_bytes = 4096\n",
    );
    let random: String = (0..3000_u32)
        .map(|n| char::from(b'a' + u8::try_from(n * n % 23).unwrap()))
        .collect();
    let fields = [
        ("path", "a"),
        ("override_params[description]", &random[..2000]),
    ];
    let packed = archive(&[]);
    let answer = server
        .anonymous()
        .post_form_data(IMPORT, &fields, Some(&packed));
    assert_eq!(answer.status, 413);
    server
        .developer()
        .post_form_data(IMPORT, &fields, Some(&packed))
        .expect(201);
    let answer = server
        .developer()
        .post_form_data(IMPORT, &fields, Some(random.as_bytes()));
    assert_eq!(answer.status, 413);
    let other = server
        .developer()
        .post("/api/v4/projects", &json!({"name": random}));
    assert_eq!(other.status, 413);
}

/// API-12: imported texts are validated like any others, and an invalid last line refuses the whole archive.
#[test]
fn an_invalid_line_rejects_the_whole_archive() {
    let server = TestServer::start();
    let good = "{\"iid\":1,\"title\":\"good\",\"notes\":[{\"note\":\"good\"}],\"label_links\":[{\"label\":{\"title\":\"bug\"}}]}\n";
    let place = "line 2 of tree/project/issues.ndjson";
    let too_long = format!("is too long (maximum is 255 characters) ({place})");
    let cases: [(String, Value); 4] = [
        (
            json!({"iid": 2, "title": "x".repeat(256)}).to_string(),
            json!({ "title": [too_long] }),
        ),
        (
            json!({"iid": 2, "title": " "}).to_string(),
            json!({ "title": [format!("can't be blank ({place})")] }),
        ),
        (
            json!({"iid": 2, "title": "a", "notes": [{"note": "", "author": {"name": "Ben"}}]}).to_string(),
            json!({ "body": [format!("can't be blank ({place})")] }),
        ),
        (
            json!({"iid": 2, "title": "a", "label_links": [{"label": {"title": "odd", "color": "red"}}]}).to_string(),
            json!({ "color": [format!("must be a valid color code ({place})")] }),
        ),
    ];
    for (line, expected) in cases {
        let packed = archive_of_issues(&format!("{good}{line}"));
        let expected = (400, json!({ "message": expected }));
        check(&server, &[("path", "a")], Some(&packed), expected);
    }
    let unreadable = server.developer().post_form_data(
        IMPORT,
        &[("path", "a")],
        Some(&archive_of_issues(&format!("{good}{{\"iid\":2"))),
    );
    let text = unreadable.expect(400)["message"].to_string();
    assert!(
        text.contains("line 2 of tree/project/issues.ndjson cannot be read"),
        "{text}"
    );
    for (line, reason) in [
        (
            "{\"iid\":1,\"title\":\"a\"}",
            format!("{place} repeats the issue number 1"),
        ),
        (
            "{\"iid\":0,\"title\":\"a\"}",
            format!("{place} has no issue number (iid) from 1 to 2147483647"),
        ),
    ] {
        let packed = archive_of_issues(&format!("{good}{line}"));
        check(
            &server,
            &[("path", "a")],
            Some(&packed),
            bad_request(&reason),
        );
    }
    // Without the invalid lines it is accepted, under the same path.
    let packed = archive_of_issues(good);
    let created = server
        .developer()
        .post_form_data(IMPORT, &[("path", "a")], Some(&packed));
    created.expect(201);
}
