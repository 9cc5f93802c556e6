//! `gatehouse demo`.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;

use serde_json::Value;

use crate::shell::{TestShell, ending};
use crate::support::pages::column;
use crate::support::{TestCaller, TestServer, terminate};

/// Scripts rely on these names.
#[test]
fn the_first_line_is_an_object_of_urls_and_credentials() {
    let server = TestServer::start();
    let keys = |pointer: &str| {
        let object = server.demo.pointer(pointer).and_then(Value::as_object);
        let keys: Vec<&str> = object.unwrap().keys().map(String::as_str).collect();
        keys.join(" ")
    };
    for user in ["/admin", "/developer", "/reporter"] {
        assert_eq!(keys(user), "id password token username");
    }
    assert_eq!(keys("/project"), "id path");
    assert_eq!(keys("/alerts"), "generic_url key metrics_url");
    assert_eq!(
        keys("/oauth"),
        "client_id client_secret public_client_id redirect_uri"
    );
    for name in [
        "base_url",
        "admin",
        "developer",
        "reporter",
        "project",
        "alerts",
    ] {
        assert!(server.demo.get(name).is_some(), "{name}");
    }
}

#[test]
fn every_printed_credential_works() {
    let server = TestServer::start();
    for (name, username) in [
        ("admin", "root"),
        ("developer", "dev"),
        ("reporter", "rita"),
    ] {
        let token = server.text(&format!("/{name}/token")).to_owned();
        let user = TestCaller::new(server.base_url(), Some(&token))
            .get("/api/v4/user")
            .expect(200);
        assert_eq!(user["username"], username);
        assert_eq!(user["id"], server.demo[name]["id"]);
        assert_eq!(user["username"], server.demo[name]["username"]);
    }
    server.raise(&serde_json::json!({ "title": "By key" }));
    let project = server
        .developer()
        .get(&server.below_project(""))
        .expect(200);
    assert_eq!(
        project["path_with_namespace"],
        server.demo["project"]["path"]
    );
}

/// The confidential application authenticates with its secret, the public one has none; both have the same redirect
/// URI.
#[test]
fn both_printed_applications_work() {
    let server = TestServer::start();
    let caller = server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let ask = |credentials: String| {
        let password = server.text("/developer/password");
        let form = format!("grant_type=password&username=dev&password={password}&{credentials}");
        caller.send("POST", "/oauth/token", form.as_bytes())
    };
    let oauth = |name: &str| server.text(&format!("/oauth/{name}")).to_owned();
    let (id, secret) = (oauth("client_id"), oauth("client_secret"));
    ask(format!("client_id={id}&client_secret={secret}")).assert_ok();
    assert_eq!(ask(format!("client_id={id}")).status, 401);
    ask(format!("client_id={}", oauth("public_client_id"))).assert_ok();
    let listed = server.admin().get("/api/v4/applications").list();
    let uris = listed.iter().map(|one| one["callback_url"].as_str());
    assert!(uris.eq([Some(&*oauth("redirect_uri")); 2]), "{listed:?}");
}

/// The feed is in the order of insertion, which users read as the order of time.
#[test]
fn the_feed_of_the_samples_is_in_the_order_of_time() {
    let server = TestServer::start();
    let feed = server.below_project("/events?per_page=100");
    let times = column(&server.developer(), &feed, "created_at");
    assert!(times.len() >= 5, "{times:?}");
    assert!(
        times.is_sorted_by(|newer, older| newer >= older),
        "{times:?}"
    );
    let project = server
        .developer()
        .get(&server.below_project(""))
        .expect(200);
    assert_eq!(project["created_at"], times[times.len() - 1]);
}

/// A given directory is reused, with all its data.
#[test]
fn a_given_directory_keeps_its_data_and_its_credentials() {
    let mut server = TestServer::start();
    server.raise(&serde_json::json!({ "title": "Kept" }));
    let before = server.demo.clone();
    let titles = column(&server.developer(), &server.alerts(), "title");
    assert!(server.stop().success());
    server.restart();
    assert_eq!(server.demo, before);
    assert_eq!(
        column(&server.developer(), &server.alerts(), "title"),
        titles
    );
    assert_eq!(titles[0], "Kept");
}

