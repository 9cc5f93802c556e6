//! `/api/v4/projects/:id/labels`.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::support::Server;

/// What v4 clients read, from the first label to the last.
#[test]
fn a_label_is_made_read_changed_and_deleted() {
    let server = Server::start();
    let (labels, reporter) = (server.below_project("/labels"), server.reporter());
    let new = json!({ "name": "to do/now", "color": "#fC0", "description": "Soon", "priority": 1 });
    let made = reporter.post(&labels, &new).expect(201);
    let by_id = format!("{labels}/{}", made["id"]);
    let by_name = format!("{labels}/to%20do%2Fnow");
    for path in [&by_id, &by_name] {
        assert_eq!(reporter.get(path).expect(200), made, "{path}");
    }
    let light = json!({ "name": "Bug", "color": "#EEFFEE" });
    reporter.post(&labels, &light).expect(201);
    let edit = json!({ "new_name": "done", "description": "", "priority": null });
    let changed = reporter.put(&by_name, &edit).expect(200);
    let listed = reporter.get(&format!(
        "{labels}?with_counts=true&include_ancestor_groups=true"
    ));
    let listed = listed.expect(200);
    let found = reporter.get(&format!("{labels}?search=BU")).list();
    assert_eq!(found.len(), 1);
    let deleted = reporter.delete(&by_id);
    assert_eq!((deleted.status, reporter.get(&by_id).status), (204, 404));
    assert_json_snapshot!(json!({ "made": made, "changed": changed, "listed": listed }), @r##"
    {
      "changed": {
        "color": "#ffCC00",
        "description": null,
        "id": 1,
        "is_project_label": true,
        "name": "done",
        "priority": null,
        "subscribed": false,
        "text_color": "#FFFFFF"
      },
      "listed": [
        {
          "closed_issues_count": 0,
          "color": "#EEFFEE",
          "description": null,
          "id": 2,
          "is_project_label": true,
          "name": "Bug",
          "open_issues_count": 0,
          "open_merge_requests_count": 0,
          "priority": null,
          "subscribed": false,
          "text_color": "#1F1E24"
        },
        {
          "closed_issues_count": 0,
          "color": "#ffCC00",
          "description": null,
          "id": 1,
          "is_project_label": true,
          "name": "done",
          "open_issues_count": 0,
          "open_merge_requests_count": 0,
          "priority": null,
          "subscribed": false,
          "text_color": "#FFFFFF"
        }
      ],
      "made": {
        "color": "#ffCC00",
        "description": "Soon",
        "id": 1,
        "is_project_label": true,
        "name": "to do/now",
        "priority": 1,
        "subscribed": false,
        "text_color": "#FFFFFF"
      }
    }
    "##);
}

#[test]
fn what_makes_no_label_is_refused_and_changes_nothing() {
    let server = Server::start();
    let (labels, reporter) = (server.below_project("/labels"), server.reporter());
    let label = |name: &str, color: &str| json!({ "name": name, "color": color });
    reporter
        .post(&labels, &label("taken", "#000000"))
        .expect(201);
    let own = reporter.post(&labels, &label("own", "#000")).expect(201);
    let path = format!("{labels}/own");
    let message = |message: Value| json!({ "message": message });
    let colorless = message(json!({ "color": ["must be a valid color code"] }));
    let unranked = message(json!({ "priority": ["must be greater than or equal to 0"] }));
    let taken = message(json!("Label already exists"));
    let unknown = message(json!("404 Label Not Found"));
    let nothing = "new_name, color, description, priority are missing, at least one parameter must be provided";
    let missing = |name: &str| message(json!(format!("400 (Bad request) \"{name}\" not given")));
    for (method, path, body, status, expected) in [
        (
            "POST",
            &labels,
            json!({ "color": "#000" }),
            400,
            missing("name"),
        ),
        (
            "POST",
            &labels,
            json!({ "name": "new" }),
            400,
            missing("color"),
        ),
        ("POST", &labels, label("new", "red"), 400, colorless.clone()),
        (
            "POST",
            &labels,
            label("new", "#12345g"),
            400,
            colorless.clone(),
        ),
        ("POST", &labels, label("taken", "#fff"), 409, taken.clone()),
        ("PUT", &path, json!({}), 400, json!({ "error": nothing })),
        ("PUT", &path, json!({ "color": "#ffff" }), 400, colorless),
        ("PUT", &path, json!({ "priority": -1 }), 400, unranked),
        (
            "PUT",
            &path,
            json!({ "new_name": " " }),
            400,
            message(json!({ "title": ["can't be blank"] })),
        ),
        ("PUT", &path, json!({ "new_name": "taken" }), 409, taken),
        (
            "PUT",
            &format!("{labels}/Own"),
            json!({ "color": "#fff" }),
            404,
            unknown.clone(),
        ),
        (
            "DELETE",
            &format!("{labels}/9999"),
            json!({}),
            404,
            unknown.clone(),
        ),
        ("GET", &format!("{labels}/%FF"), json!({}), 404, unknown),
    ] {
        let json = reporter.clone().with("Content-Type", "application/json");
        let answer = json.send(method, path, body.to_string().as_bytes());
        assert_eq!(
            (answer.status, answer.json()),
            (status, expected),
            "{method} {path} {body}"
        );
    }
    assert_eq!(reporter.get(&path).expect(200), own);
    assert_eq!(reporter.get(&labels).list().len(), 2);
}
