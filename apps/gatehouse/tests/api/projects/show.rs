//! `/api/v4/projects/:id`.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;

/// PATH-01.
#[test]
#[expect(clippy::too_many_lines, reason = "a project has as many fields")]
fn a_member_reads_the_whole_project() {
    let server = TestServer::start();
    let answer = server.developer().get(&server.below_project(""));
    let project = answer.expect(200);
    for field in ["created_at", "updated_at", "last_activity_at"] {
        assert!(is_timestamp(&project[field]), "{field}");
    }
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "_links": {
          "events": "{base}/api/v4/projects/1/events",
          "issues": "{base}/api/v4/projects/1/issues",
          "labels": "{base}/api/v4/projects/1/labels",
          "members": "{base}/api/v4/projects/1/members",
          "self": "{base}/api/v4/projects/1"
        },
        "allow_merge_on_skipped_pipeline": null,
        "analytics_access_level": "disabled",
        "archived": false,
        "auto_cancel_pending_pipelines": "enabled",
        "auto_devops_deploy_strategy": "continuous",
        "auto_devops_enabled": false,
        "autoclose_referenced_issues": false,
        "avatar_url": null,
        "build_timeout": 3600,
        "builds_access_level": "enabled",
        "can_create_merge_request_in": false,
        "ci_allow_fork_pipelines_to_run_in_parent_project": true,
        "ci_config_path": null,
        "ci_default_git_depth": 20,
        "ci_forward_deployment_enabled": true,
        "ci_job_token_scope_enabled": false,
        "ci_separated_caches": true,
        "container_registry_access_level": "enabled",
        "container_registry_enabled": true,
        "created_at": "[time]",
        "creator_id": 1,
        "default_branch": null,
        "description": "The shop that the samples are about",
        "description_html": "<p>The shop that the samples are about</p>\n",
        "emails_disabled": false,
        "empty_repo": true,
        "environments_access_level": "private",
        "feature_flags_access_level": "disabled",
        "forking_access_level": "disabled",
        "forks_count": 0,
        "group_runners_enabled": false,
        "http_url_to_repo": "{base}/acme/web-shop.git",
        "id": 1,
        "import_status": "none",
        "import_type": null,
        "import_url": null,
        "infrastructure_access_level": "disabled",
        "issues_access_level": "enabled",
        "issues_enabled": true,
        "jobs_enabled": true,
        "keep_latest_artifact": true,
        "last_activity_at": "[time]",
        "lfs_enabled": false,
        "merge_method": "merge",
        "merge_requests_access_level": "disabled",
        "merge_requests_enabled": false,
        "monitor_access_level": "enabled",
        "name": "Web shop",
        "name_with_namespace": "acme / Web shop",
        "namespace": {
          "avatar_url": null,
          "full_path": "acme",
          "id": 4,
          "kind": "group",
          "name": "acme",
          "parent_id": null,
          "path": "acme",
          "web_url": "{base}/groups/acme"
        },
        "only_allow_merge_if_all_discussions_are_resolved": false,
        "only_allow_merge_if_pipeline_succeeds": false,
        "open_issues_count": 0,
        "operations_access_level": "enabled",
        "packages_enabled": false,
        "pages_access_level": "disabled",
        "path": "web-shop",
        "path_with_namespace": "acme/web-shop",
        "permissions": {
          "group_access": {
            "access_level": 30,
            "notification_level": 3
          },
          "project_access": null
        },
        "printing_merge_request_link_enabled": false,
        "public_jobs": false,
        "readme_url": null,
        "releases_access_level": "disabled",
        "remove_source_branch_after_merge": null,
        "repository_access_level": "enabled",
        "request_access_enabled": false,
        "resolve_outdated_diff_discussions": false,
        "security_and_compliance_access_level": "disabled",
        "service_desk_address": null,
        "service_desk_enabled": false,
        "shared_runners_enabled": false,
        "shared_with_groups": [],
        "snippets_access_level": "enabled",
        "snippets_enabled": true,
        "squash_option": "default_off",
        "ssh_url_to_repo": "git@127.0.0.1:acme/web-shop.git",
        "star_count": 0,
        "suggestion_commit_message": null,
        "tag_list": [],
        "topics": [],
        "updated_at": "[time]",
        "visibility": "private",
        "web_url": "{base}/acme/web-shop",
        "wiki_access_level": "disabled",
        "wiki_enabled": false
      },
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "gatehouse-deprecated": "15-8-operations-access-level",
        "link": "<{base}/-/deprecations/15-8-operations-access-level>; rel=\"deprecation\"; type=\"text/html\"",
        "vary": "Origin, Gatehouse-Release",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

