//! `/api/v4/markdown`.

use serde_json::json;

use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

const PATH: &str = "/api/v4/markdown";

/// Renders a text as HTML, with references resolved in the demo's project.
fn html(caller: &TestCaller, text: &str) -> String {
    let body = json!({ "text": text, "gfm": true, "project": "acme/web-shop" });
    let answer = caller.post(PATH, &body).expect(201);
    answer["html"].as_str().unwrap().to_owned()
}

#[test]
fn a_text_becomes_html() {
    let server = TestServer::start();
    let script = r#"
        POST . {"text": "**a** @dev"}
        201 {"html": "<p><strong>a</strong> @dev</p>\n"}
        POST . {"text": "<script>", "gfm": true}
        201 {"html": "&lt;script&gt;\n"}
        POST . {}
        400 {"message": "400 (Bad request) \"text\" not given"}
        POST . {"text": "a", "gfm": "perhaps"}
        400 {"error": "gfm is invalid"}
        POST . {"text": "a", "gfm": null}
        400 {"error": "gfm is invalid"}
        POST . {"text": "a", "project": "no/where"}
        404 {"message": "404 Project Not Found"}
        POST . {"text": "a", "project": "//"}
        404 {"message": "404 Project Not Found"}
        "#;
    for caller in [server.anonymous(), server.developer()] {
        play(&caller, PATH, script);
    }
    let long = json!({ "text": "a".repeat(1_048_577) });
    server.developer().post(PATH, &long).expect(413);
}

#[test]
fn references_link_only_to_resources_the_caller_may_read() {
    let server = TestServer::start();
    let (reporter, developer) = (server.reporter(), server.developer());
    let iid = server.raise(&json!({ "title": "Disk <full>" }))["iid"].clone();
    let labels = server.below_project("/labels");
    let label = json!({ "name": "two words", "color": "#fff", "description": "Why" });
    reporter.post(&labels, &label).assert_ok();
    let milestones = server.below_project("/milestones");
    reporter
        .post(&milestones, &json!({ "title": "1.0" }))
        .assert_ok();
    server.stranger("zoe");
    server.block("zoe");

    let project = format!("{}/acme/web-shop/-", server.base_url());
    let link = |kind: &str, href: &str, title: &str, text: &str| {
        format!(
            "<a class=\"reference reference-{kind}\" href=\"{href}\" title=\"{title}\" rel=\"nofollow noopener noreferrer\">{text}</a>"
        )
    };
    let user = link(
        "user",
        &format!("{}/dev", server.base_url()),
        "Dana Developer",
        "@DEV",
    );
    let label = link(
        "label",
        &format!("{project}/issues?label_name=two%20words"),
        "Why",
        "~\"two words\"",
    );
    let milestone = link(
        "milestone",
        &format!("{project}/milestones/1"),
        "1.0",
        "%1.0",
    );
    let alert = link(
        "alert",
        &format!("{project}/alert_management/{iid}/details"),
        "Disk &lt;full&gt;",
        &format!("^alert#{iid}"),
    );
    let text = format!("@DEV ~\"two words\" %1.0 ^alert#{iid} `@dev`");
    let shown =
        |alert: &str| format!("<p>{user} {label} {milestone} {alert} <code>@dev</code></p>\n");
    assert_eq!(html(&developer, &text), shown(&alert));
    // An alert that the caller may not read is treated like a missing one.
    assert_eq!(html(&reporter, &text), shown(&format!("^alert#{iid}")));
    let nothing = "@nobody @zoe ~no %no ^alert#9999 #1 a/b#1";
    assert_eq!(html(&developer, nothing), format!("<p>{nothing}</p>\n"));

    // A project that the caller may not see is not found.
    let body = json!({ "text": "@dev", "project": "acme/web-shop" });
    let stranger = server.stranger("adam");
    stranger.post(PATH, &body).expect(404);
    server.anonymous().post(PATH, &body).expect(404);
}
