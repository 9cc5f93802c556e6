//! `gatehouse serve`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;

use serde_json::Value;

use crate::shell::{TestShell, ending};
use crate::support::TestCaller;

/// Reads the JSON log until the server is ready, and returns its URL.
pub(crate) fn url_of(process: &mut Child) -> String {
    let mut lines = BufReader::new(process.stderr.as_mut().unwrap()).lines();
    let ready = lines.find_map(|line| {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (line["message"] == "ready").then_some(line)
    });
    ready.unwrap()["server.url"].as_str().unwrap().to_owned()
}

#[test]
fn serve_is_the_default_and_logs_its_address() {
    for command in [&["serve"][..], &[]] {
        let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
        let flags = ["--listen", "127.0.0.1:0", "--data", "data"];
        let mut process = shell.spawn(&[command, &flags].concat());
        let url = url_of(&mut process);
        let health = TestCaller::new(&url, None).get("/-/health");
        assert_eq!(health.text(), "Gatehouse OK");
        process.kill().unwrap();
        assert_eq!(ending(process).output, "", "standard output is for results");
    }
}

/// Administration commands work while the server runs, and take effect without a restart.
#[test]
fn users_and_tokens_are_created_while_the_server_runs() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    shell.user("ann", &["--admin"]);
    let created = shell.run(&["token", "create", "--user", "ann", "--json"]);
    let created = created.json();
    let user = TestCaller::new(&url, created["token"].as_str()).get("/api/v4/user");
    assert_eq!(user.expect(200)["is_admin"], true);
    process.kill().unwrap();
    ending(process);
}

#[test]
fn an_address_in_use_is_reported() {
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = occupied.local_addr().unwrap().to_string();
    let shell = TestShell::new();
    let outcome = shell.run(&["serve", "--listen", &address]);
    assert_eq!(outcome.code, 1);
    assert!(!shell.path("data").exists(), "no database is created first");
    let response = format!("cannot listen on {address}: ");
    assert!(outcome.error_output.contains(&response), "{outcome:?}");
    let hint = "; `--listen 127.0.0.1:0` picks a free port";
    assert!(outcome.error_output.contains(hint), "{outcome:?}");
}

#[test]
fn an_address_that_is_not_of_this_machine_needs_no_other_port() {
    let outcome = TestShell::new().run(&["serve", "--listen", "192.0.2.1:0"]);
    assert!(
        outcome
            .error_output
            .contains("cannot listen on 192.0.2.1:0: "),
        "{outcome:?}"
    );
    assert!(!outcome.error_output.contains("free port"), "{outcome:?}");
}

/// Escape codes in a file hide words from a search.
#[test]
fn a_log_that_is_no_terminal_has_no_colours() {
    let shell = TestShell::new();
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let ready = lines.find_map(|line| line.ok().filter(|line| line.contains("ready")));
    process.kill().unwrap();
    ending(process);
    let ready = ready.unwrap();
    assert!(!ready.contains('\u{1b}'), "{ready:?}");
    assert!(ready.contains("server.url=http://127.0.0.1:"), "{ready:?}");
}

#[test]
fn help_describes_the_program_and_names_the_demo() {
    let help = TestShell::new().run(&["--help"]).checked_output();
    for word in [
        "signs users in",
        "OAuth 2.0",
        "alerts",
        "gatehouse demo",
        "GATEHOUSE_DATA_DIR",
    ] {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
}

/// The first start creates the key that encrypts secrets; a later one refuses a key that others may read.
#[test]
fn the_secret_key_is_created_once_and_must_be_private() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let flags = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let key = shell.path("data/secret.key");
    let mut kept = Vec::new();
    for _ in 0..2 {
        let mut process = shell.spawn(&flags);
        url_of(&mut process);
        process.kill().unwrap();
        ending(process);
        kept.push(fs::read_to_string(&key).unwrap());
    }
    assert_eq!(kept[0], kept[1]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = shell.run(&flags);
    assert_eq!(outcome.code, 1);
    assert!(outcome.error_output.contains("(mode 0644)"), "{outcome:?}");
    assert!(
        !outcome.error_output.contains(kept[0].trim()),
        "{outcome:?}"
    );
}

/// No link can use a wildcard address: the start and the check name the setting to change.
#[test]
fn a_wildcard_address_is_reported_with_the_setting_to_change() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let shell = TestShell::new().with("GATEHOUSE_SERVER_LISTEN", listen);
        shell.run(&["migrate"]).checked_output();
        for command in ["serve", "check"] {
            let outcome = shell.run(&[command]);
            assert_eq!(outcome.code, 1, "{outcome:?}");
            let error_output = outcome.error_output;
            let response = format!(
                "server.listen is {listen}, a wildcard address; so that links work, set server.external_url"
            );
            assert!(error_output.contains(&response), "{error_output}");
            assert!(
                error_output.contains("GATEHOUSE_SERVER_EXTERNAL_URL"),
                "{error_output}"
            );
        }
        let shell = shell
            .with("GATEHOUSE_SERVER_EXTERNAL_URL", "http://gate.example.com")
            .with("GATEHOUSE_LOG_FORMAT", "json");
        shell.run(&["check"]).checked_output();
        let mut process = shell.spawn(&["serve"]);
        assert_eq!(url_of(&mut process), "http://gate.example.com");
        process.kill().unwrap();
        ending(process);
    }
}

/// A wrong data directory looks like a new server.
#[test]
fn serve_warns_only_about_a_database_without_users() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    for (is_empty, expected) in [(true, true), (false, false)] {
        if !is_empty {
            shell.user("ann", &[]);
        }
        let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
        let lines = BufReader::new(process.stderr.as_mut().unwrap()).lines();
        let response: Vec<String> = lines
            .map(|line| line.unwrap())
            .take_while(|line| !line.contains("\"ready\""))
            .collect();
        process.kill().unwrap();
        process.wait().unwrap();
        let warned = response
            .iter()
            .any(|line| line.contains("WARN") && line.contains("the database has no users"));
        assert_eq!(warned, expected, "{response:?}");
    }
}
