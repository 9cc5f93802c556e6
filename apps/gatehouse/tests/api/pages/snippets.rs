//! Pages of snippets.

use serde_json::json;

use crate::support::TestServer;
use crate::support::browser::TestBrowser;

/// Submits a form, and follows the redirect to a page with this notice. Returns the path of the page.
#[track_caller]
fn saved(
    browser: &mut TestBrowser,
    from: &str,
    to: &str,
    fields: &[(&str, &str)],
    notice: &str,
) -> String {
    let answer = browser.submit(from, to, fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let path = answer.header("location").unwrap().to_owned();
    let page = browser.open(&path).expect_text(200);
    assert!(page.contains(notice), "{notice}: {page}");
    path
}

/// The same in both places: a snippet is created, shown, changed and deleted.
#[test]
fn a_snippet_is_created_shown_edited_and_deleted() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    for list in ["/-/snippets", "/acme/web-shop/-/snippets"] {
        let empty = browser.open(list).expect_text(200);
        assert!(empty.contains("No snippets"), "{empty}");
        let new = format!("{list}/new");
        let fields = [
            ("title", "Clean <up>"),
            ("description", "Frees *space*."),
            ("visibility", "internal"),
            ("path_0", "bin/clean.sh"),
            ("content_0", "\r\n<script>\r\nrm x\r\n"),
        ];
        let one = saved(&mut browser, &new, list, &fields, "Snippet created.");
        let page = browser.open(&one).expect_text(200);
        for part in [
            "Clean &#60;up&#62;",
            "<em>space</em>",
            "bin/clean.sh",
            "&#60;script&#62;",
            "data-copy=\"",
            "<span class=\"at\">3</span>",
            "Internal",
            "/raw/main/bin%2Fclean.sh\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let raw = browser.open(&format!("{one}/raw")).expect_text(200);
        assert_eq!(raw, "\n<script>\nrm x\n");
        let listed = browser.open(list).expect_text(200);
        assert!(listed.contains(&format!("href=\"{one}\"")), "{listed}");
        // One file more, and the first one renamed.
        let edit = format!("{one}/edit");
        let fields = [
            ("_method", "put"),
            ("title", "Cleaner"),
            ("visibility", "private"),
            ("old_0", "bin/clean.sh"),
            ("path_0", "b.sh"),
            ("content_0", "one"),
            ("path_1", "c.sh"),
            ("content_1", "two"),
        ];
        saved(&mut browser, &edit, &one, &fields, "Snippet saved.");
        let page = browser.open(&edit).expect_text(200);
        for part in ["value=\"b.sh\"", "value=\"c.sh\"", "name=\"path_2\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let fields = [
            ("_method", "put"),
            ("title", "Cleaner"),
            ("visibility", "private"),
            ("old_0", "b.sh"),
            ("path_0", "b.sh"),
            ("content_0", "one"),
            ("remove_0", "true"),
            ("old_1", "c.sh"),
            ("path_1", "c.sh"),
            ("content_1", "two"),
        ];
        saved(&mut browser, &edit, &one, &fields, "Snippet saved.");
        assert_eq!(browser.open(&format!("{one}/raw")).expect_text(200), "two");
        // A refused form keeps what was entered.
        let fields = [
            ("_method", "put"),
            ("title", " "),
            ("visibility", "private"),
            ("old_0", "c.sh"),
            ("path_0", "../c.sh"),
            ("content_0", "kept"),
        ];
        let refused = browser.submit(&edit, &one, &fields).expect_text(422);
        for part in [
            "can&#39;t be blank",
            "relative path",
            "kept",
            "value=\"../c.sh\"",
        ] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let confirm = [("_method", "delete"), ("confirm", "wrong")];
        let refused = browser.submit(&one, &one, &confirm).expect_text(422);
        assert!(refused.contains("does not match"), "{refused}");
        let confirm = [("_method", "delete"), ("confirm", "Cleaner")];
        let back = saved(&mut browser, &one, &one, &confirm, "Snippet deleted.");
        assert_eq!(back, list);
        assert_eq!(browser.open(&one).status, 404);
    }
}

#[test]
fn pages_show_snippets_to_those_who_may_see_them() {
    let server = TestServer::start();
    let dev = server.developer();
    let body = |visibility: &str| json!({ "title": visibility, "file_name": "a", "content": "b", "visibility": visibility });
    let personal = ["private", "public"].map(|visibility| {
        let created = dev.post("/api/v4/snippets", &body(visibility)).expect(201);
        format!("/-/snippets/{}", created["id"])
    });
    let (mut visitor, mut reporter) = (server.browser(), server.signed_in("reporter"));
    for browser in [&mut visitor, &mut reporter] {
        assert_eq!(browser.open(&personal[0]).status, 404);
        let page = browser.open(&personal[1]).expect_text(200);
        assert!(!page.contains("/edit"), "{page}");
        let edit = browser.open(&format!("{}/edit", personal[1]));
        assert!([303, 403].contains(&edit.status), "{}", edit.status);
    }
    let listed = visitor.open("/-/snippets").expect_text(200);
    assert!(listed.contains(&personal[1]) && !listed.contains(&format!("\"{}\"", personal[0])));
    let listed = reporter.open("/-/snippets?view=all").expect_text(200);
    assert!(listed.contains(&personal[1]), "{listed}");
    // A long text is cut, and the page says where the whole is.
    let long = "line\n".repeat(20_000);
    let large = json!({ "title": "Long", "file_name": "a", "content": long });
    let created = dev.post("/api/v4/snippets", &large).expect(201);
    let path = format!("/-/snippets/{}", created["id"]);
    let page = server.signed_in("developer").open(&path).expect_text(200);
    assert!(page.contains("The raw text is complete"));
    assert!(page.len() < 2_000_000, "{}", page.len());
    // The navigation follows the settings of the project.
    let home = "/acme/web-shop";
    let link = "href=\"/acme/web-shop/-/snippets\"";
    assert!(reporter.open(home).text().contains(link));
    let off = json!({ "snippets_access_level": "disabled" });
    let project = format!("/api/v4/projects/{}", server.project());
    server.admin().put(&project, &off).expect(200);
    assert!(!reporter.open(home).text().contains(link));
    assert_eq!(reporter.open("/acme/web-shop/-/snippets").status, 404);
}
