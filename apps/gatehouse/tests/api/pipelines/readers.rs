//! Project settings that limit the readers of pipelines, jobs and environments.

use std::sync::Arc;

use actix_web::http::Method;
use gatehouse::areas::api_help::declarations;
use serde_json::json;
use web_conventions::operations::Declaration;

use super::COMMIT;
use crate::support::{TestCaller, TestServer};

/// A feature whose readers a setting limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitedFeature {
    Pipelines,
    Jobs,
    Environments,
}

/// A public project with one resource of each feature, and callers with decreasing rights.
struct ReadersFixture {
    server: TestServer,
    project: String,
    maintainer: TestCaller,
    readers: [(&'static str, TestCaller); 4],
}

impl ReadersFixture {
    fn new() -> Self {
        let server = TestServer::start();
        server.create_project("open/tools", "public", "dev");
        let project = "/api/v4/projects/open%2Ftools".to_owned();
        let maintainer = server.developer();
        let status = json!({ "state": "running", "name": "build", "ref": "main" });
        maintainer
            .post(&format!("{project}/statuses/{COMMIT}"), &status)
            .expect(201);
        let deployment = json!({
            "environment": "live", "sha": COMMIT, "ref": "main", "tag": false, "status": "success",
        });
        maintainer
            .post(&format!("{project}/deployments"), &deployment)
            .expect(201);
        let member = |name: &str, level: i64| {
            let caller = server.stranger(name);
            let member = json!({ "username": name, "access_level": level });
            maintainer
                .post(&format!("{project}/members"), &member)
                .expect(201);
            caller
        };
        let readers = [
            ("reporter", member("hugo", 20)),
            ("guest", member("gustav", 10)),
            ("stranger", server.stranger("stefan")),
            ("anonymous", server.anonymous()),
        ];
        Self {
            server,
            project,
            maintainer,
            readers,
        }
    }

    /// Statuses that the readers get for a path of the project.
    fn statuses(&self, path: &str) -> [u16; 4] {
        let path = format!("{}{path}", self.project);
        self.readers
            .each_ref()
            .map(|(_, caller)| caller.get(&path).status)
    }

    fn set(&self, settings: &serde_json::Value) {
        self.maintainer.put(&self.project, settings).expect(200);
    }
}

/// Every reading operation of the area, with its feature. A new operation fails the test until it is added.
fn reads() -> Vec<(String, LimitedFeature)> {
    let declared = declarations();
    let of_area = |declared: &&Arc<Declaration>| {
        let path = declared.path;
        let parts = [
            "/pipelines",
            "/jobs",
            "/statuses",
            "/environments",
            "/deployments",
        ];
        path.starts_with("/api/v4/projects/{id}/") && parts.iter().any(|part| path.contains(part))
    };
    let reads = declared
        .iter()
        .filter(of_area)
        .filter(|one| one.method == Method::GET && one.id != "listPipelineVariables");
    reads
        .map(|one| {
            let path = one.path.trim_start_matches("/api/v4/projects/{id}");
            let feature = if path.contains("/jobs") {
                LimitedFeature::Jobs
            } else if path.contains("/environments") || path.contains("/deployments") {
                LimitedFeature::Environments
            } else {
                LimitedFeature::Pipelines
            };
            let path = path.replace("{sha}", COMMIT);
            let mut parts = path
                .split('/')
                .map(|part| if part.starts_with('{') { "1" } else { part });
            let first = parts.next().unwrap_or_default().to_owned();
            let path = parts.fold(first, |path, part| format!("{path}/{part}"));
            (path, feature)
        })
        .collect()
}

/// Every operation obeys the settings, for every reader.
#[test]
fn the_settings_of_a_project_choose_the_readers_of_its_features() {
    use LimitedFeature::{Environments, Jobs, Pipelines};
    let fixture = ReadersFixture::new();
    let reads = reads();
    assert_eq!(reads.len(), 10, "{reads:?}");
    let everybody = [200, 200, 200, 200];
    let reporters = [200, 403, 403, 401];
    let members = [200, 200, 403, 401];
    let nobody = [403, 403, 403, 403];
    for (settings, expected) in [
        (
            json!({ "name": "Tools" }),
            [everybody, reporters, reporters],
        ),
        (
            json!({ "public_jobs": true }),
            [everybody, everybody, reporters],
        ),
        (
            json!({ "builds_access_level": "private" }),
            [members, members, reporters],
        ),
        (
            json!({ "public_builds": false }),
            [members, reporters, reporters],
        ),
        (
            json!({ "environments_access_level": "enabled" }),
            [members, reporters, everybody],
        ),
        (
            json!({ "jobs_enabled": false }),
            [nobody, nobody, everybody],
        ),
        (
            json!({ "environments_access_level": "disabled" }),
            [nobody, nobody, nobody],
        ),
    ] {
        fixture.set(&settings);
        for (path, feature) in &reads {
            let expected = match feature {
                Pipelines => expected[0],
                Jobs => expected[1],
                Environments => expected[2],
            };
            assert_eq!(fixture.statuses(path), expected, "{path} with {settings}");
        }
    }
}

/// Reports to a disabled feature are refused, and earlier ones reappear when it is enabled.
#[test]
fn reports_to_a_disabled_feature_are_rejected_until_it_is_enabled() {
    let fixture = ReadersFixture::new();
    let reports = [
        (
            format!("/statuses/{COMMIT}"),
            json!({ "state": "success", "name": "build", "ref": "main" }),
        ),
        ("/pipeline".to_owned(), json!({ "ref": "main" })),
        ("/environments".to_owned(), json!({ "name": "test" })),
        (
            "/deployments".to_owned(),
            json!({ "environment": "live", "sha": COMMIT, "ref": "main", "tag": false, "status": "success" }),
        ),
    ];
    let report = |expected: u16| {
        for (path, body) in &reports {
            let path = format!("{}{path}", fixture.project);
            let answer = fixture.maintainer.post(&path, body);
            assert_eq!(answer.status, expected, "{path}: {}", answer.text());
        }
    };
    fixture.set(
        &json!({ "builds_access_level": "disabled", "environments_access_level": "disabled" }),
    );
    report(403);
    fixture
        .set(&json!({ "builds_access_level": "private", "environments_access_level": "private" }));
    let listed = fixture
        .maintainer
        .get(&format!("{}/jobs", fixture.project))
        .list();
    assert_eq!(listed.len(), 1);
    report(201);
}

/// The pages obey the settings as the API does.
#[test]
fn the_pages_of_pipelines_and_jobs_obey_the_settings() {
    let fixture = ReadersFixture::new();
    let status = |path: &str| {
        let path = format!("/open/tools/-/{path}");
        fixture.server.anonymous().get(&path).status
    };
    assert_eq!([status("pipelines/1"), status("jobs/1")], [200, 404]);
    fixture.set(&json!({ "public_jobs": true }));
    assert_eq!([status("pipelines/1"), status("jobs/1")], [200, 200]);
    fixture.set(&json!({ "builds_access_level": "private" }));
    assert_eq!([status("pipelines/1"), status("jobs/1")], [404, 404]);
}
