//! The forms about issues, with the refusals of the API beside the fields.

use serde_json::json;

use super::{assert_redirected, issue, submit, text};
use crate::support::TestServer;

#[test]
fn an_issue_is_created_updated_closed_and_reopened() {
    let server = TestServer::start();
    let milestones = server.below_project("/milestones");
    let milestone = json!({ "title": "Release 1" });
    let milestone = server.admin().post(&milestones, &milestone).expect(201)["id"].to_string();
    let developer = server.name_of("developer");
    let mut reporter = server.signed_in("reporter");
    let fields = [
        ("title", "Disk full"),
        ("description", "a\r\nb"),
        ("issue_type", "incident"),
        ("labels", "bug, two words"),
        ("assignees", &*format!("@{developer}")),
        ("milestone_id", &*milestone),
        ("due_date", "2030-03-31"),
        ("confidential", "true"),
    ];
    let answer = submit(&mut reporter, "/-/issues/new", "/-/issues", &fields);
    assert_redirected(&mut reporter, &answer, "/-/issues/1", "Issue created.");
    let path = server.below_project("/issues/1");
    let created = server.reporter().get(&path).expect(200);
    assert_eq!(created["description"], "a\nb");
    assert_eq!(created["labels"], json!(["bug", "two words"]));
    assert_eq!(created["assignees"][0]["username"], json!(developer));
    assert_eq!(created["milestone"]["title"], "Release 1");
    assert_eq!(
        (&created["due_date"], &created["issue_type"]),
        (&json!("2030-03-31"), &json!("incident"))
    );
    assert_eq!(created["confidential"], true);
    let edit = text(&mut reporter, "/-/issues/1/edit");
    for part in [
        "value=\"bug, two words\"",
        "value=\"2030-03-31\"",
        " checked",
        &format!("value=\"{milestone}\" selected"),
    ] {
        assert!(edit.contains(part), "{part}: {edit}");
    }

    let one = "/-/issues/1";
    let fields = [
        ("_method", "put"),
        ("title", "Disk empty"),
        ("issue_type", "issue"),
    ];
    let answer = submit(&mut reporter, "/-/issues/1/edit", one, &fields);
    assert_redirected(&mut reporter, &answer, one, "Issue saved.");
    let saved = server.reporter().get(&path).expect(200);
    assert_eq!(
        (&saved["title"], &saved["labels"]),
        (&json!("Disk empty"), &json!([]))
    );
    assert!(saved["milestone"].is_null() && saved["due_date"].is_null());
    assert_eq!(saved["confidential"], false);
    for (event, notice) in [("close", "Issue closed."), ("reopen", "Issue reopened.")] {
        let fields = [("_method", "put"), ("state_event", event)];
        let answer = submit(&mut reporter, one, one, &fields);
        assert_redirected(&mut reporter, &answer, one, notice);
    }
    let nothing = submit(&mut reporter, one, one, &[("_method", "x")]);
    assert_eq!(nothing.status, 400);
    let missing = submit(
        &mut reporter,
        one,
        "/-/issues/9",
        &[("_method", "put"), ("title", "x")],
    );
    assert_eq!(missing.status, 404);
}

#[test]
fn invalid_issues_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "There" }));
    let mut reporter = server.signed_in("reporter");
    let long = "x".repeat(256);
    for (field, value, message) in [
        ("title", "", "The title can&#39;t be blank."),
        (
            "title",
            &*long,
            "The title is too long (maximum is 255 characters).",
        ),
        ("due_date", "2030-02-30", "The due date is invalid."),
        ("milestone_id", "999", "The milestone is invalid."),
        ("milestone_id", "x", "The milestone is invalid."),
        (
            "issue_type",
            "task",
            "The type does not have a valid value.",
        ),
        (
            "assignees",
            "no.body",
            "The assignees include a user who does not exist.",
        ),
        (
            "labels",
            &*long,
            "The label is too long (maximum is 255 characters).",
        ),
    ] {
        for (from, to, method) in [
            ("/-/issues/new", "/-/issues", ""),
            ("/-/issues/1/edit", "/-/issues/1", "put"),
        ] {
            let mut fields = vec![("_method", method), ("description", "<kept> & all")];
            if field != "title" {
                fields.push(("title", "New"));
            }
            fields.push((field, value));
            let answer = submit(&mut reporter, from, to, &fields);
            let page = answer.text();
            assert_eq!(answer.status, 422, "{field}: {page}");
            assert!(page.contains(message), "{message}: {page}");
            assert!(page.contains("aria-invalid=\"true\""), "{message}: {page}");
            assert!(page.contains("&#60;kept&#62; &#38; all"), "{page}");
        }
    }
    let list = server
        .reporter()
        .get(&server.below_project("/issues"))
        .list();
    assert_eq!((list.len(), &list[0]["title"]), (1, &json!("There")));
}

