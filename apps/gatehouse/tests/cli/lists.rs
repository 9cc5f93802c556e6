//! Lists of the command line, and revocation by the ids that they print.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::shell::TestShell;
use crate::support::rows::change;
use crate::support::{TestServer, eventually};

/// Rows of a list, which prints one JSON object per line.
fn rows(server: &TestServer, command: &[&str]) -> Vec<Value> {
    let output = server.command(&[command, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn values<'r>(rows: &'r [Value], key: &str) -> Vec<&'r str> {
    rows.iter().map(|row| row[key].as_str().unwrap()).collect()
}

#[test]
fn every_list_prints_the_rows_of_its_filter() {
    let server = TestServer::start();
    let users = rows(&server, &["user", "list"]);
    assert!(values(&users, "username").contains(&"rita"), "{users:?}");
    assert!(users.iter().all(|user| user["bot"] == false), "{users:?}");
    let admins = rows(&server, &["user", "list", "--admins"]);
    assert!(!admins.is_empty() && admins.len() < users.len());
    assert!(rows(&server, &["user", "list", "--bots"]).len() > users.len());
    let found = rows(&server, &["user", "list", "--search", "rita"]);
    assert_eq!(values(&found, "username"), ["rita"]);

    let projects = rows(&server, &["project", "list"]);
    assert!(
        values(&projects, "path").contains(&"acme/web-shop"),
        "{projects:?}"
    );
    let none = rows(&server, &["project", "list", "--archived"]);
    assert!(none.is_empty(), "{none:?}");

    let applications = rows(&server, &["application", "list"]);
    let client = server.text("/oauth/client_id");
    assert!(
        values(&applications, "client_id").contains(&client),
        "{applications:?}"
    );
    let of_rita = rows(&server, &["application", "list", "--owner", "rita"]);
    assert!(of_rita.len() < applications.len(), "{of_rita:?}");

    let table = server.command(&["token", "list"]);
    let table = String::from_utf8(table.stdout).unwrap();
    let heading: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heading[..3], ["ID", "USER", "KIND"], "{table}");
    assert!(!table.contains("ghat_"), "{table}");
}

/// The list is longer than one read.
#[test]
fn a_token_is_revoked_by_the_id_of_the_list() {
    let server = TestServer::start();
    let copies = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) \
         INSERT INTO access_tokens (user_id, name, kind, scopes, digest, expires_on, created_at) \
         SELECT user_id, name, kind, scopes, randomblob(32), expires_on, created_at \
         FROM access_tokens, n WHERE user_id = (SELECT id FROM users WHERE username = 'dev')";
    change(&server, copies);
    let list = ["token", "list", "--user", "dev", "--active"];
    let active = rows(&server, &list);
    assert_eq!(active.len(), 151);
    let id = active[0]["id"].to_string();
    server.developer().get("/api/v4/user").expect(200);
    let revoke = || server.command(&["token", "revoke", "--id", &id]);
    assert_eq!(String::from_utf8(revoke().stdout).unwrap(), "revoked\n");
    assert!(!revoke().status.success(), "it is revoked already");
    eventually("the token is refused", || {
        (server.developer().get("/api/v4/user").status == 401).then_some(())
    });
    assert_eq!(rows(&server, &list).len(), 150);
    let all = rows(&server, &list[..4]);
    assert_eq!((all.len(), &all[0]["state"]), (151, &json!("revoked")));
    server.reporter().get("/api/v4/user").expect(200);
}

#[test]
fn a_health_check_reports_the_state_of_the_configured_server() {
    let server = TestServer::start();
    let port = server.address().rsplit_once(':').unwrap().1.to_owned();
    for listen in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}")] {
        let shell = TestShell::new().with("GATEHOUSE_SERVER_LISTEN", &listen);
        let ready = format!("http://127.0.0.1:{port}/-/readiness is ready\n");
        assert_eq!(shell.run(&["healthcheck"]).checked_output(), ready);
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap().to_string();
    drop(closed);
    for (listen, reason) in [
        (address.as_str(), "no response from http://127.0.0.1:"),
        ("127.0.0.1:0", "set the port on which the server listens"),
    ] {
        let shell = TestShell::new().with("GATEHOUSE_SERVER_LISTEN", listen);
        let message = shell.run(&["healthcheck"]).error_message();
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn the_configuration_is_printed_with_sources_and_without_secrets() {
    let secret = "1234567890123456789012345678901234567890123456789012345678901234";
    let shell = TestShell::new()
        .with_file(
            "gatehouse.toml",
            "[server]\nlisten = \"127.0.0.1:81\"\nworkers = 2\n",
        )
        .with("GATEHOUSE_SECURITY_SECRET_KEY", secret)
        .with(
            "GATEHOUSE_DATABASE_URL",
            "postgres://ann:s3cret@db/gate?password=s3cret",
        )
        .with(
            "GATEHOUSE_DATABASE_READ_URL",
            "postgres://ann:s3cret@replica/gate",
        )
        .with("GATEHOUSE_SERVER_WORKERS", "3");
    let printed = shell
        .run(&["config", "--json", "--listen", "127.0.0.1:82"])
        .checked_output();
    assert!(
        !printed.contains("s3cret") && !printed.contains(secret),
        "{printed}"
    );
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (key, value, source) in [
        ("server.listen", "\"127.0.0.1:82\"", "flag"),
        (
            "server.workers",
            "\"3\"",
            "variable GATEHOUSE_SERVER_WORKERS",
        ),
        ("server.keep_alive_seconds", "75", "default"),
        (
            "security.secret_key",
            "********",
            "variable GATEHOUSE_SECURITY_SECRET_KEY",
        ),
        (
            "database.url",
            "\"postgres://db/gate\"",
            "variable GATEHOUSE_DATABASE_URL",
        ),
        (
            "database.read_url",
            "\"postgres://replica/gate\"",
            "variable GATEHOUSE_DATABASE_READ_URL",
        ),
        ("mail.host", "", "default"),
    ] {
        let expected = json!({ "key": key, "value": value, "source": source });
        assert!(lines.contains(&expected), "{expected} is not in {printed}");
    }
    let invalid = shell.run(&["config", "--listen", "nowhere"]);
    assert!(invalid.output.contains("gatehouse.toml") || invalid.output.contains("nowhere"));
    assert_eq!(invalid.code, 1);
    assert!(
        invalid.error_output.contains("server.listen: must be"),
        "{invalid:?}"
    );
}

#[test]
fn the_program_describes_itself() {
    let shell = TestShell::new();
    let version = shell.run(&["version", "--json"]).json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert!(version["target"].as_str().unwrap().ends_with("-linux"));
    for name in ["bash", "zsh", "fish"] {
        let script = shell.run(&["completions", name]).checked_output();
        assert!(script.contains("healthcheck"), "{name}");
    }
    let page = shell.run(&["man"]).checked_output();
    assert!(page.contains(".TH gatehouse 1"), "{page}");
    shell.run(&["man", "--to", "pages"]).checked_output();
    assert!(shell.path("pages/gatehouse-token-revoke.1").is_file());
    let message = shell
        .with_file("taken", "")
        .run(&["man", "--to", "taken"])
        .error_message();
    assert!(
        message.contains("cannot write the pages to taken"),
        "{message}"
    );
}
