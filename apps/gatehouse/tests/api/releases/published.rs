//! The schedule, as JSON, pages, a feed and a calendar.

use serde_json::Value;

use super::HEADER;
use crate::support::TestServer;

fn ids(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|record| record["id"].as_str().unwrap())
        .collect()
}

#[test]
fn anonymous_callers_list_deprecations_and_removals_by_release() {
    let server = TestServer::start();
    let anybody = server.anonymous();
    let all = anybody.get("/api/v4/deprecations").expect(200);
    assert!(ids(&all).contains(&"15-8-deployments-updated-at"));
    let release = anybody.get("/api/v4/deprecations/16.0").expect(200);
    assert_eq!(
        (&release["release"], &release["released_on"]),
        (&"16.0".into(), &"2023-05-22".into())
    );
    assert!(ids(&release["removed"]).contains(&"15-8-deployments-updated-at"));
    assert!(!ids(&release["removed"]).contains(&"14-7-merged-by"));
    let next = anybody.get("/api/v4/deprecations/v5").expect(200);
    assert!(ids(&next["removed"]).contains(&"14-7-merged-by"));
    for unknown in ["15.12", "soon", "9.9"] {
        anybody
            .get(&format!("/api/v4/deprecations/{unknown}"))
            .expect(404);
    }
}

#[test]
fn deprecations_are_filtered_by_the_query() {
    let server = TestServer::start();
    let list = |query: &str| {
        server
            .anonymous()
            .get(&format!("/api/v4/deprecations?{query}"))
    };
    let every = |query: &str, is_meant: &dyn Fn(&Value) -> bool| {
        let found = list(query).list();
        assert!(!found.is_empty() && found.iter().all(is_meant), "{query}");
    };
    every("breaking=true", &|record| record["breaking"] == true);
    every("kind=graphql", &|record| record["kind"] == "graphql");
    every("status=deprecated", &|record| {
        record["status"] == "deprecated"
    });
    every("rest=true", &|record| {
        record["touches"].to_string().contains("/api/")
    });
    let found = list("search=deployments%20updated_at").expect(200);
    assert_eq!(ids(&found), ["15-8-deployments-updated-at"]);
    list("kind=nothing").expect(400);
    let at = |release| {
        let caller = server.anonymous().with(HEADER, release);
        let found = caller.get("/api/v4/deprecations?search=deployments%20updated_at");
        found.expect(200)[0]["status"].clone()
    };
    assert_eq!(
        ["15.7", "15.8", "16.0"].map(at),
        ["current", "deprecated", "removed"]
    );
}

#[test]
fn deprecation_pages_are_filterable_and_link_releases_and_records() {
    let server = TestServer::start();
    let mut browser = server.browser();
    let list = browser.open("/-/deprecations").expect_text(200);
    for part in [
        "/-/deprecations/releases/16.0",
        "/-/deprecations/15-8-deployments-updated-at",
        "Breaking",
    ] {
        assert!(list.contains(part), "{part}");
    }
    let position = |text: &str| list.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(position("removal-17-0") < position("removal-16-0"));
    let narrowed = browser
        .open("/-/deprecations?search=deployments&breaking=true")
        .expect_text(200);
    assert!(
        narrowed.contains("15-8-deployments-updated-at") && !narrowed.contains("14-7-merged-by")
    );
    let nothing = browser
        .open("/-/deprecations?search=nothinghasthis")
        .expect_text(200);
    assert!(nothing.contains("No record matches"));
    let rest = browser.open("/-/deprecations?rest=true").expect_text(200);
    assert!(rest.contains("14-7-merged-by") && !rest.contains("15-5-note-confidential"));
    let release = browser
        .open("/-/deprecations/releases/16.0")
        .expect_text(200);
    assert!(release.contains("22 May 2023") && release.contains("15-8-private-profile-null"));
    let record = browser
        .open("/-/deprecations/15-8-deployments-updated-at")
        .expect_text(200);
    assert!(record.contains("GET /api/v4/projects/:id/deployments"));
    for unknown in ["/-/deprecations/none", "/-/deprecations/releases/15.12"] {
        assert_eq!(browser.open(unknown).status, 404);
    }
}

#[test]
fn the_feed_and_the_calendar_have_every_removal() {
    let server = TestServer::start();
    let feed = server.anonymous().get("/-/deprecations.atom");
    assert_eq!(
        feed.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    assert!(feed.text().contains("15-8-deployments-updated-at</id>"));
    let calendar = server.anonymous().get("/-/deprecations.ics");
    assert_eq!(
        calendar.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    let text = calendar.text();
    assert!(
        text.starts_with("BEGIN:VCALENDAR\r\n") && text.contains("DTSTART;VALUE=DATE:20230522\r\n")
    );
}

#[test]
fn the_document_of_the_api_is_that_of_the_release() {
    let server = TestServer::start();
    let document = |release: &str| {
        let caller = server.anonymous().with(HEADER, release);
        caller.get("/api/v4/openapi.json").expect(200)
    };
    let keys = "/api/v4/projects/{id}/error_tracking/client_keys";
    assert!(document("14.2")["paths"].get(keys).is_none());
    let newest = server.anonymous().get("/api/v4/openapi.json").expect(200);
    assert_eq!(newest["paths"][keys]["get"]["x-since"], "14.3");
    let project =
        &newest["components"]["schemas"]["WholeProject"]["properties"]["operations_access_level"];
    assert_eq!(
        (&project["deprecated"], &project["x-removal"]),
        (&true.into(), &"undated".into())
    );
    let preview = document("v5");
    let project = &preview["components"]["schemas"]["WholeProject"]["properties"];
    assert!(project.get("operations_access_level").is_none() && project.get("name").is_some());
}