#[test]
fn the_kept_credentials_are_for_their_owner_alone() {
    let server = TestServer::start();
    let file = server.data().join("demo-credentials.json");
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Reads the demo's output for people, up to the last line of the configuration for Alertmanager.
fn read_table(process: &mut Child) -> String {
    let mut text = String::new();
    let mut lines = BufReader::new(process.stdout.as_mut().unwrap());
    while !text.contains("authorization:") {
        assert!(lines.read_line(&mut text).unwrap() > 0, "it ended: {text}");
    }
    text
}

#[test]
fn people_are_shown_a_table_and_lines_to_paste() {
    let shell = TestShell::new();
    let command = ["demo", "--listen", "127.0.0.1:0", "--data", "kept"];
    let mut process = shell.spawn(&command);
    let text = read_table(&mut process);
    process.kill().unwrap();
    ending(process);
    for word in [
        "Gatehouse is at http://127.0.0.1:",
        "/acme/web-shop/-/alert_management first, and sign in as dev / ",
        "administrator",
        "root / ",
        "ghat_",
        "ghak_",
        "acme/web-shop (id 1)",
        "curl -H 'PRIVATE-TOKEN: ghat_",
        "webhook_configs:",
        "/acme/web-shop/prometheus/alerts/notify.json",
    ] {
        assert!(text.contains(word), "{word} is not in: {text}");
    }
}

/// Asserts that a demo cannot start, and that its message contains these words.
#[track_caller]
fn refused(shell: &TestShell, flags: &[&str], words: &[&str]) {
    let command = ["demo", "--listen", "127.0.0.1:0"];
    let error_output = shell.run(&[&command[..], flags].concat()).error_message();
    for word in words {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
}

#[test]
fn an_unusable_directory_is_reported() {
    let shell = TestShell::new().with_file("file", "");
    let response = ["cannot use the directory file: it is not a directory"];
    refused(&shell, &["--data", "file"], &response);
    // Nobody can create a directory there, including root.
    let response = ["cannot use the directory /proc/nowhere/data: ", "os error"];
    refused(&shell, &["--data", "/proc/nowhere/data"], &response);
    let nowhere = TestShell::new().with("TMPDIR", "/proc/nowhere");
    refused(
        &nowhere,
        &[],
        &["cannot create a temporary directory; choose a directory with --data"],
    );
}

#[test]
fn sample_data_is_not_mixed_with_data_of_others() {
    let shell = TestShell::new();
    shell.user("ann", &[]);
    let response = [
        "the database sqlite:data/gatehouse.sqlite3 already has users",
        "create sample data in another directory with `gatehouse demo --data DIR`",
    ];
    refused(&shell, &["--data", "data"], &response);
    assert!(!shell.path("data/demo-credentials.json").exists());
}

/// Starts a demo in the directory `kept` and ends it.
fn keep_a_demo(shell: &TestShell) {
    let mut process = shell.spawn(&["demo", "--listen", "127.0.0.1:0", "--data", "kept"]);
    read_table(&mut process);
    terminate(process.id());
    assert_eq!(ending(process).code, 0);
}

#[test]
fn kept_credentials_that_are_broken_are_named() {
    let shell = TestShell::new();
    keep_a_demo(&shell);
    let file = shell.path("kept/demo-credentials.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let response = [
        "kept/demo-credentials.json is not valid; restore it, or delete kept to start over",
        "EOF while parsing",
    ];
    refused(&shell, &["--data", "kept"], &response);
    std::fs::remove_file(&file).unwrap();
    refused(&shell, &["--data", "kept"], &["already has users"]);
}

#[test]
fn kept_credentials_without_their_database_are_named() {
    let shell = TestShell::new();
    keep_a_demo(&shell);
    std::fs::remove_file(shell.path("kept/gatehouse.sqlite3")).unwrap();
    let response = [
        "the credentials in kept/demo-credentials.json do not belong to the database sqlite:kept/gatehouse.sqlite3; delete",
    ];
    refused(&shell, &["--data", "kept"], &response);
    std::fs::remove_file(shell.path("kept/demo-credentials.json")).unwrap();
    keep_a_demo(&shell);
}

/// Without a directory, all data is deleted with the server.
#[test]
fn without_a_directory_nothing_is_left() {
    let temporary = tempfile::tempdir().unwrap();
    let place = temporary.path().display().to_string();
    let shell = TestShell::new().with("TMPDIR", &place);
    let mut process = shell.spawn(&["demo", "--listen", "127.0.0.1:0"]);
    let text = read_table(&mut process);
    let url = text.split_whitespace().nth(3).unwrap();
    TestCaller::new(url, None).get("/-/health").assert_ok();
    let remaining = || std::fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(remaining(), 1);
    let created = std::fs::read_dir(temporary.path()).unwrap().next().unwrap();
    let rights = created.unwrap().metadata().unwrap().permissions();
    assert_eq!(rights.mode() & 0o777, 0o700);
    terminate(process.id());
    assert_eq!(ending(process).code, 0);
    assert_eq!(remaining(), 0);
    assert_eq!(std::fs::read_dir(shell.directory()).unwrap().count(), 0);
}

/// Even if the server is stopped right after it has printed its output, no files are left.
#[test]
fn a_stop_right_after_the_printing_leaves_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let place = temporary.path().display().to_string();
    let shell = TestShell::new().with("TMPDIR", &place);
    for flags in [&[][..], &["--print-json"]] {
        for _ in 0..5 {
            let mut process = shell.spawn(&[&["demo", "--listen", "127.0.0.1:0"], flags].concat());
            let mut line = String::new();
            let mut output = BufReader::new(process.stdout.take().unwrap());
            assert!(output.read_line(&mut line).unwrap() > 0);
            terminate(process.id());
            assert_eq!(ending(process).code, 0, "{flags:?}");
            assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0, "{flags:?}");
        }
    }
}
