//! Settings of projects and groups are stored and returned, whether or not the server has the feature (`PATH-02`).

use projects::model::{GroupSettingTable, ProjectSettingTable, Setting, SettingKind, SettingTable};
use serde_json::{Map, Value, json};

use crate::support::{TestCaller, TestServer};

/// Two values of a setting that are not the default.
fn values(setting: &Setting) -> Vec<Value> {
    let default = setting.default.to_json();
    let all: Vec<Value> = match setting.kind {
        SettingKind::Flag => vec![json!(true), json!(false)],
        SettingKind::Word(words) => words.iter().map(|word| json!(word)).collect(),
        SettingKind::Number(numbers) => numbers.iter().map(|number| json!(number)).collect(),
        SettingKind::Within(min, max) => vec![json!(min), json!(max)],
        SettingKind::Text(max) => vec![json!("ä".repeat(max)), json!("%\\\"'<b>")],
    };
    all.into_iter().filter(|value| *value != default).collect()
}

/// Invalid values of a setting.
fn wrong(setting: &Setting) -> Vec<Value> {
    match setting.kind {
        SettingKind::Flag => vec![json!("perhaps"), json!(null), json!(2)],
        SettingKind::Word(_) => vec![json!("teleport"), json!(["a"])],
        SettingKind::Number(_) => vec![json!(-1), json!("many")],
        SettingKind::Within(min, max) => vec![json!(min - 1), json!(max + 1), json!("long")],
        SettingKind::Text(max) => vec![json!("a".repeat(max + 1)), json!({"a": 1})],
    }
}

/// Sets each value of each setting and reads it back, then all at once, and a second time.
fn check<T: SettingTable>(caller: &TestCaller, path: &str) {
    let mut all = Map::new();
    for setting in T::ALL {
        let name = setting.name;
        let before = caller.get(path).expect(200);
        assert_eq!(before[name], setting.default.to_json(), "{name}");
        for value in values(setting) {
            let changed = caller.put(path, &json!({ name: value })).expect(200);
            assert_eq!(changed[name], value, "{name}");
            let shown = caller.get(path).expect(200);
            assert_eq!(shown[name], value, "{name}");
            all.insert(name.to_owned(), value);
        }
        for value in wrong(setting) {
            let answer = caller.put(path, &json!({ name: value }));
            assert_eq!(answer.status, 400, "{name}: {value}");
            assert!(answer.text().contains(name), "{}", answer.text());
        }
        let default = match (setting.kind, setting.default.to_json()) {
            (SettingKind::Text(_), _) => json!(""),
            (_, default) => default,
        };
        if !default.is_null() {
            let reset = caller.put(path, &json!({ name: default })).expect(200);
            assert_eq!(reset[name], setting.default.to_json(), "{name}");
        }
    }
    let all = Value::Object(all);
    let once = caller.put(path, &all).expect(200);
    for (name, value) in all.as_object().unwrap() {
        assert_eq!(once[name], *value, "{name}");
    }
    // A second run of a client finds nothing to change, and changes nothing.
    assert_eq!(caller.put(path, &all).expect(200), once);
    let shown = caller.get(path).expect(200);
    for (name, value) in once.as_object().unwrap() {
        assert_eq!(shown[name], *value, "{name}");
    }
}

/// PATH-02, API-11.
#[test]
fn each_setting_of_a_project_is_kept_and_shown() {
    let server = TestServer::start();
    let dev = server.developer();
    let created = dev
        .post("/api/v4/projects", &json!({ "name": "Kept" }))
        .expect(201);
    check::<ProjectSettingTable>(&dev, &format!("/api/v4/projects/{}", created["id"]));
}

/// PATH-02: a project keeps its settings when it is moved to another server.
#[test]
fn each_setting_of_a_project_travels_in_its_archive() {
    let (source, target) = (TestServer::start(), TestServer::start());
    for pick in [<[Value]>::first, <[Value]>::last] {
        let mut expected = json!({ "name": "Travels" });
        for setting in ProjectSettingTable::ALL {
            expected[setting.name] = pick(&values(setting)).unwrap().clone();
        }
        let dev = source.developer();
        let created = dev.post("/api/v4/projects", &expected).expect(201);
        let path = format!("/api/v4/projects/{}", created["id"]);
        let archive = dev.get(&format!("{path}/export/download"));
        dev.delete(&path);
        let dev = target.developer();
        let fields = [("path", "travels")];
        let import = dev.post_form_data("/api/v4/projects/import", &fields, Some(&archive.body));
        let imported = format!("/api/v4/projects/{}", import.expect(201)["id"]);
        let shown = dev.get(&imported).expect(200);
        for setting in ProjectSettingTable::ALL {
            let name = setting.name;
            assert_eq!(shown[name], expected[name], "{name}");
        }
        for (switch, level) in ProjectSettingTable::SWITCHES {
            assert_eq!(shown[switch], shown[level] != "disabled", "{switch}");
        }
        dev.delete(&imported);
    }
}

/// PATH-02, API-11.
#[test]
fn each_setting_of_a_group_is_kept_and_shown() {
    let server = TestServer::start();
    let dev = server.developer();
    let created = json!({ "name": "Kept", "path": "kept" });
    let created = dev.post("/api/v4/groups", &created).expect(201);
    check::<GroupSettingTable>(&dev, &format!("/api/v4/groups/{}", created["id"]));
}

