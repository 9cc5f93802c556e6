//! `gatehouse serve`.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::Child;

use serde_json::Value;

use crate::shell::{Shell, ending};
use crate::support::Caller;

/// Reads the log, which is JSON, until the server is ready, and gives its URL.
fn url_of(process: &mut Child) -> String {
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
        let shell = Shell::new().with("GATEHOUSE_LOG_FORMAT", "json");
        let flags = ["--listen", "127.0.0.1:0", "--data", "data"];
        let mut process = shell.spawn(&[command, &flags].concat());
        let url = url_of(&mut process);
        let health = Caller::new(&url, None).get("/-/health");
        assert_eq!(health.text(), "Gatehouse OK");
        process.kill().unwrap();
        assert_eq!(ending(process).output, "", "standard output is for results");
    }
}

/// Administration works while the server runs, and the server needs no restart.
#[test]
fn users_and_tokens_are_made_beside_a_running_server() {
    let shell = Shell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    shell.user("ann", &["--admin"]);
    let made = shell.run(&["token", "create", "--user", "ann", "--json"]);
    let made = made.json();
    let user = Caller::new(&url, made["token"].as_str()).get("/api/v4/user");
    assert_eq!(user.expect(200)["is_admin"], true);
    process.kill().unwrap();
    ending(process);
}

#[test]
fn an_address_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let outcome = Shell::new().run(&["serve", "--listen", &address]);
    assert_eq!(outcome.code, 1);
    let told = format!("cannot listen on {address}");
    assert!(outcome.complaint.contains(&told), "{outcome:?}");
}
