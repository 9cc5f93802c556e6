//! `gatehouse project create`.

use serde_json::json;

use crate::shell::{CommandResult, TestShell};
use crate::support::{TestCaller, TestServer};

fn create(shell: &TestShell, path: &str, more: &[&str]) -> CommandResult {
    let fixed = ["project", "create", "--creator", "ann", "--path", path];
    shell.run(&[&fixed[..], more].concat())
}

fn shell_with_ann() -> TestShell {
    let shell = TestShell::new();
    shell.user("ann", &[]);
    shell
}

/// ALRT-01, ALRT-06. The output is all that a sender needs.
#[test]
fn the_printed_endpoints_take_alerts_with_the_printed_key() {
    let server = TestServer::start();
    let created = server.create_project("tools/deep/hammer", "private", "dev");
    assert_eq!(created["path"], "tools/deep/hammer");
    let key = created["alerts"]["key"].as_str().unwrap();
    assert!(key.starts_with("ghak_"), "{key}");
    let sender = TestCaller::bearer(server.base_url(), key);
    let path = |name: &str| {
        let url = created["alerts"][name].as_str().unwrap();
        let (_, path) = url.split_once("/tools/").unwrap();
        format!("/tools/{path}")
    };
    let generic = sender.post(&path("generic_url"), &json!({ "title": "One" }));
    generic.assert_is(200, &json!([{ "iid": 1, "title": "One" }]));
    let webhook = json!({
        "version": "4", "status": "firing", "receiver": "r", "groupKey": "g", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "",
        "alerts": [{ "labels": { "alertname": "Two" }, "startsAt": "2024-05-01T10:00:00Z" }],
    });
    let metrics = sender.post(&path("metrics_url"), &webhook);
    metrics.assert_is(200, &json!([{ "iid": 2, "title": "Two" }]));
    let alerts = format!("/api/v4/projects/{}/alert_management_alerts", created["id"]);
    assert_eq!(server.developer().get(&alerts).list().len(), 2);
}

#[test]
fn urls_begin_with_the_address_that_clients_use() {
    let shell = shell_with_ann().with("GATEHOUSE_SERVER_EXTERNAL_URL", "https://gate.example.com/");
    let created = create(&shell, "tools/hammer", &["--json"]).json();
    let expected = "https://gate.example.com/tools/hammer/alerts/notify.json";
    assert_eq!(created["alerts"]["generic_url"], expected);
    let printed = create(&shell, "tools/saw", &[]).checked_output();
    assert!(printed.contains("https://gate.example.com/tools/saw/prometheus/alerts/notify.json"));
}

#[test]
fn every_project_has_a_key_of_its_own() {
    let shell = shell_with_ann();
    let keys = ["tools/hammer", "tools/saw"]
        .map(|path| create(&shell, path, &["--json"]).json()["alerts"]["key"].clone());
    assert_ne!(keys[0], keys[1]);
}

/// PATH-02. A path is taken in any case, by projects and by groups.
#[test]
fn a_path_in_use_is_rejected_in_any_case() {
    let shell = shell_with_ann();
    create(&shell, "tools/deep/hammer", &[]).checked_output();
    for path in ["tools/deep/hammer", "Tools/Deep/HAMMER", "tools/deep"] {
        let error_output = create(&shell, path, &[]).error_message();
        assert!(error_output.contains("taken"), "{path}: {error_output}");
    }
}

#[test]
fn a_path_that_cannot_be_is_refused_and_no_group_is_left_behind() {
    let shell = shell_with_ann();
    for path in [
        "hammer",
        "",
        "tools/",
        "/hammer",
        "tools//hammer",
        "new/a b",
        "new/-x",
        "new/x.git",
    ] {
        let argument = format!("--path={path}");
        let command = ["project", "create", "--creator", "ann", &argument];
        shell.run(&command).error_message();
    }
    // The group `new` was not created, so its name is free for a user.
    shell.user("new", &[]);
}

#[test]
fn other_mistakes_are_reported() {
    let shell = shell_with_ann();
    let error_output = create(&shell, "a/b", &["--visibility", "secret"]).error_message();
    assert!(
        error_output.contains("private, internal or public"),
        "{error_output}"
    );
    let command = ["project", "create", "--path", "a/b", "--creator", "nobody"];
    let error_output = shell.run(&command).error_message();
    assert!(
        error_output.contains("there is no user \"nobody\""),
        "{error_output}"
    );
}

/// AUTH-11. The command is for operators, but a project in a user's namespace belongs to that user.
#[test]
fn a_project_may_be_in_the_namespace_of_a_user() {
    let server = TestServer::start();
    let created = server.create_project("dev/notes", "private", "dev");
    let path = format!("/api/v4/projects/{}", created["id"]);
    let project = server.developer().get(&path).expect(200);
    assert_eq!(project["namespace"]["kind"], "user");
    assert_eq!(server.reporter().get(&path).status, 404);
}
