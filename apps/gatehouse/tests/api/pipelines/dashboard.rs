//! The dashboard of environments: `/api/v4/projects/:id/operations_dashboard`, `/api/v4/operations_dashboard` and the pages.

use serde_json::{Value, json};

use super::COMMIT;
use crate::support::{TestCaller, TestServer, rows};

/// Raises an alert of an environment.
fn raise(server: &TestServer, environment: &str, severity: &str) -> Value {
    server.raise(&json!({
        "title": format!("{severity} in {environment}"), "severity": severity,
        "service_environment_name": environment,
    }))
}

fn names(caller: &TestCaller, path: &str) -> Vec<String> {
    let listed = caller.get(path).list();
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_owned();
    listed.iter().map(name).collect()
}

/// Data of the dashboard.
struct DashboardRows {
    /// The latest deployment to production, which failed.
    failed: Value,
    /// The alert of an environment without an open one.
    resolved: Value,
}

/// Reports deployments, alerts and an error of several environments.
fn fill(server: &TestServer) -> DashboardRows {
    let developer = server.developer();
    let deploy = |environment: &str, status: &str, reference: &str| {
        let body = json!({
            "environment": environment, "status": status, "ref": reference, "tag": false, "sha": COMMIT,
        });
        developer
            .post(&server.below_project("/deployments"), &body)
            .expect(201)
    };
    deploy("production", "success", "main");
    let failed = deploy("production", "failed", "v2");
    let stopped = deploy("old", "success", "main")["environment"]["id"].clone();
    let stop = server.below_project(&format!("/environments/{stopped}/stop"));
    developer.post(&stop, &json!({})).expect(200);
    for severity in ["low", "critical", "high"] {
        raise(server, "production", severity);
    }
    raise(server, "Production", "info");
    raise(server, "old", "high");
    let over = raise(server, "quiet", "high");
    let path = format!("{}/{}", server.alerts(), over["iid"]);
    developer
        .put(&path, &json!({ "status": "resolved" }))
        .expect(200);
    let error = "INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, events, \
        users) SELECT 1, 900, 0, 'Boom', '', 40, 'rust', unixepoch() * 1000000, unixepoch() * 1000000, 1, 1; \
        INSERT INTO error_keys (project_id, group_key, error_id, explanation, first_seen, events, kept) \
        SELECT 1, x'00', id, '{}', 1, 1, 1 FROM errors WHERE iid = 900; \
        INSERT INTO error_tags (key_id, name, value, project_id, events, last_seen) \
        SELECT id, 'environment', 'edge', 1, 1, 1 FROM error_keys WHERE group_key = x'00'";
    rows::change(server, error);
    DashboardRows {
        failed,
        resolved: over,
    }
}