/// Clients send back the fields of a response: each is accepted, or refused by its name.
#[test]
fn no_field_of_a_project_is_passed_over_when_it_is_sent_back_changed() {
    let server = TestServer::start();
    let dev = server.developer();
    let created = dev
        .post("/api/v4/projects", &json!({ "name": "Sent" }))
        .expect(201);
    let path = format!("/api/v4/projects/{}", created["id"]);
    for (name, value) in created.as_object().unwrap() {
        let other = match value {
            Value::Bool(flag) => json!(!flag),
            Value::String(text) if text == "disabled" => json!("private"),
            Value::Number(_) | Value::Null => json!(7000),
            _ => json!("enabled"),
        };
        if ["id", "topics", "tag_list"].contains(&name.as_str()) {
            continue;
        }
        let answer = dev.put(&path, &json!({ name: other }));
        if answer.status == 200 {
            let shown = &answer.json()[name];
            assert!(
                *shown == other || *shown == json!(other.to_string()),
                "{name}: {shown}"
            );
        } else {
            assert!(
                [400, 409].contains(&answer.status),
                "{name}: {}",
                answer.text()
            );
            assert!(answer.text().contains(name.as_str()), "{}", answer.text());
        }
    }
}

/// A switch is the short form of an access level.
#[test]
fn a_switch_and_its_access_level_agree() {
    let server = TestServer::start();
    let dev = server.developer();
    for (switch, level) in ProjectSettingTable::SWITCHES.iter().copied() {
        let name = format!("Of {switch}");
        let created = json!({ "name": name, switch: true });
        let created = dev.post("/api/v4/projects", &created).expect(201);
        assert_eq!(
            (&created[switch], &created[level]),
            (&json!(true), &json!("enabled"))
        );
        let path = format!("/api/v4/projects/{}", created["id"]);
        let put = |body: Value| {
            let answer = dev.put(&path, &body).expect(200);
            (answer[switch].clone(), answer[level].clone())
        };
        assert_eq!(
            put(json!({ level: "private" })),
            (json!(true), json!("private"))
        );
        assert_eq!(
            put(json!({ switch: true })),
            (json!(true), json!("private"))
        );
        assert_eq!(
            put(json!({ switch: false })),
            (json!(false), json!("disabled"))
        );
        assert_eq!(
            put(json!({ level: "enabled" })),
            (json!(true), json!("enabled"))
        );
        let both = json!({ switch: false, level: "enabled" });
        let text = format!("{switch} contradicts {level}: leave one of them out");
        dev.put(&path, &both)
            .assert_is(400, &json!({ "error": text }));
    }
    let public = json!({ "name": "Old name", "public_builds": true });
    assert_eq!(
        dev.post("/api/v4/projects", &public).expect(201)["public_jobs"],
        true
    );
}

/// The values with which a deployment tool creates a project by default.
#[test]
fn a_tool_that_sends_everything_changes_nothing_the_second_time() {
    let server = TestServer::start();
    let dev = server.developer();
    let expected = json!({
        "name": "Tooled", "path": "tooled", "description": "", "visibility": "private", "import_url": "",
        "issues_enabled": true, "merge_requests_enabled": true, "merge_method": "merge", "wiki_enabled": true,
        "snippets_enabled": true, "lfs_enabled": false, "initialize_with_readme": false, "packages_enabled": true,
        "allow_merge_on_skipped_pipeline": false, "only_allow_merge_if_all_discussions_are_resolved": true,
        "only_allow_merge_if_pipeline_succeeds": true, "remove_source_branch_after_merge": true,
        "squash_option": "default_on", "ci_config_path": "ci.yml", "shared_runners_enabled": false,
        "builds_access_level": "private", "forking_access_level": "enabled", "monitor_access_level": "enabled",
        "container_registry_access_level": "disabled", "default_branch": "trunk", "topics": ["a"],
    });
    let created = dev.post("/api/v4/projects", &expected).expect(201);
    let mut differing = expected.as_object().unwrap().clone();
    differing.retain(|name, value| created.get(name) != Some(value));
    // Fields that responses return differently, and fields that only apply to creation.
    let names: Vec<&str> = differing.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["description", "import_url", "initialize_with_readme"]
    );
    let with = "/api/v4/projects?with_merge_requests_enabled=true";
    assert_eq!(dev.get(with).list().len(), 1);
    let off = json!({ "merge_requests_enabled": false });
    dev.put(&format!("/api/v4/projects/{}", created["id"]), &off)
        .expect(200);
    assert_eq!(dev.get(with).list(), Vec::<Value>::new());
    let readme = json!({ "name": "Readme", "initialize_with_readme": true });
    let text =
        "initialize_with_readme is a setting that this server does not support: leave it out";
    dev.post("/api/v4/projects", &readme)
        .assert_is(400, &json!({ "error": text }));
    let group = json!({ "name": "g", "path": "g", "require_two_factor_authentication": true });
    let text = "require_two_factor_authentication is a setting that this server does not support: leave it out";
    dev.post("/api/v4/groups", &group)
        .assert_is(400, &json!({ "error": text }));
}
