//! Images in a registry in memory: lists of groups, deletions by a job, and tokens by a form (`OAUTH-15`).

use serde_json::json;

use crate::registry::{PUSH, access, basic, claims, granted, list, request, start};
use crate::support::TestServer;
use crate::support::fake_registry::FakeRegistry;
use crate::support::polling::eventually;
use crate::support::rows::change;

/// Names of the tags of an image repository.
fn tags_of(server: &TestServer, tags: &str) -> String {
    let listed = server.developer().get(tags).list();
    let names = listed.iter().map(|tag| tag["name"].as_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rule_deletes_tags_in_the_background_once_an_hour() {
    let registry = FakeRegistry::start_with(&[
        ("latest", "2026-01-01T00:00:00Z"),
        ("v1", "2026-01-01T00:00:00Z"),
        ("v2", "2026-01-02T00:00:00Z"),
        ("v3", "2026-01-03T00:00:00Z"),
        ("v4", "2026-01-04T00:00:00Z"),
        ("w1", "2026-01-01T00:00:00Z"),
    ]);
    let server = TestServer::start_configured(&registry.configuration());
    let token = server.token("dev", "read_registry,write_registry");
    assert_eq!(granted(&server, &token), "pull,push");
    let id = &list(&server)[0]["id"];
    let tags = server.below_project(&format!("/registry/repositories/{id}/tags"));
    let delete = |query: &str| server.admin().delete(&format!("{tags}?{query}"));
    for query in [
        "",
        "keep_n=1",
        "name_regex_delete=",
        "name_regex_delete=%28",
        "name_regex_delete=.*&name_regex_keep=%28%3F%3Da%29",
        "name_regex_delete=.*&older_than=soon",
        "name_regex_delete=.*&keep_n=-1",
    ] {
        let refused = delete(query);
        assert_eq!(refused.status, 400, "{query}: {}", refused.text());
    }
    let rule = "name_regex_delete=v.*|latest&name_regex_keep=v2&keep_n=1&older_than=1d";
    assert_eq!(
        server.developer().delete(&format!("{tags}?{rule}")).status,
        403
    );
    assert_eq!(delete(rule).status, 202);
    // The newest match is kept, and so is what the second pattern matches.
    eventually("the job deletes the tags", || {
        (tags_of(&server, &tags) == "latest v2 v4 w1").then_some(())
    });
    let again = delete("name_regex_delete=.*");
    assert_eq!(again.status, 400);
    assert!(again.text().contains("hour"), "{}", again.text());
}

/// Images of a deleted project are deleted before another project gets their name.
#[test]
fn images_of_a_deleted_project_are_those_of_no_other() {
    let (server, registry) = start();
    let token = server.token("dev", "read_registry,write_registry");
    assert_eq!(granted(&server, &token), "pull,push");
    let old = "repository:acme/web-shop/old:pull,push";
    let insert = "INSERT INTO image_cleanups (name, requested_at, due_at) \
        VALUES ('acme/web-shop/old', 0, 4000000000000000)";
    change(&server, insert);
    let developer = basic(&server, "dev", &token);
    assert_eq!(access(&request(&developer, old)), "");
    change(&server, "UPDATE image_cleanups SET due_at = 0");
    // A rule for another repository wakes the job.
    let id = &list(&server)[0]["id"];
    let rule = format!("/registry/repositories/{id}/tags?name_regex_delete=none");
    let path = server.below_project(&rule);
    assert_eq!(server.admin().delete(&path).status, 202);
    eventually("the name is free", || {
        (access(&request(&developer, old)) == "acme/web-shop/old pull,push").then_some(())
    });
    let is_all = |sent: &String| {
        let claims = claims(sent.strip_prefix("Bearer ").unwrap());
        claims["access"][0]["name"] == "acme/web-shop/old"
    };
    assert!(registry.tokens().iter().any(is_all));
}

#[test]
fn a_group_lists_the_images_of_all_its_projects() {
    let (server, _registry) = start();
    let admin = server.admin();
    let acme = admin.get("/api/v4/groups/acme").expect(200)["id"].clone();
    let sub = json!({ "name": "sub", "path": "sub", "parent_id": acme });
    admin.post("/api/v4/groups", &sub).expect(201);
    server.create_project("acme/sub/inner", "private", "root");
    let root = server.token("root", "read_registry,write_registry");
    for scope in [PUSH, "repository:acme/sub/inner/a:pull,push"] {
        assert_ne!(access(&request(&basic(&server, "root", &root), scope)), "");
    }
    let path = "/api/v4/groups/acme/registry/repositories";
    let paths = |query: &str| {
        let listed = admin.get(&format!("{path}{query}")).list();
        let texts = listed.iter().map(|one| one["path"].as_str().unwrap());
        texts.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(paths(""), "acme/web-shop acme/sub/inner/a");
    assert_eq!(paths("?per_page=1&page=2"), "acme/sub/inner/a");
    let first = &admin.get(&format!("{path}?tags_count=true")).list()[0];
    assert_eq!(
        (&first["name"], &first["tags_count"]),
        (&json!(""), &json!(2))
    );
    let off = json!({ "container_registry_access_level": "disabled" });
    admin.put(&server.below_project(""), &off).expect(200);
    assert_eq!(paths(""), "acme/sub/inner/a");
    assert_eq!(server.stranger("mona").get(path).status, 404);
    assert_eq!(server.anonymous().get(path).status, 401);
}

/// The token request that containerd sends first.
#[test]
fn a_form_with_credentials_gets_a_token() {
    let (server, _registry) = start();
    let token = server.token("dev", "read_registry,write_registry");
    let post = |fields: &[(&str, &str)]| {
        let all = [
            ("service", "container_registry"),
            ("client_id", "containerd"),
        ];
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(all).extend_pairs(fields);
        form.append_pair("scope", "repository:acme/web-shop:pull,push");
        let caller = server
            .anonymous()
            .with("Content-Type", "application/x-www-form-urlencoded");
        caller.send("POST", "/jwt/auth", form.finish().as_bytes())
    };
    let password = |username, password| {
        post(&[
            ("grant_type", "password"),
            ("username", username),
            ("password", password),
            ("access_type", "offline"),
        ])
    };
    let answer = password("dev", &token);
    assert_eq!(access(&answer), "acme/web-shop pull,push");
    assert_eq!(answer.json().get("refresh_token"), None);
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", &token)];
    assert_eq!(access(&post(&refresh)), "acme/web-shop pull,push");
    let fields = json!({ "name": "host", "scopes": ["read_registry"] });
    let path = server.below_project("/deploy_tokens");
    let deploy = server.admin().post(&path, &fields).expect(201);
    let text = |name: &str| deploy[name].as_str().unwrap();
    let pulled = password(text("username"), text("token"));
    assert_eq!(access(&pulled), "acme/web-shop pull");
    assert_eq!(password("dev", "ghat_wrong").status, 401);
    assert_eq!(password("", &token).status, 400);
    assert_eq!(post(&[("grant_type", "client_credentials")]).status, 400);
    let json = server.anonymous().post("/jwt/auth", &json!({}));
    assert_eq!(json.status, 400, "{}", json.text());
}