/// ALRT-12. Environments are those that CI systems register, and those that open alerts and new errors name.
#[test]
fn alerts_errors_and_deployments_meet_on_the_dashboard_of_environments() {
    let server = TestServer::start();
    let developer = server.developer();
    let failed = fill(&server).failed;
    // Names differ by case, and stopped environments are the last.
    let dashboard = server.below_project("/operations_dashboard");
    let order = ["Production", "edge", "production", "old"];
    assert_eq!(names(&developer, &dashboard), order);
    let listed = developer.get(&dashboard).list();
    let production = &listed[2];
    assert_eq!(production["environment"]["name"], "production");
    assert_eq!(
        production["open_alerts"],
        json!({ "critical": 1, "high": 1, "medium": 0, "low": 1, "info": 0, "unknown": 0 })
    );
    let last = &production["latest_deployment"];
    assert_eq!(
        (&last["id"], &last["status"], &last["ref"]),
        (&failed["id"], &json!("failed"), &json!("v2"))
    );
    let of = |row: &Value| (row["environment"].is_null(), row["new_errors"].clone());
    let expected = [(true, 0), (true, 1), (false, 0), (false, 0)];
    assert_eq!(
        listed.iter().map(of).collect::<Vec<_>>(),
        expected.map(|(is_null, count)| (is_null, json!(count)))
    );
    assert_eq!(production["open_incidents"], 0);
    let critical = format!(
        "{}?environment=production&severity=critical",
        server.alerts()
    );
    let alert = developer.get(&critical).list()[0]["iid"].clone();
    let incident = format!("{}/{alert}/incident", server.alerts());
    developer.post(&incident, &json!({})).expect(201);
    assert_eq!(developer.get(&dashboard).list()[2]["open_incidents"], 1);
    // Every page has the next one in its link.
    let mut walked = Vec::new();
    let mut next = Some(format!("{dashboard}?per_page=1"));
    while let Some(path) = next {
        let page = developer.get(&path);
        walked.extend(page.list().iter().map(|row| row["name"].clone()));
        let url = page.link("next");
        next = url.map(|url| url.strip_prefix(server.base_url()).unwrap().to_owned());
    }
    assert_eq!(walked, order);
    developer.get(&format!("{dashboard}?cursor=x")).expect(400);

    // Reporters see errors, but neither alerts nor the names that only alerts have.
    let reporter = server.reporter();
    assert_eq!(names(&reporter, &dashboard), ["edge", "production", "old"]);
    let listed = reporter.get(&dashboard).list();
    assert!(
        listed
            .iter()
            .all(|row| row["open_alerts"].is_null() && row["new_errors"].is_i64())
    );
    let of_projects = reporter.get("/api/v4/operations_dashboard").list();
    assert_eq!(of_projects[0]["path_with_namespace"], "acme/web-shop");
    assert_eq!(of_projects[0]["environments"], Value::Array(listed));
    server.anonymous().get(&dashboard).expect(404);
    // The list of alerts has the filter.
    let filtered = format!(
        "{}?environment=production&severity=critical",
        server.alerts()
    );
    assert_eq!(developer.get(&filtered).list().len(), 1);
    // Settings that hide environments hide the dashboard.
    hide(&server);
    assert_eq!(developer.get(&dashboard).status, 403);
    let of_projects = developer.get("/api/v4/operations_dashboard").list();
    assert!(of_projects.is_empty(), "{of_projects:?}");
}

/// Hides the environments of the project.
fn hide(server: &TestServer) {
    let hidden = json!({ "environments_access_level": "disabled" });
    server
        .admin()
        .put(&server.below_project(""), &hidden)
        .expect(200);
}

/// ALRT-12. The page of an alert leads to that of its environment, and that of an environment to its alerts.
#[test]
fn pages_of_environments_and_of_their_alerts_lead_to_each_other() {
    let server = TestServer::start();
    let over = fill(&server).resolved;
    let mut browser = server.signed_in("developer");
    let mut text = |path: &str| browser.open(path).expect_text(200);
    let page = text("/acme/web-shop/-/environments");
    let production = "/acme/web-shop/-/environments/1";
    for part in [
        format!("href=\"{production}\""),
        "href=\"/acme/web-shop/-/alert_management?environment=production&#38;severity=critical\""
            .to_owned(),
        "href=\"/acme/web-shop/-/environments/named?name=Production\"".to_owned(),
        "Not registered".to_owned(),
        "Stopped".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    let filtered =
        text("/acme/web-shop/-/alert_management?environment=production&severity=critical");
    assert!(
        filtered.contains("critical in production") && !filtered.contains("low in production"),
        "{filtered}"
    );
    let page = text(production);
    assert!(
        page.contains("critical in production") && page.contains("v2"),
        "{page}"
    );
    assert!(!page.contains("info in Production"), "{page}");
    let alert = text(&format!(
        "/acme/web-shop/-/alert_management/{}/details",
        over["iid"]
    ));
    let quiet = "/acme/web-shop/-/environments/named?name=quiet";
    assert!(alert.contains(&format!("href=\"{quiet}\"")), "{alert}");
    assert!(text(quiet).contains("No open alerts"));
    assert!(text("/acme/web-shop/-/environments/named?name=edge").contains("Boom"));
    let all = text("/dashboard/environments");
    assert!(all.contains(&format!("href=\"{production}\"")), "{all}");
    let missing = "/acme/web-shop/-/environments/named?name=missing";
    assert_eq!(browser.open(missing).status, 404);
    // Settings that hide environments hide the pages, and the section beside them.
    hide(&server);
    assert_eq!(browser.open(production).status, 404);
    let page = browser.open("/acme/web-shop/-/labels").expect_text(200);
    assert!(!page.contains("/-/environments"), "{page}");
}
