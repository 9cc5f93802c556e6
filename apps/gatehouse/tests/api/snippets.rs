//! Snippets of users and projects (`PATH-06`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer, pages};

const SNIPPETS: &str = "/api/v4/snippets";

fn snippet(title: &str, visibility: &str) -> Value {
    json!({ "title": title, "file_name": "a.sh", "content": "echo\r\n", "visibility": visibility })
}

/// Creates a snippet and returns its path.
fn create(by: &TestCaller, snippets: &str, body: &Value) -> String {
    let created = by.post(snippets, body).expect(201);
    format!("{snippets}/{}", created["id"])
}

fn titles(by: &TestCaller, path: &str) -> Vec<String> {
    pages::column(by, path, "title")
}

/// PATH-06, API-06, API-15.
#[test]
fn a_snippet_is_created_listed_updated_and_deleted() {
    let server = TestServer::start();
    let dev = server.developer();
    let created = dev
        .post(SNIPPETS, &snippet("Script", "internal"))
        .expect(201);
    let (id, base) = (&created["id"], server.base_url());
    let web_url = format!("{base}/-/snippets/{id}");
    let path = format!("{SNIPPETS}/{id}");
    for (name, expected) in [
        ("title", json!("Script")),
        ("file_name", json!("a.sh")),
        ("description", Value::Null),
        ("visibility", json!("internal")),
        ("project_id", Value::Null),
        ("web_url", json!(web_url)),
        ("raw_url", json!(format!("{web_url}/raw"))),
        ("ssh_url_to_repo", Value::Null),
        ("http_url_to_repo", Value::Null),
        (
            "files",
            json!([{ "path": "a.sh", "raw_url": format!("{web_url}/raw/main/a.sh") }]),
        ),
    ] {
        assert_eq!(created[name], expected, "{name}");
    }
    assert_eq!(created["author"]["username"], "dev");
    assert_eq!(dev.get(&path).expect(200), created);
    assert_eq!(titles(&dev, SNIPPETS), ["Script"]);
    assert_eq!(titles(&server.admin(), "/api/v4/snippets/all"), ["Script"]);
    // Several files, changed in order.
    let files = json!([
        { "action": "create", "file_path": "dir/b c.txt", "content": "two" },
        { "action": "move", "previous_path": "a.sh", "file_path": "z.sh" },
        { "action": "update", "file_path": "z.sh", "content": "three" },
    ]);
    let body = json!({ "description": "Two files", "files": files });
    let changed = dev.put(&path, &body).expect(200);
    assert_eq!(changed["description"], "Two files");
    let paths: Vec<&Value> = changed["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["path"])
        .collect();
    assert_eq!(paths, ["z.sh", "dir/b c.txt"]);
    for (end, expected) in [
        ("raw", "three"),
        ("files/main/z.sh/raw", "three"),
        ("files/HEAD/dir%2Fb%20c.txt/raw", "two"),
    ] {
        let raw = dev.get(&format!("{path}/{end}"));
        assert_eq!(raw.expect_text(200), expected, "{end}");
    }
    let delete = json!({ "files": [{ "action": "delete", "file_path": "z.sh" }] });
    dev.put(&path, &delete).expect(200);
    let only = json!({ "content": "last", "file_name": "last.txt", "description": "" });
    let changed = dev.put(&path, &only).expect(200);
    assert_eq!(
        (&changed["file_name"], &changed["description"]),
        (&json!("last.txt"), &Value::Null)
    );
    let old = dev
        .clone()
        .with("If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT");
    assert_eq!(old.delete(&path).status, 412);
    assert_eq!(dev.delete(&path).status, 204);
    assert_eq!(dev.get(&path).status, 404);
    assert_eq!(titles(&dev, SNIPPETS), [""; 0]);
}

/// Text of users is never run: not as a page, a script or a style.
#[test]
fn raw_text_is_plain_and_runs_nothing() {
    let server = TestServer::start();
    let dev = server.developer();
    let hostile = "<script>alert(1)</script>\u{202e}\n<!doctype html>";
    let mut body = snippet("<b>", "public");
    body["content"] = json!(hostile);
    let path = create(&dev, SNIPPETS, &body);
    let web = path.replace("/api/v4/", "/-/");
    for path in [
        format!("{path}/raw"),
        format!("{path}/files/main/a.sh/raw"),
        format!("{web}/raw"),
        format!("{web}/raw/main/a.sh"),
    ] {
        let raw = server.anonymous().get(&path);
        assert_eq!(raw.expect_text(200), hostile, "{path}");
        for (name, value) in [
            ("content-type", "text/plain; charset=utf-8"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("content-disposition", "inline"),
        ] {
            assert_eq!(raw.header(name), Some(value), "{path}");
        }
    }
    for missing in [
        format!("{path}/files/main/b.sh/raw"),
        format!("{path}/files/other/a.sh/raw"),
        format!("{web}/raw/other/a.sh"),
        format!("{web}/raw/main/b.sh"),
    ] {
        assert_eq!(dev.get(&missing).status, 404, "{missing}");
    }
}

/// AUTH-10, AUTH-11.
#[test]
fn visibility_decides_who_sees_personal_snippets() {
    let server = TestServer::start();
    let (owner, other, admin) = (server.developer(), server.stranger("zoe"), server.admin());
    let anonymous = server.anonymous();
    let words = ["private", "internal", "public"];
    let paths = words.map(|word| create(&owner, SNIPPETS, &snippet(word, word)));
    let change = json!({ "title": "Changed" });
    for (caller, seen, changed) in [
        (&anonymous, [404, 404, 200], [401, 401, 401]),
        (&other, [404, 200, 200], [404, 403, 403]),
        (&admin, [200, 200, 200], [200, 200, 200]),
    ] {
        for (index, path) in paths.iter().enumerate() {
            let raw = format!("{path}/raw");
            assert_eq!(caller.get(path).status, seen[index], "{path}");
            assert_eq!(caller.get(&raw).status, seen[index], "{path}");
            assert_eq!(caller.put(path, &change).status, changed[index], "{path}");
        }
    }
    for path in &paths {
        owner.put(path, &json!({ "title": path })).expect(200);
        assert!([403, 404].contains(&other.delete(path).status));
        assert_eq!(anonymous.delete(path).status, 401);
    }
    let [private, internal, public] = paths;
    let all = "/api/v4/snippets/all";
    for (caller, list, expected) in [
        (&owner, SNIPPETS, vec![&public, &internal, &private]),
        (&other, SNIPPETS, vec![]),
        (&owner, all, vec![&public, &internal, &private]),
        (&other, all, vec![&public, &internal]),
        (&admin, all, vec![&public, &internal, &private]),
        (&anonymous, "/api/v4/snippets/public", vec![&public]),
    ] {
        assert_eq!(
            titles(caller, &format!("{list}?per_page=1")),
            expected.into_iter().cloned().collect::<Vec<_>>(),
            "{list}"
        );
    }
    for path in [SNIPPETS, all] {
        assert_eq!(anonymous.get(path).status, 401, "{path}");
    }
    let future = format!("{all}?created_after=2100-01-01");
    assert_eq!(titles(&admin, &future), [""; 0]);
    let past = format!("{SNIPPETS}?created_before=2100-01-01&created_after=2000-01-01T00:00:00Z");
    assert_eq!(titles(&owner, &past).len(), 3);
}

/// EVT-08, AUTH-11.
#[test]
fn snippets_of_a_project_follow_its_roles_and_settings_and_appear_in_its_feed() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let project = "/api/v4/projects/open%2Ftools";
    let (owner, other, anonymous) = (
        server.developer(),
        server.stranger("zoe"),
        server.anonymous(),
    );
    let snippets = format!("{project}/snippets");
    let refused = other.post(&snippets, &snippet("x", "public"));
    assert_eq!(refused.status, 403, "{}", refused.text());
    let words = ["private", "internal", "public"];
    let paths = words.map(|word| create(&owner, &snippets, &snippet(word, word)));
    let [private, internal, public] = &paths;
    let shown = owner.get(private).expect(200);
    let id = shown["id"].clone();
    assert_eq!(shown["project_id"], owner.get(project).expect(200)["id"]);
    let web_url = format!("{}/open/tools/-/snippets/{id}", server.base_url());
    assert_eq!(shown["web_url"], json!(web_url));
    assert_eq!(owner.get(&format!("{SNIPPETS}/{id}")).status, 404);
    for (caller, list, seen) in [
        (
            &owner,
            vec!["public", "internal", "private"],
            [200, 200, 200],
        ),
        (&other, vec!["public", "internal"], [404, 200, 200]),
        (&anonymous, vec!["public"], [404, 404, 200]),
    ] {
        assert_eq!(titles(caller, &snippets), list);
        let statuses = [private, internal, public].map(|path| caller.get(path).status);
        assert_eq!(statuses, seen);
        let raw = format!("{private}/raw");
        assert_eq!(caller.get(&raw).status, seen[0]);
    }
    let change = json!({ "title": "x" });
    assert_eq!(other.put(internal, &change).status, 403);
    assert_eq!(other.put(private, &change).status, 404);
    // The feed shows what its readers see; a snippet that becomes public takes its entry with it.
    let feed = format!("{project}/events?target_type=snippet");
    let events = |caller: &TestCaller| pages::column(caller, &feed, "target_title");
    assert_eq!(events(&owner), ["public", "internal", "private"]);
    assert_eq!(events(&anonymous), ["public"]);
    owner
        .put(internal, &json!({ "visibility": "public" }))
        .expect(200);
    assert_eq!(events(&anonymous), ["public", "internal"]);
    let own = "/api/v4/events?target_type=snippet";
    assert_eq!(
        pages::column(&owner, own, "target_title"),
        ["public", "internal", "private"]
    );
    let event = owner.get(&feed).list().pop().unwrap();
    for (name, expected) in [
        ("action_name", json!("opened")),
        ("target_type", json!("Snippet")),
        ("target_id", id.clone()),
        ("target_iid", id),
    ] {
        assert_eq!(event[name], expected, "{name}");
    }
    assert_eq!(owner.delete(internal).status, 204);
    let labels = pages::column(&owner, &feed, "action_name");
    assert_eq!(labels, ["destroyed", "opened", "opened", "opened"]);
    // Members only, and then nobody.
    for (level, statuses, list) in [
        ("private", [200, 403, 401], vec!["public", "private"]),
        ("disabled", [403, 403, 403], vec![]),
    ] {
        let settings = json!({ "snippets_access_level": level });
        owner.put(project, &settings).expect(200);
        let found = [&owner, &other, &anonymous].map(|caller| caller.get(&snippets).status);
        assert_eq!(found, statuses, "{level}");
        let found = [&owner, &other, &anonymous].map(|caller| caller.get(public).status);
        assert_eq!(found, statuses, "{level}");
        if statuses[0] == 200 {
            assert_eq!(titles(&owner, &snippets), list);
        } else {
            for refused in [
                owner.post(&snippets, &snippet("x", "public")),
                owner.put(public, &change),
                owner.delete(public),
            ] {
                assert_eq!(refused.status, 403, "{}", refused.text());
            }
            assert_eq!(events(&owner), [""; 0]);
            assert_eq!(pages::column(&owner, own, "target_title"), [""; 0]);
        }
        assert_eq!(events(&anonymous), [""; 0], "{level}");
    }
}

/// API-11. Nothing of an invalid request is stored.
#[test]
fn invalid_snippets_are_refused_with_the_reason() {
    let server = TestServer::start();
    let dev = server.developer();
    let long = "x".repeat(256);
    let large = "x".repeat(1_000_001);
    let files = |files: Value| json!({ "title": "a", "files": files });
    let many: Vec<Value> = (0..11)
        .map(|n| json!({ "file_path": n.to_string(), "content": "x" }))
        .collect();
    for (body, reason) in [
        (json!({ "file_name": "a", "content": "b" }), "title"),
        (json!({ "title": "a" }), "file_name"),
        (json!({ "title": "a", "content": "b" }), "file_name"),
        (json!({ "title": "a", "file_name": "b" }), "content"),
        (
            json!({ "title": long, "file_name": "b", "content": "c" }),
            "title",
        ),
        (
            json!({ "title": "a", "file_name": "/b", "content": "c" }),
            "must be a relative path",
        ),
        (
            json!({ "title": "a", "file_name": "../b", "content": "c" }),
            "must be a relative path",
        ),
        (
            json!({ "title": "a", "file_name": "b", "content": large }),
            "too large (maximum is 1000000 bytes together)",
        ),
        (
            json!({ "title": "a", "file_name": "b", "content": "c", "visibility": "secret" }),
            "visibility does not have a valid value",
        ),
        (
            json!({ "title": "a", "file_name": "b", "content": "c", "files": [{ "file_path": "d", "content": "e" }] }),
            "mutually exclusive",
        ),
        (files(json!([])), "files is invalid"),
        (files(json!("x")), "files is invalid"),
        (files(json!([1])), "files[0] must be an object"),
        (
            files(json!([{ "file_path": "a" }])),
            "files[0]: content is missing or empty",
        ),
        (
            files(json!([{ "content": "a" }])),
            "files[0]: file_path is missing or empty",
        ),
        (files(json!(many)), "too many (maximum is 10)"),
        (
            files(
                json!([{ "file_path": "a", "content": "b" }, { "file_path": "a", "content": "c" }]),
            ),
            "more than once",
        ),
    ] {
        let answer = dev.post(SNIPPETS, &body);
        let text = answer.text();
        assert_eq!(answer.status, 400, "{reason}: {text}");
        assert!(text.contains(reason), "{reason}: {text}");
    }
    assert_eq!(titles(&dev, SNIPPETS), [""; 0]);
    let path = create(&dev, SNIPPETS, &snippet("a", "private"));
    let before = dev.get(&path).expect(200);
    for (body, reason) in [
        (json!({}), "at least one parameter must be provided"),
        (json!({ "title": " " }), "can't be blank"),
        (files(json!([{ "file_path": "a.sh" }])), "action is missing"),
        (
            files(json!([{ "action": "rename", "file_path": "a.sh" }])),
            "action does not have a valid value",
        ),
        (
            files(json!([{ "action": "move", "file_path": "b" }])),
            "previous_path is missing or empty",
        ),
        (
            files(json!([{ "action": "delete", "file_path": "a.sh" }])),
            "at least one file",
        ),
        (
            files(json!([{ "action": "update", "file_path": "b", "content": "c" }])),
            "does not exist",
        ),
    ] {
        let answer = dev.put(&path, &body);
        let text = answer.text();
        assert_eq!(answer.status, 400, "{reason}: {text}");
        assert!(text.contains(reason), "{reason}: {text}");
    }
    assert_eq!(dev.get(&path).expect(200), before);
    let unsupported = dev.get("/api/v4/snippets/all?repository_storage=default");
    assert_eq!(unsupported.status, 400);
    let reader = TestCaller::new(server.base_url(), Some(&server.token("dev", "read_api")));
    reader.get(&path).expect(200);
    assert_eq!(reader.put(&path, &json!({ "title": "b" })).status, 403);
}
