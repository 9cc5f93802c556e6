//! Client generators, unmodified, read the document of the API, and the generated clients make the same five calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::clients::run_client;
use crate::support::{TestServer, outside};

/// The last line of each client.
const LAST_LINE: &str = "user, project, label made, listed and gone";

/// A file of the directory beside this module.
fn script(name: &str) -> PathBuf {
    outside::script(&format!("generators/{name}"))
}

/// A server, a directory with its document, and the setup of a client.
fn set_up() -> (TestServer, TempDir, Value) {
    let server = TestServer::start();
    let directory = tempfile::tempdir().unwrap();
    let document = server
        .anonymous()
        .get("/api/v4/openapi.json")
        .expect_text(200);
    fs::write(directory.path().join("openapi.json"), document).unwrap();
    let facts = json!({
        "base_url": server.base_url(),
        "token": server.text("/developer/token"),
        "username": server.text("/developer/username"),
        "project": server.text("/project/path"),
    });
    (server, directory, facts)
}

/// Runs a generator to its end.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

/// Node, and the packages for it.
fn node() -> Option<(PathBuf, PathBuf)> {
    let node = outside::find("GATEHOUSE_TEST_NODE", &[])?;
    let packages = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[])?;
    Some((node, packages))
}

#[test]
fn openapi_python_client_generates_a_client() {
    let Some(python) = outside::find("GATEHOUSE_TEST_PYTHON", &[]) else {
        return;
    };
    let (_server, directory, facts) = set_up();
    let output = directory.path().join("gatehouse_client");
    let mut generate = Command::new(&python);
    generate
        .current_dir(&directory)
        .args([
            "-B",
            "-m",
            "openapi_python_client",
            "generate",
            "--fail-on-warning",
            "--meta",
            "none",
            "--path",
        ])
        .arg("openapi.json")
        .arg("--output-path")
        .arg(&output)
        .arg("--config")
        .arg(script("openapi_python_client.yaml"));
    run(&mut generate);
    let mut calls = Command::new(python);
    calls
        .args(["-B", "-W", "error::UserWarning"])
        .arg(script("calls.py"))
        .arg(directory.path())
        .arg(facts.to_string());
    assert_eq!(run_client(&mut calls), LAST_LINE);
}

#[test]
fn openapi_generator_generates_a_client_that_reads_refusals() {
    let Some(python) = outside::find("GATEHOUSE_TEST_PYTHON", &[]) else {
        return;
    };
    let (_server, directory, facts) = set_up();
    let mut generate = Command::new(&python);
    generate
        .current_dir(&directory)
        // The optimising compiler costs more than it saves in a run of seconds.
        .env("JAVA_OPTS", "-XX:TieredStopAtLevel=1")
        .args(["-B", "-c", "from openapi_generator_cli import cli; cli()"])
        .args(["generate", "--generator-name", "python"])
        .args(["--input-spec", "openapi.json", "--output", "generated"])
        .args(["--package-name", "gatehouse_client"])
        .args([
            "--global-property",
            "apis,models,supportingFiles,apiDocs=false,apiTests=false,modelDocs=false,modelTests=false",
        ]);
    let text = run(&mut generate);
    assert!(!text.contains("ERROR"), "{text}");
    let mut calls = Command::new(python);
    calls
        .args(["-B", "-W", "error::UserWarning"])
        .arg(script("calls_openapi_generator.py"))
        .arg(directory.path().join("generated"))
        .arg(facts.to_string());
    assert_eq!(run_client(&mut calls), LAST_LINE);
}

#[test]
fn openapi_typescript_generates_types_that_a_client_holds() {
    let Some((node, packages)) = node() else {
        return;
    };
    let (_server, directory, facts) = set_up();
    let modules = packages.join("node_modules");
    let program = |name: &str| modules.join(name);
    let mut generate = Command::new(&node);
    generate
        .current_dir(&directory)
        .arg(program("openapi-typescript/bin/cli.js"))
        .args(["openapi.json", "--output", "schema.d.ts"]);
    run(&mut generate);
    // The compiler and the program look for packages beside the file.
    std::os::unix::fs::symlink(&modules, directory.path().join("node_modules")).unwrap();
    fs::copy(script("calls.ts"), directory.path().join("calls.mts")).unwrap();
    let options = [
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--skipLibCheck",
        "false",
        "--lib",
        "es2022,dom,dom.iterable",
    ];
    let mut compile = Command::new(&node);
    compile
        .current_dir(&directory)
        .arg(program("typescript/bin/tsc"))
        .args(options)
        .arg("calls.mts");
    run(&mut compile);
    let calls = compiled(directory.path());
    assert_eq!(
        run_client(Command::new(node).arg(calls).arg(facts.to_string())),
        LAST_LINE
    );
}

fn compiled(directory: &Path) -> PathBuf {
    directory.join("calls.mjs")
}

#[test]
fn redocly_finds_no_error_in_the_document() {
    let Some((node, packages)) = node() else {
        return;
    };
    let (_server, directory, _) = set_up();
    let mut lint = Command::new(node);
    lint.arg(script("lint.mjs")).arg(packages);
    lint.arg(directory.path().join("openapi.json"));
    let last_line = run_client(&mut lint);
    let paths = last_line.strip_prefix("0 errors in ");
    let paths: Option<u32> = paths.and_then(|rest| rest.split(' ').next()?.parse().ok());
    assert!(paths.is_some_and(|paths| paths > 100), "{last_line}");
}
