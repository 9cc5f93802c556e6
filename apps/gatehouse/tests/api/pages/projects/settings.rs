//! The settings of a project: permissions, and the form about the project itself.

use super::{assert_redirected, below, member_browser, submit, text};
use crate::support::TestServer;

const PAGE: &str = "/-/settings";

#[test]
fn settings_are_for_maintainers_and_nobody_else_learns_of_them() {
    let server = TestServer::start();
    let mut maintainer = member_browser(&server, "mia", 40);
    let page = text(&mut maintainer, &below(PAGE));
    for missing in [
        "id=\"path\"",
        "/-/settings/archive",
        "/-/settings/transfer",
        "/-/settings/delete",
    ] {
        assert!(!page.contains(missing), "{missing}: {page}");
    }
    let overview = text(&mut maintainer, &below(""));
    assert!(
        overview.contains("href=\"/acme/web-shop/-/settings\""),
        "{overview}"
    );
    for person in ["developer", "reporter"] {
        let mut browser = server.signed_in(person);
        assert_eq!(browser.open(&below(PAGE)).status, 404, "{person}");
        let page = text(&mut browser, &below(""));
        assert!(!page.contains("/-/settings\""), "{page}");
        for end in ["", "/archive", "/transfer", "/delete"] {
            let to = format!("{PAGE}{end}");
            let refused = submit(
                &mut browser,
                "",
                &to,
                &[("name", "x"), ("archived", "true")],
            );
            assert_eq!(refused.status, 404, "{person} {end}");
        }
    }
    let led = server.browser().open(&below(PAGE));
    let to = "/users/sign_in?return_to=/acme/web-shop/-/settings";
    assert_eq!(led.header("location"), Some(to));
    assert_eq!(server.anonymous().get(&below(PAGE)).status, 404);
}

#[test]
fn maintainers_edit_project_details_but_not_path_or_visibility() {
    let server = TestServer::start();
    let mut maintainer = member_browser(&server, "mia", 40);
    let fields = [
        ("name", "Shop of shops"),
        ("description", "a\r\nb"),
        ("topics", "retail, web"),
    ];
    let answer = submit(&mut maintainer, PAGE, PAGE, &fields);
    assert_redirected(&mut maintainer, &answer, PAGE, "Project saved.");
    let project = server.admin().get(&server.below_project("")).expect(200);
    assert_eq!(
        (&project["name"], &project["description"]),
        (&"Shop of shops".into(), &"a\nb".into())
    );
    assert_eq!(project["topics"], serde_json::json!(["retail", "web"]));
    assert_eq!(
        (&project["path"], &project["visibility"]),
        (&"web-shop".into(), &"private".into())
    );
    let overview = text(&mut maintainer, &below(""));
    assert!(overview.contains(">retail</bdi>"), "{overview}");
    for field in [("path", "other"), ("visibility", "public")] {
        let refused = submit(&mut maintainer, PAGE, PAGE, &[("name", "x"), field]);
        assert!(
            [403, 422].contains(&refused.status),
            "{field:?}: {}",
            refused.status
        );
    }
    for end in ["archive", "transfer", "delete"] {
        let to = format!("{PAGE}/{end}");
        let fields = [
            ("archived", "true"),
            ("namespace_id", "1"),
            ("confirm", "acme/web-shop"),
        ];
        assert_eq!(
            submit(&mut maintainer, PAGE, &to, &fields).status,
            403,
            "{end}"
        );
    }
    let after = server.admin().get(&server.below_project("")).expect(200);
    assert_eq!(
        (&after["name"], &after["path"], &after["archived"]),
        (&"Shop of shops".into(), &"web-shop".into(), &false.into())
    );
}

#[test]
fn invalid_settings_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    server.create_project("acme/other", "private", "root");
    let mut owner = server.signed_in("admin");
    for (name, path, visibility, message) in [
        ("", "web-shop", "private", "The name can&#39;t be blank."),
        ("Shop", "", "private", "The path can contain only"),
        (
            "Shop",
            "other",
            "private",
            "The path has already been taken.",
        ),
        (
            "Shop",
            "web-shop",
            "internal",
            "The visibility internal is not allowed in a private group.",
        ),
    ] {
        let fields = [
            ("name", name),
            ("path", path),
            ("visibility", visibility),
            ("description", "<kept>"),
        ];
        let answer = submit(&mut owner, PAGE, PAGE, &fields);
        let page = answer.text();
        assert_eq!(answer.status, 422, "{message}: {page}");
        assert!(
            page.contains(message) && page.contains("&#60;kept&#62;"),
            "{message}: {page}"
        );
    }
}

#[test]
fn an_owner_gives_the_project_another_path() {
    let server = TestServer::start();
    let mut owner = server.signed_in("admin");
    let fields = [
        ("name", "Web shop"),
        ("path", "store"),
        ("visibility", "private"),
    ];
    let answer = submit(&mut owner, PAGE, PAGE, &fields);
    assert_eq!(answer.header("location"), Some("/acme/store/-/settings"));
    let page = text(&mut owner, "/acme/store/-/settings");
    assert!(page.contains("value=\"store\""), "{page}");
    let before = owner.open(&below("/-/issues?page=2"));
    assert_eq!(before.status, 301);
    let now = "/acme/store/-/issues?page=2";
    assert_eq!(before.header("location"), Some(now));
}

#[test]
fn an_export_is_downloaded_from_the_settings() {
    let server = TestServer::start();
    let mut maintainer = member_browser(&server, "mia", 40);
    let page = text(&mut maintainer, &below(PAGE));
    let path = format!("/api/v4/projects/{}/export/download", server.project());
    assert!(
        page.contains(&format!("href=\"{path}\" download")),
        "{page}"
    );
    let answer = maintainer.open(&path);
    assert_eq!(answer.status, 200, "{}", answer.text());
    projects::archive::read(&answer.body).unwrap();
}
