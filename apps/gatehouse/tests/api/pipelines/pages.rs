//! The pages at `web_url` of pipelines and jobs.

use serde_json::json;

use super::COMMIT;
use crate::support::TestServer;

/// API-16. Pipelines are visible to those who may see the project, jobs to Reporters and up, and neither to strangers.
#[test]
fn web_urls_of_pipelines_and_jobs_open_a_page_for_reporters() {
    let server = TestServer::start();
    let developer = server.developer();
    let status = server.below_project(&format!("/statuses/{COMMIT}"));
    for (name, link) in [
        ("lint", "https://ci.example/7"),
        ("unit", "javascript:alert(1)"),
    ] {
        let body = json!({ "state": "failed", "name": name, "ref": "main", "target_url": link });
        developer.post(&status, &body).expect(201);
    }
    let path_of = |path: &str| {
        let shown = developer.get(&server.below_project(path)).expect(200);
        let url = shown["web_url"].as_str().unwrap().to_owned();
        url.strip_prefix(server.base_url()).unwrap().to_owned()
    };
    let mut reporter = server.signed_in("reporter");
    let mut anybody = server.browser();
    for path in [path_of("/pipelines/1"), path_of("/jobs/2")] {
        let page = reporter.open(&path).expect_text(200);
        for part in [
            "Pipeline #1",
            "lint",
            "unit",
            COMMIT,
            "href=\"https://ci.example/7\"",
        ] {
            assert!(page.contains(part), "{path}: {part} in {page}");
        }
        assert!(!page.contains("javascript:"), "{page}");
        assert_eq!(
            page.contains("aria-current=\"true\""),
            path.contains("/jobs/")
        );
        assert_eq!(anybody.open(&path).status, 303, "{path}");
        assert_eq!(server.anonymous().get(&path).status, 404, "{path}");
    }
    for path in ["/pipelines/9", "/jobs/9", "/jobs/x"] {
        let path = format!("/acme/web-shop/-{path}");
        assert_eq!(reporter.open(&path).status, 404, "{path}");
    }
}

/// In a public project visitors can see the pipeline, but not its jobs.
#[test]
fn jobs_are_not_shown_to_visitors_of_a_public_project() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let body = json!({ "state": "running", "name": "secret-job", "ref": "main" });
    let path = format!("/api/v4/projects/open%2Ftools/statuses/{COMMIT}");
    server.developer().post(&path, &body).expect(201);
    let page = server.browser().open("/open/tools/-/pipelines/1");
    assert!(!page.expect_text(200).contains("secret-job"));
    assert_eq!(server.anonymous().get("/open/tools/-/jobs/1").status, 404);
}
