//! Archiving, moving, deleting and restoring a project in the browser.

use serde_json::json;

use super::{assert_redirected, assert_redirected_to, below, submit, text};
use crate::database::{database, server_on};
use crate::support::TestServer;

const PAGE: &str = "/-/settings";

#[test]
fn a_project_is_archived_and_nothing_in_it_is_changed() {
    let server = TestServer::start();
    let mut owner = server.signed_in("admin");
    let to = "/-/settings/archive";
    let answer = submit(&mut owner, PAGE, to, &[("archived", "true")]);
    let message = "Project archived. Its issues, alerts and labels can no longer be changed.";
    assert_redirected(&mut owner, &answer, PAGE, message);
    let overview = text(&mut owner, &below(""));
    assert!(
        overview.contains(">Archived<") && !overview.contains("/-/issues/new"),
        "{overview}"
    );
    let refused = submit(&mut owner, PAGE, "/-/issues", &[("title", "x")]);
    assert_eq!(refused.status, 403);
    let answer = submit(&mut owner, PAGE, to, &[("archived", "false")]);
    assert_redirected(&mut owner, &answer, PAGE, "Project unarchived.");
    assert_eq!(submit(&mut owner, PAGE, to, &[]).status, 400);
}

#[test]
fn a_project_is_moved_into_another_namespace() {
    let server = TestServer::start();
    let created = json!({ "name": "Team", "path": "team" });
    let team = server.admin().post("/api/v4/groups", &created).expect(201)["id"].to_string();
    let mut owner = server.signed_in("admin");
    let page = text(&mut owner, &below(PAGE));
    assert!(
        page.contains(&format!("<option value=\"{team}\">team</option>")),
        "{page}"
    );
    assert!(
        !page.contains(">acme</option>"),
        "it is there already: {page}"
    );
    let to = "/-/settings/transfer";
    for wrong in ["", "x", "999999"] {
        let refused = submit(&mut owner, PAGE, to, &[("namespace_id", wrong)]);
        assert_eq!(refused.status, 422, "{wrong}");
        let message = "The namespace is not valid.";
        assert!(refused.text().contains(message), "{}", refused.text());
    }
    let answer = submit(&mut owner, PAGE, to, &[("namespace_id", &team)]);
    let path = "/team/web-shop/-/settings";
    assert_redirected_to(&mut owner, &answer, path, "Project transferred.");
    let before = owner.open(&below(""));
    assert_eq!(before.status, 301);
    assert_eq!(before.header("location"), Some("/team/web-shop"));
}

/// Deletes the demo's project and restores it, including conflicts.
fn deleted_and_restored(server: &TestServer) {
    let mut owner = server.signed_in("admin");
    let to = "/-/settings/delete";
    let refused = submit(&mut owner, PAGE, to, &[("confirm", "web-shop")]);
    assert_eq!(refused.status, 422);
    let page = refused.text();
    assert!(
        page.contains("The path does not match") && page.contains("value=\"web-shop\""),
        "{page}"
    );
    let answer = submit(&mut owner, PAGE, to, &[("confirm", "acme/web-shop")]);
    let waiting = format!("/projects/{}/deletion", server.project());
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(&*waiting))
    );
    let page = text(&mut owner, &waiting);
    for part in [
        "Web shop",
        "acme/web-shop",
        "Will be deleted",
        " UTC</time>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(owner.open(&below("")).status, 404);
    for person in ["developer", "reporter"] {
        let mut browser = server.signed_in(person);
        assert_eq!(browser.open(&waiting).status, 404, "{person}");
        let refused = browser.submit("/profile", &waiting, &[]);
        assert_eq!(refused.status, 404, "{person}");
    }
    let led = server.browser().open(&waiting);
    assert!(
        led.header("location")
            .is_some_and(|to| to.starts_with("/users/sign_in"))
    );
    assert_eq!(
        owner.post(&waiting, &[]).status,
        403,
        "without the token of a form"
    );

    let project = server.admin();
    let group = project.get("/api/v4/groups/acme").expect(200)["id"].clone();
    let body = json!({ "name": "Web shop", "namespace_id": group });
    let other = project.post("/api/v4/projects", &body).expect(201)["id"].to_string();
    let refused = owner.submit(&waiting, &waiting, &[]);
    assert_eq!(refused.status, 409);
    let message = "path has already been taken";
    assert!(refused.text().contains(message), "{}", refused.text());
    let path = format!("/api/v4/projects/{other}");
    project
        .put(&path, &json!({ "path": "other", "name": "Other" }))
        .expect(200);
    let answer = owner.submit(&waiting, &waiting, &[]);
    assert_redirected_to(&mut owner, &answer, &below(""), "Project restored.");
    assert_eq!(owner.open(&waiting).status, 404);
}

#[test]
fn a_project_is_deleted_by_its_path_and_restored() {
    deleted_and_restored(&TestServer::start());
}

#[test]
fn a_project_is_deleted_and_restored_on_postgresql() {
    let Some(database) = database() else { return };
    deleted_and_restored(&server_on(&database));
}
