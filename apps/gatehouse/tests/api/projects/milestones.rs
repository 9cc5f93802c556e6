//! `/api/v4/projects/:id/milestones`.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::snapshot::redacted;
use crate::support::Server;
use crate::support::pages::{column, rows};

#[test]
fn a_milestone_is_made_changed_and_deleted_and_the_feed_tells() {
    let server = Server::start();
    let (reporter, path) = (server.reporter(), server.below_project("/milestones"));
    let content = json!({
        "title": "1.0", "description": "The first", "start_date": "2024-01-01", "due_date": "2024-02-29",
    });
    let made = reporter.post(&path, &content).expect(201);
    let one = format!("{path}/{}", made["id"]);
    assert_eq!(reporter.get(&one).expect(200), made);
    assert_eq!(
        server.developer().get(&path).list(),
        std::slice::from_ref(&made)
    );
    let text = made.to_string().replace(server.base_url(), "{base}");
    let _redacted = redacted();
    assert_json_snapshot!(serde_json::from_str::<Value>(&text).unwrap(), @r#"
    {
      "created_at": "[time]",
      "description": "The first",
      "due_date": "2024-02-29",
      "expired": true,
      "id": 1,
      "iid": 1,
      "project_id": 1,
      "start_date": "2024-01-01",
      "state": "active",
      "title": "1.0",
      "updated_at": "[time]",
      "web_url": "{base}/acme/web-shop/-/milestones/1"
    }
    "#);
    let web_url = made["web_url"].as_str().unwrap();
    let led = server
        .signed_in("reporter")
        .open(web_url.strip_prefix(server.base_url()).unwrap());
    assert_eq!((led.status, led.header("location")), (303, Some(&*one)));

    let change =
        json!({ "title": "1.1", "description": null, "due_date": "", "state_event": "close" });
    let closed = reporter.put(&one, &change).expect(200);
    let listed = [
        "title",
        "description",
        "start_date",
        "due_date",
        "state",
        "expired",
    ];
    let listed = listed.map(|field| closed[field].clone());
    assert_eq!(
        json!(listed),
        json!(["1.1", null, "2024-01-01", null, "closed", false])
    );
    reporter.put(&one, &change).assert_ok();
    reporter
        .put(&one, &json!({ "state_event": "activate" }))
        .assert_ok();
    assert_eq!(reporter.delete(&one).status, 204);
    let again = reporter.post(&path, &json!({ "title": "1.1" })).expect(201);
    assert_eq!(
        (&again["iid"], &again["due_date"]),
        (&json!(2), &Value::Null)
    );

    let feed = server.below_project("/events?target_type=milestone&sort=asc");
    let feed: Vec<Value> = rows(&server.developer(), &feed)
        .iter()
        .map(|row| {
            json!([
                row["action_name"],
                row["target_type"],
                row["target_iid"],
                row["target_title"]
            ])
        })
        .collect();
    let listed = [
        ("opened", 1, "1.0"),
        ("closed", 1, "1.1"),
        ("opened", 1, "1.1"),
        ("destroyed", 1, "1.1"),
        ("opened", 2, "1.1"),
    ];
    let listed = listed.map(|(action, iid, title)| json!([action, "Milestone", iid, title]));
    assert_eq!(feed, listed);
}

#[test]
fn lists_are_filtered_and_refusals_name_what_is_wrong() {
    let server = Server::start();
    let (reporter, path) = (server.reporter(), server.below_project("/milestones"));
    for title in ["one", "two", "three"] {
        let content = json!({ "title": title, "description": "All of it" });
        reporter.post(&path, &content).assert_ok();
    }
    let one = format!("{path}/1");
    reporter
        .put(&one, &json!({ "state_event": "close" }))
        .assert_ok();
    for (query, wanted) in [
        ("per_page=2", "three two"),
        ("iids[]=1&iids[]=3", "three one"),
        ("state=closed", "one"),
        ("state=active&search=T", "three two"),
        ("title=two&search=all%20of", "two"),
    ] {
        let page = reporter.get(&format!("{path}?{query}")).list();
        let titles: Vec<&str> = page
            .iter()
            .filter_map(|row| row["title"].as_str())
            .collect();
        assert_eq!(titles.join(" "), wanted, "{query}");
    }
    let refused = |attribute: &str, text: &str| json!({ "message": { attribute: [text] } });
    let taken = refused(
        "title",
        "already being used for another group or project milestone.",
    );
    let ends_early = refused("due_date", "must be greater than start date");
    let not_given = json!({ "message": "400 (Bad request) \"title\" not given" });
    let invalid = |text: &str| json!({ "error": text });
    for (method, path, body, wanted) in [
        ("POST", &path, json!({}), &not_given),
        ("POST", &path, json!({ "title": " " }), &not_given),
        ("POST", &path, json!({ "title": "two" }), &taken),
        ("PUT", &one, json!({ "title": "two" }), &taken),
        (
            "PUT",
            &one,
            json!({ "title": "" }),
            &refused("title", "can't be blank"),
        ),
        (
            "PUT",
            &one,
            json!({ "title": "x".repeat(256) }),
            &refused("title", "is too long (maximum is 255 characters)"),
        ),
        (
            "PUT",
            &one,
            json!({ "start_date": "2024-01-02", "due_date": "2024-01-01" }),
            &ends_early,
        ),
        (
            "PUT",
            &one,
            json!({ "due_date": "soon" }),
            &invalid("due_date is invalid"),
        ),
        (
            "PUT",
            &one,
            json!({ "state_event": "open" }),
            &invalid("state_event does not have a valid value"),
        ),
        (
            "GET",
            &format!("{path}?iids[]=x"),
            json!(null),
            &invalid("iids does not have a valid value"),
        ),
    ] {
        let caller = reporter.clone().with("Content-Type", "application/json");
        let body = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        caller
            .send(method, path, body.as_bytes())
            .assert_is(400, wanted);
    }
    assert_eq!(column(&reporter, &path, "title"), ["three", "two", "one"]);
    let other = server.create_project("acme/other", "public", "root");
    for path in [
        format!("{path}/99"),
        format!("/api/v4/projects/{}/milestones/1", other["id"]),
    ] {
        let missing = json!({ "message": "404 Milestone Not Found" });
        server.admin().get(&path).assert_is(404, &missing);
        server
            .admin()
            .put(&path, &json!({ "title": "x" }))
            .assert_is(404, &missing);
        server.admin().delete(&path).assert_is(404, &missing);
    }
}
