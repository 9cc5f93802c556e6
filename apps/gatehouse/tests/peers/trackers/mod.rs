//! Programs that report with the official SDKs, unmodified. The sent data is read back through the API, so that the
//! collector's promises are checked with its real clients.

mod command_line;
mod errors;
mod health;
mod limits;
mod monitors;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::clients::run_client;
use crate::support::{TestServer, outside};

/// Release of all programs in these tests.
const RELEASE: &str = "shop@1.2.3";

/// SDK of a program. All programs play the same shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestedSdk {
    Python,
    Node,
    /// A page of a shop in Chromium, on an origin of its own.
    Browser,
    Rust,
}

impl TestedSdk {
    /// A program that reports to a DSN, in a part that its script describes. `None` if a dependency is missing.
    fn program(self, part: &str, dsn: &str) -> Option<Command> {
        let mut command = match self {
            Self::Python => {
                let mut command = Command::new(outside::find("GATEHOUSE_TEST_PYTHON", &[])?);
                command.args(["-B", "-W", "error::UserWarning"]);
                command.arg(script("report.py"));
                command
            }
            Self::Node => {
                let mut command = Command::new(outside::find("GATEHOUSE_TEST_NODE", &[])?);
                command.arg(script("report.mjs")).arg(packages()?);
                command
            }
            Self::Browser => {
                let chromium = outside::find("GATEHOUSE_TEST_CHROMIUM", &["/usr/bin/chromium"])?;
                let mut command = Command::new(outside::find("GATEHOUSE_TEST_NODE", &[])?);
                command.arg(script("page.mjs")).arg(packages()?);
                command.arg(chromium);
                command
            }
            Self::Rust => {
                let program = outside::find("GATEHOUSE_TEST_RUST_CLIENTS", &[])?;
                let mut command = Command::new(program);
                command.arg("tracker");
                command
            }
        };
        command.args([part, dsn]);
        Some(command)
    }

    /// Plays a part to its end, and returns the last line, which lists the attempts.
    #[track_caller]
    fn play(self, part: &str, dsn: &str) -> Option<String> {
        let mut command = self.program(part, dsn)?;
        // A browser that is killed because something failed leaves its own files behind.
        let temporary = tempfile::tempdir().unwrap();
        Some(run_client(command.env("TMPDIR", temporary.path())))
    }
}

/// A script of this directory.
fn script(name: &str) -> PathBuf {
    outside::script(&format!("trackers/{name}"))
}

/// Directory of the Node packages.
fn packages() -> Option<PathBuf> {
    outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[])
}

/// The API's response at a path below the error tracking of the sample project.
#[track_caller]
fn get_tracker(server: &TestServer, rest: &str) -> Value {
    let path = server.below_project(&format!("/error_tracking{rest}"));
    server.admin().get(&path).expect(200)
}

/// The only error whose title begins with this, with its tags.
#[track_caller]
fn error(server: &TestServer, title: &str) -> Value {
    let all = get_tracker(server, "/errors?status=all&per_page=100");
    let has_title = |error: &&Value| error["title"].as_str().unwrap().starts_with(title);
    let found: Vec<&Value> = all.as_array().unwrap().iter().filter(has_title).collect();
    let [error] = found[..] else {
        panic!("{title}: {found:?}")
    };
    get_tracker(server, &format!("/errors/{}", error["iid"]))
}

/// The report of an error's latest event.
#[track_caller]
fn latest_report(server: &TestServer, error: &Value) -> Value {
    let event = get_tracker(server, &format!("/errors/{}/events/latest", error["iid"]));
    assert_eq!(event["release"], RELEASE, "{event}");
    assert_eq!(event["environment"], "staging", "{event}");
    event["report"].clone()
}

/// The values of an error's tag, with the number of events of each.
fn tag(error: &Value, name: &str) -> Vec<(String, i64)> {
    let tags = error["tags"].as_array().unwrap().iter();
    let values = tags.filter(|tag| tag["name"] == name);
    let values = values.flat_map(|tag| tag["values"].as_array().unwrap());
    values
        .map(|value| {
            let text = value["value"].as_str().unwrap().to_owned();
            (text, value["count"].as_i64().unwrap())
        })
        .collect()
}
