//! `/api/v4/projects/:id/labels`.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::script::play;

/// Responses that v4 clients read, from creation to deletion.
#[test]
fn a_label_is_created_read_updated_and_deleted() {
    let server = TestServer::start();
    let label = |id, name, description: Option<&str>, priority: Option<i64>, (color, text)| {
        json!({
            "id": id, "name": name, "description": description, "color": color, "text_color": text,
            "description_html": description.unwrap_or_default(),
            "priority": priority, "subscribed": false, "is_project_label": true,
        })
    };
    let counted = |label: &Value| {
        let mut label = label.clone();
        for count in ["open_issues", "closed_issues", "open_merge_requests"] {
            label[format!("{count}_count")] = json!(0);
        }
        label
    };
    let orange = ("#ffCC00", "#FFFFFF");
    let created = label(1, "to do/now", Some("Soon"), Some(1), orange);
    let done = label(1, "done", None, None, orange);
    let bug = label(2, "Bug", None, None, ("#EEFFEE", "#1F1E24"));
    // A single label always includes its counts; a list includes them on request.
    let [created, done_counted, bug_counted] = [&created, &done, &bug].map(counted);
    let script = format!(
        r##"
        POST . {{"name": "to do/now", "color": "#fC0", "description": "Soon", "priority": 1}}
        201 {created}
        GET /1
        200 {created}
        GET /to%20do%2Fnow
        200 {created}
        POST . {{"name": "Bug", "color": "#EEFFEE"}}
        201 {bug_counted}
        PUT /to%20do%2Fnow {{"new_name": "done", "description": "", "priority": null}}
        200 {done_counted}
        GET ?with_counts=true&include_ancestor_groups=true
        200 [{bug_counted}, {done_counted}]
        GET ?search=BU
        200 [{bug}]
        DELETE /1
        204
        GET /1
        404 {{"message": "404 Label Not Found"}}
        "##
    );
    play(
        &server.reporter(),
        &server.below_project("/labels"),
        &script,
    );
}

#[test]
fn a_label_is_changed_by_the_name_or_the_number_in_the_body() {
    let server = TestServer::start();
    let label = |name: &str, color: &str| {
        json!({
            "id": 1, "name": name, "description": null, "description_html": "", "color": color, "text_color": "*",
            "priority": null, "subscribed": false, "is_project_label": true,
            "open_issues_count": 0, "closed_issues_count": 0, "open_merge_requests_count": 0,
        })
    };
    let script = format!(
        r##"
        POST . {{"name": "urgent", "color": "#ff0000"}}
        201 {created}
        PUT . {{"name": "urgent", "new_name": "pressing"}}
        200 {renamed}
        PUT . {{"name": "1", "color": "#00ff00"}}
        200 {green}
        PUT . {{"name": "urgent", "color": "#00ff00"}}
        404 {{"message": "404 Label Not Found"}}
        PUT . {{"color": "#00ff00"}}
        400 {{"message": "400 (Bad request) \"name\" not given"}}
        PUT . {{"name": "pressing"}}
        400 "*"
        "##,
        created = label("urgent", "#ff0000"),
        renamed = label("pressing", "#ff0000"),
        green = label("pressing", "#00ff00"),
    );
    play(
        &server.reporter(),
        &server.below_project("/labels"),
        &script,
    );
}

#[test]
fn invalid_label_requests_are_rejected_and_change_nothing() {
    let server = TestServer::start();
    let (labels, reporter) = (server.below_project("/labels"), server.reporter());
    play(
        &reporter,
        &labels,
        r##"
        POST . {"name": "taken", "color": "#000000"}
        201
        POST . {"name": "own", "color": "#000"}
        201
        POST . {"color": "#000"}
        400 {"message": "400 (Bad request) \"name\" not given"}
        POST . {"name": "new"}
        400 {"message": "400 (Bad request) \"color\" not given"}
        POST . {"name": "new", "color": "red"}
        400 {"message": {"color": ["must be a valid color code"]}}
        POST . {"name": "new", "color": "#12345g"}
        400 {"message": {"color": ["must be a valid color code"]}}
        POST . {"name": "taken", "color": "#fff"}
        409 {"message": "Label already exists"}
        PUT /own {}
        400 {"error": "new_name, color, description, priority are missing, at least one parameter must be provided"}
        PUT /own {"color": "#ffff"}
        400 {"message": {"color": ["must be a valid color code"]}}
        PUT /own {"priority": -1}
        400 {"message": {"priority": ["must be greater than or equal to 0"]}}
        PUT /own {"new_name": " "}
        400 {"message": {"title": ["can't be blank"]}}
        PUT /own {"new_name": "taken"}
        409 {"message": "Label already exists"}
        PUT /Own {"color": "#fff"}
        404 {"message": "404 Label Not Found"}
        DELETE /9999
        404 {"message": "404 Label Not Found"}
        GET /%FF
        404 {"message": "404 Label Not Found"}
        GET ?search=own
        200 [{"id": 2, "name": "own", "description": null, "description_html": "", "color": "#000000", "text_color": "*", "priority": null, "subscribed": false, "is_project_label": true}]
        "##,
    );
    assert_eq!(reporter.get(&labels).list().len(), 2);
}
