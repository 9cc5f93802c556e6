//! Open alerts of several projects: those of a person and those of a group.

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

const OWN: &str = "/api/v4/alert_management_alerts";

/// Project of a new group, or of a subgroup of it, with an alert endpoint.
struct OtherProject {
    group: Value,
    path: String,
    sender: TestCaller,
    intake: String,
}

impl OtherProject {
    fn create(server: &TestServer, group: &Value, name: &str) -> Self {
        let admin = server.admin();
        let project = json!({ "name": name, "namespace_id": group["id"] });
        let project = admin.post("/api/v4/projects", &project).expect(201);
        let endpoints = format!(
            "/api/v4/projects/{}/alert_management/integrations",
            project["id"]
        );
        let created = admin.post(&endpoints, &json!({ "name": "In" })).expect(201);
        let url = url::Url::parse(created["url"].as_str().unwrap()).unwrap();
        Self {
            group: group.clone(),
            path: format!("/api/v4/projects/{}", project["id"]),
            sender: TestCaller::bearer(server.base_url(), created["token"].as_str().unwrap()),
            intake: url.path().to_owned(),
        }
    }

    /// Raises an alert, and returns its number.
    fn raise(&self, title: &str, severity: &str, start: &str) -> Value {
        let alert = json!({ "title": title, "severity": severity, "start_time": start });
        let raised = self.sender.post(&self.intake, &alert).expect(200);
        raised[0]["iid"].clone()
    }

    fn add_member(&self, server: &TestServer, user: &TestCaller, level: u8) {
        let id = user.get("/api/v4/user").expect(200)["id"].clone();
        let member = json!({ "user_id": id, "access_level": level });
        let members = format!("{}/members", self.path);
        server.admin().post(&members, &member).expect(201);
    }
}

fn group(server: &TestServer, path: &str, parent: Option<&Value>) -> Value {
    let mut body = json!({ "name": path, "path": path, "visibility": "public" });
    if let Some(parent) = parent {
        body["parent_id"] = parent["id"].clone();
    }
    server.admin().post("/api/v4/groups", &body).expect(201)
}

fn titles(alerts: &[Value]) -> Vec<&str> {
    let titles = alerts.iter().map(|alert| alert["title"].as_str().unwrap());
    titles.filter(|title| title.starts_with("Alert")).collect()
}

/// Titles of the alerts of a list, page by page.
fn listed(caller: &TestCaller, path: &str) -> Vec<String> {
    let separator = if path.contains('?') { '&' } else { '?' };
    let mut next = Some(format!("{path}{separator}per_page=2"));
    let mut all = Vec::new();
    while let Some(url) = next {
        let page = caller.get(&url);
        let alerts = page.list();
        assert!(alerts.len() <= 2, "{alerts:?}");
        all.extend(titles(&alerts).into_iter().map(str::to_owned));
        next = page.link("next");
    }
    all
}

