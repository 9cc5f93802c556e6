//! The commands of the README, as a newcomer pastes them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::serve::url_of;
use crate::shell::ending;
use crate::support::Caller;
use crate::support::server::program;

/// The first block of commands below a heading.
fn block(heading: &str) -> String {
    // Cargo runs tests in the directory of their package.
    let readme = fs::read_to_string("../../README.md").unwrap();
    let (_, section) = readme.split_once(&format!("\n## {heading}\n")).unwrap();
    let (_, rest) = section.split_once("```sh\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// All commands use the same database, and the server uses it in the end.
#[test]
fn what_is_made_is_what_is_served() {
    let home = tempfile::tempdir().unwrap();
    let program = program().display().to_string();
    let script: String = block("Run it")
        .lines()
        // The program is already built, and the log must show the address with the free port.
        .filter(|line| !line.starts_with("cargo ") && !line.contains("EXTERNAL_URL"))
        .map(|line| line.replace("target/dist/gatehouse", &program))
        .map(|line| line.replace("=0.0.0.0:8080", "=127.0.0.1:0") + "\n")
        .collect();
    assert_eq!(script.matches(&program).count(), 7, "{script}");
    let serve = format!("{program} serve\n");
    let script = script.replace(&serve, &format!("exec {serve}"));
    let mut process = Command::new("sh")
        .args(["-e", "-c", &script])
        .env("HOME", home.path())
        .env("GATEHOUSE_LOG_FORMAT", "json")
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let url = url_of(&mut process);
    let output = process.stdout.take().unwrap();
    let mut lines = BufReader::new(output).lines().map(Result::unwrap);
    let token = lines.find_map(|line| Some(line.trim().strip_prefix("token")?.trim().to_owned()));
    let caller = Caller::new(&url, token.as_deref());
    assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "ann");
    assert_eq!(
        caller.get("/api/v4/projects").list()[0]["path_with_namespace"],
        "shop/web"
    );
    process.kill().unwrap();
    ending(process);
    let made = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert_eq!(
        made.collect::<Vec<_>>(),
        ["gatehouse"],
        "nothing is made elsewhere"
    );
}

/// The demo's output has the names in the table of placeholders.
#[test]
fn the_placeholders_stand_in_what_the_demo_prints() {
    let readme = fs::read_to_string("../../README.md").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut process = Command::new(program())
        .args(["demo", "--listen", "127.0.0.1:0"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut printed = String::new();
    while !printed.contains("redirect uri") {
        assert!(
            output.read_line(&mut printed).unwrap() > 0,
            "it ended: {printed}"
        );
    }
    crate::support::terminate(process.id());
    output.read_to_string(&mut printed).unwrap();
    ending(process);
    for label in [
        "Gatehouse is at ",
        "token (api)",
        "alerts, generic",
        "alert key",
        "client id",
    ] {
        assert!(
            readme.contains(&format!("`{label}")),
            "{label} is not explained"
        );
        assert!(printed.contains(label), "{label} is not in: {printed}");
    }
}
