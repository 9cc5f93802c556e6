//! Schemathesis, unmodified, tries every operation of the document that the server serves: with what the document allows,
//! with what it does not, without credentials, and with other methods. Whatever is answered has to be in the document.

use std::process::Command;

use serde_json::{Value, json};
use test_postgres::TestDatabase;

use crate::support::{Server, outside};

/// What a run found.
struct Run {
    /// What it says at its end.
    text: String,
    is_success: bool,
}

/// Tries the operations of a server in a directory of its own, because the client leaves its reports there.
fn try_operations(server: &Server) -> Option<Run> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(python)
        .current_dir(directory.path())
        .env("GATEHOUSE_HOOKS", outside::script("schemathesis/hooks.py"))
        .env("GATEHOUSE_ADMIN_TOKEN", server.text("/admin/token"))
        .env("GATEHOUSE_ALERT_KEY", server.text("/alerts/key"))
        .args(["-B", "-m", "schemathesis.cli", "--config-file"])
        .arg(outside::script("schemathesis/schemathesis.toml"))
        .args(["run", "--no-color"])
        .arg(format!("{}/api/v4/openapi.json", server.base_url()))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    Some(Run {
        text: String::from_utf8_lossy(&text).into_owned(),
        is_success: output.status.success(),
    })
}

/// Checks that nothing was found and that every documented operation but one was tried: the one that would revoke the
/// token of the run.
fn check(server: &Server) {
    for name in ["kept", "deleted"] {
        let label = json!({ "name": name, "color": "#336699" });
        server
            .admin()
            .post(&server.below_project("/labels"), &label)
            .expect(201);
    }
    let document = server.anonymous().get("/api/v4/openapi.json");
    let paths = document.expect(200)["paths"].clone();
    let paths = paths.as_object().unwrap().values();
    let documented: usize = paths
        .map(|path| path.as_object().map_or(0, serde_json::Map::len))
        .sum();
    let Some(run) = try_operations(server) else {
        return;
    };
    assert!(run.is_success, "{}", run.text);
    let tested = format!("Tested: {}", documented - 1);
    assert!(run.text.contains(&tested), "{}", run.text);
    // The token of the run still works, so the end was tried as the beginning was.
    let user: Value = server.admin().get("/api/v4/user").expect(200).clone();
    assert_eq!(user["username"], server.text("/admin/username"));
}

#[test]
fn every_operation_answers_as_its_description_says() {
    check(&Server::start());
}

#[test]
fn every_operation_answers_as_its_description_says_on_postgresql() {
    if let Some(database) = TestDatabase::empty() {
        check(&Server::start_with(&["--database", database.url()]));
    }
}