#[test]
fn open_alerts_of_several_projects_are_listed_for_those_who_may_read_them() {
    let server = TestServer::start();
    let upper = group(&server, "upper", None);
    let lower = group(&server, "lower", Some(&upper));
    let one = OtherProject::create(&server, &upper, "One");
    let two = OtherProject::create(&server, &lower, "Two");
    one.raise("Alert late", "critical", "2026-01-02T00:00:00Z");
    two.raise("Alert early", "critical", "2026-01-01T00:00:00Z");
    two.raise("Alert low", "low", "2026-01-01T00:00:00Z");
    let known = one.raise("Alert known", "high", "2026-01-01T00:00:00Z");
    let over = two.raise("Alert over", "critical", "2026-01-01T00:00:00Z");
    let admin = server.admin();
    for (project, iid, status) in [(&one, &known, "acknowledged"), (&two, &over, "resolved")] {
        let path = format!("{}/alert_management_alerts/{iid}", project.path);
        admin.put(&path, &json!({ "status": status })).expect(200);
    }
    let all = ["Alert early", "Alert late", "Alert known", "Alert low"];
    let of = |group: &Value| format!("/api/v4/groups/{}/alert_management_alerts", group["id"]);
    let zoe = server.stranger("zoe");
    two.add_member(&server, &zoe, 30);
    one.add_member(&server, &zoe, 20);
    let of_two = ["Alert early", "Alert low"];
    assert_eq!(listed(&admin, &of(&upper)), all);
    assert_eq!(listed(&admin, &of(&two.group)), of_two);
    // A Reporter reads no alerts.
    assert_eq!(listed(&zoe, OWN), of_two);
    assert_eq!(listed(&zoe, &of(&upper)), of_two);
    assert_eq!(listed(&zoe, &of(&one.group)), of_two);
    assert_eq!(listed(&server.developer(), &of(&upper)), [""; 0]);
    assert_eq!(listed(&server.anonymous(), &of(&upper)), [""; 0]);
    assert_eq!(server.anonymous().get(OWN).status, 401);
    for (query, expected) in [
        ("status=acknowledged", &["Alert known"][..]),
        (
            "status=triggered",
            &["Alert early", "Alert late", "Alert low"],
        ),
        ("severity=low,high", &["Alert known", "Alert low"]),
        (
            "status=triggered&severity=critical",
            &["Alert early", "Alert late"],
        ),
    ] {
        let path = format!("{}?{query}", of(&upper));
        assert_eq!(listed(&admin, &path), expected, "{query}");
    }
    for wrong in [
        "status=resolved",
        "severity=worst",
        "cursor=7",
        "per_page=0",
    ] {
        let answer = admin.get(&format!("{OWN}?{wrong}"));
        assert_eq!(answer.status, 400, "{wrong}");
    }
    let first = &zoe.get(OWN).list()[0];
    let page = "/upper/lower/two/-/alert_management/1/details";
    assert!(
        first["web_url"].as_str().unwrap().ends_with(page),
        "{first}"
    );
}

#[test]
fn pages_list_the_open_alerts_of_a_group_and_of_a_person() {
    let server = TestServer::start();
    let upper = group(&server, "upper", None);
    let one = OtherProject::create(&server, &upper, "One");
    for number in 0..22 {
        let start = format!("2026-01-01T00:00:{number:02}Z");
        one.raise(&format!("Alert <b>{number}</b>"), "high", &start);
    }
    one.raise("Alert unimportant", "low", "2026-01-01T00:00:00Z");
    let mut admin = server.signed_in("admin");
    let first = admin.open("/groups/upper/-/alerts").expect_text(200);
    assert!(first.contains("Alert &#60;b&#62;0&#60;/b&#62;"), "{first}");
    assert!(first.contains("href=\"/upper/one/-/alert_management/1/details\""));
    assert!(!first.contains("Alert unimportant"));
    let next = first
        .split("href=\"")
        .filter_map(|part| part.split('"').next());
    let next = next.filter(|href| href.contains("cursor=")).last();
    let second = admin
        .open(&next.unwrap().replace("&#38;", "&"))
        .expect_text(200);
    assert!(second.contains("Alert unimportant") && second.contains("21&#60;/b&#62;"));
    let low = admin
        .open("/groups/upper/-/alerts?severity=low")
        .expect_text(200);
    assert!(low.contains("Alert unimportant") && !low.contains("&#60;b&#62;"));
    // Strangers see the public group, but none of its alerts.
    let page = server
        .browser()
        .open("/groups/upper/-/alerts")
        .expect_text(200);
    assert!(page.contains("No open alerts") && !page.contains("Alert &#60;"));
    let mut developer = server.signed_in("developer");
    let own = developer
        .open("/dashboard/alerts?status=acknowledged")
        .expect_text(200);
    assert!(own.contains("No open alerts"), "{own}");
    assert_eq!(
        developer.open("/dashboard/alerts?status=resolved").status,
        400
    );
}
