//! `/api/v4/projects/:id/jobs`.

use serde_json::json;

use super::{COMMIT, numbers};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

/// Five jobs of a pipeline, the first of which was retried.
fn reported(server: &TestServer) -> (TestCaller, String) {
    let developer = server.developer();
    let path = server.below_project(&format!("/statuses/{COMMIT}"));
    for (name, state) in [
        ("a", "failed"),
        ("b", "success"),
        ("c", "running"),
        ("d", "pending"),
        ("a", "running"),
    ] {
        let body = json!({ "state": state, "name": name, "ref": "main", "stage": "test" });
        developer.post(&path, &body).expect(201);
    }
    (developer, server.below_project("/jobs"))
}

/// Fields of a job that v4 clients read.
#[test]
fn a_job_is_shown_with_its_pipeline() {
    let server = TestServer::start();
    let (developer, jobs) = reported(&server);
    let script = r#"
        GET /2
        200 {"id": 2, "status": "success", "stage": "test", "name": "b", "ref": "main", "tag": false, "coverage": null, "allow_failure": false, "created_at": "*", "started_at": null, "finished_at": "*", "erased_at": null, "duration": null, "queued_duration": null, "user": {"username": "*", "...": 1}, "commit": null, "pipeline": {"id": 1, "iid": 1, "status": "running", "...": 1}, "failure_reason": null, "web_url": "*", "artifacts": [], "runner": null, "artifacts_expire_at": null, "tag_list": []}
        GET /9
        404 {"message": "404 Job Not Found"}
        "#;
    play(&developer, &jobs, script);
}

#[test]
fn jobs_are_filtered_by_scope() {
    let server = TestServer::start();
    let (developer, jobs) = reported(&server);
    for (query, expected) in [
        ("", &[5, 4, 3, 2, 1][..]),
        ("scope=running", &[5, 3]),
        ("scope[]=pending&scope[]=failed", &[4, 1]),
        ("scope[]=manual", &[]),
        ("scope[]=manual&scope[]=success", &[2]),
        ("page=2&per_page=2", &[3, 2]),
    ] {
        let found = numbers(&developer, &format!("{jobs}?{query}"), "id");
        assert_eq!(found, expected, "{query}");
    }
    let refused = developer.get(&format!("{jobs}?scope=gone"));
    refused.assert_is(
        400,
        &json!({ "error": "scope does not have a valid value" }),
    );
    let of_pipeline = server.below_project("/pipelines/1/jobs");
    for (query, expected) in [
        ("", &[5, 4, 3, 2][..]),
        ("include_retried=true", &[5, 4, 3, 2, 1]),
        ("scope=running", &[5, 3]),
    ] {
        let found = numbers(&developer, &format!("{of_pipeline}?{query}"), "id");
        assert_eq!(found, expected, "{query}");
    }
    let unknown = developer.get(&server.below_project("/pipelines/9/jobs"));
    unknown.assert_is(404, &json!({ "message": "404 Pipeline Not Found" }));
}

/// PAGE-05, PAGE-06: by id, descending, and with a link only to the next page.
#[test]
fn jobs_are_walked_by_id() {
    let server = TestServer::start();
    let (developer, jobs) = reported(&server);
    let mut next = Some(format!(
        "{jobs}?pagination=keyset&order_by=id&sort=desc&per_page=2"
    ));
    let mut walked = Vec::new();
    while let Some(path) = next {
        let answer = developer.get(&path);
        let listed = answer.list();
        walked.extend(listed.iter().map(|job| job["id"].as_i64().unwrap()));
        let link = answer.header("link").map(str::to_owned);
        assert_eq!(answer.header("x-total"), None);
        next = link.map(|link| {
            let (address, relation) = link.split_once(">; ").unwrap();
            assert_eq!(relation, "rel=\"next\"");
            let address = address.trim_start_matches('<');
            address.strip_prefix(server.base_url()).unwrap().to_owned()
        });
    }
    assert_eq!(walked, [5, 4, 3, 2, 1]);
    for order in ["order_by=id&sort=asc", "order_by=name&sort=desc"] {
        let refused = developer.get(&format!("{jobs}?pagination=keyset&{order}"));
        assert_eq!(refused.status, 405, "{order}");
    }
    let anonymous = server
        .anonymous()
        .get(&format!("{jobs}?pagination=keyset&order_by=id&sort=desc"));
    assert_eq!(anonymous.status, 404);
}

/// Parameters without effect are refused.
#[test]
fn the_link_of_keyset_pages_needs_keyset_paging() {
    let server = TestServer::start();
    let list = |query: &str| {
        let path = server.below_project(&format!("/jobs?{query}"));
        server.developer().get(&path)
    };
    let refused = list("id_before=7").expect(400);
    let text = refused["error"].as_str().unwrap();
    assert!(text.contains("pagination=keyset"), "{text}");
    list("id_before=null").expect(400);
    list("pagination=keyset&order_by=id&sort=desc&id_before=x").expect(400);
    list("pagination=keyset&order_by=id&sort=desc&id_before=7").expect(200);
}