#[test]
fn an_author_without_a_role_changes_title_and_description_alone() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut zoe = server.browser();
    zoe.sign_in("zoe", created["password"].as_str().unwrap());
    let list = "/open/tools/-/issues";
    let fields = [
        ("title", "Mine"),
        ("labels", "bug"),
        ("issue_type", "issue"),
    ];
    let answer = zoe.submit("/open/tools/-/issues/new", list, &fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let edit = zoe.open("/open/tools/-/issues/1/edit").text();
    assert!(
        edit.contains("name=\"title\"") && !edit.contains("name=\"labels\""),
        "{edit}"
    );
    let fields = [
        ("_method", "put"),
        ("title", "Still mine"),
        ("labels", "bug"),
    ];
    let answer = zoe.submit(list, "/open/tools/-/issues/1", &fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let page = zoe.open("/open/tools/-/issues/1").text();
    assert!(
        page.contains("Still mine") && !page.contains("?labels=bug"),
        "{page}"
    );
}

#[test]
fn assignees_that_the_form_did_not_change_stay() {
    let server = TestServer::start();
    let developer = server.name_of("developer");
    let id = server.developer().get("/api/v4/user").expect(200)["id"].clone();
    issue(&server, &json!({ "title": "There", "assignee_ids": [id] }));
    server.block(&developer);
    let mut reporter = server.signed_in("reporter");
    let mut save = |assignees: &str| {
        let fields = [
            ("_method", "put"),
            ("title", "Still there"),
            ("assignees", assignees),
        ];
        let answer = submit(&mut reporter, "/-/issues/1/edit", "/-/issues/1", &fields);
        assert_redirected(&mut reporter, &answer, "/-/issues/1", "Issue saved.");
        let path = server.below_project("/issues/1");
        server.reporter().get(&path).expect(200)["assignees"].clone()
    };
    assert_eq!(save(&developer)[0]["username"], json!(developer));
    assert_eq!(save(""), json!([]));
    // A blocked user cannot be newly assigned.
    let fields = [
        ("_method", "put"),
        ("title", "Still there"),
        ("assignees", developer.as_str()),
    ];
    let answer = submit(&mut reporter, "/-/issues/1/edit", "/-/issues/1", &fields);
    assert_eq!(answer.status, 422, "{}", answer.text());
    let path = server.below_project("/issues/1");
    let kept = server.reporter().get(&path).expect(200);
    assert_eq!(kept["assignees"], json!([]));
}

#[test]
fn an_incident_has_a_severity_and_a_discussion_is_locked() {
    let server = TestServer::start();
    let mut reporter = server.signed_in("reporter");
    let fields = [
        ("title", "Shop is down"),
        ("issue_type", "incident"),
        ("severity", "critical"),
        ("discussion_locked", "true"),
    ];
    let answer = submit(&mut reporter, "/-/issues/new", "/-/issues", &fields);
    let one = "/-/issues/1";
    assert_redirected(&mut reporter, &answer, one, "Issue created.");
    let path = server.below_project("/issues/1");
    let created = server.reporter().get(&path).expect(200);
    assert_eq!(
        (&created["severity"], &created["discussion_locked"]),
        (&json!("CRITICAL"), &json!(true))
    );
    let page = text(&mut reporter, one);
    assert!(
        page.contains("Locked: members only") && page.contains("Critical"),
        "{page}"
    );
    let edit = text(&mut reporter, "/-/issues/1/edit");
    assert!(
        edit.contains("value=\"critical\" selected") && edit.contains(" checked"),
        "{edit}"
    );
    let fields = [
        ("_method", "put"),
        ("title", "Shop is down"),
        ("issue_type", "incident"),
        ("severity", "low"),
    ];
    let answer = submit(&mut reporter, "/-/issues/1/edit", one, &fields);
    assert_redirected(&mut reporter, &answer, one, "Issue saved.");
    let saved = server.reporter().get(&path).expect(200);
    assert_eq!(
        (&saved["severity"], &saved["discussion_locked"]),
        (&json!("LOW"), &json!(false))
    );
    let fields = [
        ("_method", "put"),
        ("title", "Shop is down"),
        ("severity", "terrible"),
    ];
    let refused = submit(&mut reporter, "/-/issues/1/edit", one, &fields);
    assert_eq!(refused.status, 422);
    let message = "The severity does not have a valid value.";
    assert!(refused.text().contains(message), "{}", refused.text());
}

#[test]
fn an_owner_deletes_an_issue_by_its_number() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "Disk full" }));
    let one = "/-/issues/1";
    let mut reporter = server.signed_in("reporter");
    assert!(!text(&mut reporter, one).contains("Delete the issue"));
    let fields = [("_method", "delete"), ("confirm", "#1")];
    let refused = submit(&mut reporter, one, one, &fields);
    assert_eq!(refused.status, 403);
    let mut owner = server.signed_in("admin");
    let wrong = [("_method", "delete"), ("confirm", "#2")];
    let refused = submit(&mut owner, one, one, &wrong);
    let page = refused.text();
    assert_eq!(refused.status, 422, "{page}");
    assert!(
        page.contains("The number does not match") && page.contains("value=\"#2\""),
        "{page}"
    );
    assert!(page.contains(" open>\n      <summary>Delete"), "{page}");
    let answer = submit(&mut owner, one, one, &fields);
    assert_redirected(&mut owner, &answer, "/-/issues", "Issue deleted.");
    let path = server.below_project("/issues/1");
    assert_eq!(server.reporter().get(&path).status, 404);
    let again = submit(&mut owner, "/-/issues", one, &fields);
    assert_eq!(again.status, 404);
    let nothing = owner.post(&super::below(one), &fields);
    assert_eq!(nothing.status, 403, "without the token of a form");
}
