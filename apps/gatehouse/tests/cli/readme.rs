//! The commands of the README and of the list of commands, as a newcomer pastes them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::serve::url_of;
use crate::shell::ending;
use crate::support::TestCaller;
use crate::support::server::program;

/// The README.
const README: &str = "../../README.md";
/// The list of commands.
const COMMANDS: &str = "../../docs/cli.md";

/// The commands of the first block below a heading that call the program, as a script for a program that is already built and a
/// free port. Calls the program as often as `calls` says, the last time to serve.
fn script(document: &str, heading: &str, calls: usize) -> String {
    // Cargo runs tests in the directory of their package.
    let text = fs::read_to_string(document).unwrap();
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let blocks = section.split("```sh\n").skip(1);
    let mut blocks = blocks.map(|rest| rest.split_once("```").unwrap().0);
    let block = blocks.find(|block| block.contains(PROGRAM)).unwrap();
    let program = program().display().to_string();
    let script: String = block
        .lines()
        // The log must show the address with the free port.
        .filter(|line| !line.starts_with("cargo ") && !line.contains("EXTERNAL_URL"))
        .map(|line| line.replace(PROGRAM, &program))
        .map(|line| line.replace("0.0.0.0:8080", "127.0.0.1:0") + "\n")
        .collect();
    assert_eq!(script.matches(&program).count(), calls, "{script}");
    let serve = format!("{program} serve");
    script.replace(&serve, &format!("exec {serve}"))
}

/// The program as the documents call it.
const PROGRAM: &str = "target/dist/gatehouse";

/// Runs a script in an empty home directory and returns the address of the server that it ends with.
fn run(script: &str, home: &Path) -> (Child, String) {
    let mut process = Command::new("sh")
        .args(["-e", "-c", script])
        .env("HOME", home)
        .env("GATEHOUSE_LOG_FORMAT", "json")
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let url = url_of(&mut process);
    (process, url)
}

/// All commands use the same database, and the server uses it in the end.
#[test]
fn documented_commands_create_the_data_that_is_served() {
    let home = tempfile::tempdir().unwrap();
    let (mut process, url) = run(&script(COMMANDS, "Run it", 7), home.path());
    let output = process.stdout.take().unwrap();
    let mut lines = BufReader::new(output).lines().map(Result::unwrap);
    let token = lines.find_map(|line| Some(line.trim().strip_prefix("token")?.trim().to_owned()));
    let caller = TestCaller::new(&url, token.as_deref());
    assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "ann");
    assert_eq!(
        caller.get("/api/v4/projects").list()[0]["path_with_namespace"],
        "shop/web"
    );
    process.kill().unwrap();
    ending(process);
    let created = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert_eq!(
        created.collect::<Vec<_>>(),
        ["gatehouse"],
        "nothing is made elsewhere"
    );
}

#[test]
fn the_commands_of_the_readme_start_a_server() {
    let home = tempfile::tempdir().unwrap();
    let (mut process, url) = run(&script(README, "Start a server", 3), home.path());
    TestCaller::new(&url, None).get("/-/readiness").expect(200);
    process.kill().unwrap();
    ending(process);
}

/// The demo's output has the names in the table of placeholders, and the path in the README's receiver.
#[test]
fn the_documented_placeholders_match_the_demo_output() {
    let commands = fs::read_to_string(COMMANDS).unwrap();
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
    while !printed.contains("redirect URI") {
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
        "errors, DSN",
        "client ID",
    ] {
        assert!(
            commands.contains(&format!("`{label}")),
            "{label} is not explained"
        );
        assert!(printed.contains(label), "{label} is not in: {printed}");
    }
    let readme = fs::read_to_string(README).unwrap();
    let receiver = "/acme/web-shop/prometheus/alerts/notify.json";
    assert!(readme.contains(receiver) && printed.contains(receiver));
}