/// PATH-01, AUTH-10.
#[test]
fn anonymous_callers_read_the_simple_form_of_a_public_project() {
    let server = TestServer::start();
    let created = server.create_project("open/tools", "public", "dev");
    let answer = server
        .anonymous()
        .get(&format!("/api/v4/projects/{}", created["id"]));
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "avatar_url": null,
        "created_at": "[time]",
        "default_branch": null,
        "description": null,
        "forks_count": 0,
        "http_url_to_repo": "{base}/open/tools.git",
        "id": 2,
        "last_activity_at": "[time]",
        "name": "tools",
        "name_with_namespace": "open / tools",
        "namespace": {
          "avatar_url": null,
          "full_path": "open",
          "id": 6,
          "kind": "group",
          "name": "open",
          "parent_id": null,
          "path": "open",
          "web_url": "{base}/groups/open"
        },
        "path": "tools",
        "path_with_namespace": "open/tools",
        "readme_url": null,
        "ssh_url_to_repo": "git@127.0.0.1:open/tools.git",
        "star_count": 0,
        "tag_list": [],
        "topics": [],
        "web_url": "{base}/open/tools"
      },
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "gatehouse-deprecated": "15-8-operations-access-level",
        "link": "<{base}/-/deprecations/15-8-operations-access-level>; rel=\"deprecation\"; type=\"text/html\"",
        "vary": "Origin, Gatehouse-Release",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

/// API-03.
#[test]
fn a_project_is_found_by_number_and_by_encoded_path_in_any_case() {
    let server = TestServer::start();
    let id = server.project();
    for name in [
        id.as_str(),
        "acme%2Fweb-shop",
        "acme%2fweb-shop",
        "ACME%2FWeb-Shop",
        "%61cme%2Fweb%2Dshop",
    ] {
        let found = server.developer().get(&format!("/api/v4/projects/{name}"));
        assert_eq!(
            found.expect(200)["path_with_namespace"],
            "acme/web-shop",
            "{name}"
        );
    }
}

/// API-03. A path is decoded once: a doubly encoded one is another path, here of no project.
#[test]
fn an_escape_is_decoded_once() {
    let server = TestServer::start();
    let answer = server.developer().get("/api/v4/projects/acme%252Fweb-shop");
    answer.assert_is(404, &json!({ "message": "404 Project Not Found" }));
}

/// API-03, API-09.
#[test]
fn a_project_path_with_a_raw_slash_returns_404() {
    let server = TestServer::start();
    let answer = server.developer().get("/api/v4/projects/acme/web-shop");
    answer.assert_is(404, &json!({ "error": "404 Not Found" }));
}

/// API-03.
#[test]
fn unknown_project_ids_and_paths_return_404() {
    let server = TestServer::start();
    for name in [
        "web-shop",
        "acme",
        "0",
        "-1",
        "987654",
        "99999999999999999999",
        "acme%2Fnothing",
        "acme%2F",
        "%2Fweb-shop",
        "acme%2Fweb-shop%00",
        "acme%2F%FF",
    ] {
        let answer = server.admin().get(&format!("/api/v4/projects/{name}"));
        assert_eq!(answer.status, 404, "{name}");
        assert_eq!(answer.json()["message"], "404 Project Not Found", "{name}");
    }
}

/// API-16, AUTH-10. Hidden and missing look alike.
#[test]
fn a_private_project_does_not_exist_for_strangers() {
    let server = TestServer::start();
    let stranger = server.stranger("sam");
    for caller in [server.anonymous(), stranger] {
        for name in [server.project().as_str(), "acme%2Fweb-shop", "987654"] {
            let answer = caller.get(&format!("/api/v4/projects/{name}"));
            answer.assert_is(404, &json!({ "message": "404 Project Not Found" }));
        }
    }
}

/// API-16.
#[test]
fn an_internal_project_exists_for_everyone_who_is_signed_in() {
    let server = TestServer::start();
    let created = server.create_project("inner/tools", "internal", "dev");
    let path = format!("/api/v4/projects/{}", created["id"]);
    assert_eq!(server.anonymous().get(&path).status, 404);
    let seen = server.stranger("sam").get(&path).expect(200);
    assert_eq!(seen["visibility"], "internal");
    let nothing = json!({ "project_access": null, "group_access": null });
    assert_eq!(seen["permissions"], nothing);
}
