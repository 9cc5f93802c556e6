//! Two replicas of a real Prometheus that send to the server as to an Alertmanager, and `amtool`.

use std::process::Command;

use serde_json::{Value, json};

use crate::prometheus_chain::{AlertReceiver, Prometheus, fill, titles};
use crate::support::alertmanager::AlertmanagerEndpoint;
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually_ok;
use crate::support::{TestServer, outside};

/// Returns the alerts of these statuses from Prometheus, the oldest first.
fn stored(server: &TestServer, statuses: &str) -> Vec<Value> {
    let path = format!("{}?status={statuses}&per_page=100", server.alerts());
    let mut listed = server.developer().get(&path).list();
    listed.retain(|alert| alert["monitoring_tool"] == "Prometheus");
    listed.reverse();
    listed
}

/// Waits until both replicas and the server agree on the disks that are full.
fn agree(server: &TestServer, replicas: &[Prometheus], full: std::ops::Range<usize>) {
    let expected = titles(full);
    eventually_ok("the replicas and the server agree", || {
        for replica in replicas {
            let firing = replica.firing()?;
            if firing != expected {
                return Err(format!("Prometheus: {firing:?}"));
            }
        }
        let mut open: Vec<String> = stored(server, "triggered,acknowledged")
            .iter()
            .map(|alert| alert["title"].as_str().unwrap().to_owned())
            .collect();
        open.sort();
        (open == expected)
            .then_some(())
            .ok_or(format!("server: {open:?}"))
    });
}

/// `amtool`, with the token of a developer.
struct Amtool {
    program: std::path::PathBuf,
    url: String,
}

impl Amtool {
    /// Runs a command, and returns whether it succeeded and what it printed.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new(&self.program)
            .args(["--alertmanager.url", &self.url, "--output=json"])
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.success(), text.trim().to_owned())
    }

    /// Runs a command that prints a list.
    fn list(&self, arguments: &[&str]) -> Vec<Value> {
        let (is_done, text) = self.run(arguments);
        assert!(is_done, "{arguments:?}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

/// Two replicas report each alert once; a restart of the server loses and ends nothing, and without Prometheus the
/// alerts end.
#[test]
fn replicas_of_prometheus_send_directly_and_agree_with_the_server_after_kill_9() {
    let mut server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let metrics = FakeService::start();
    fill(&metrics, 0..3);
    let receiver = AlertReceiver {
        url: server.base_url().to_owned(),
        path_prefix: endpoint.below.clone(),
        key: endpoint.key.clone(),
    };
    let mut replicas = Vec::new();
    for name in ["a", "b"] {
        let Some(replica) = Prometheus::start_directly(&metrics, &receiver, name) else {
            return;
        };
        replicas.push(replica);
    }
    agree(&server, &replicas, 0..3);
    for alert in stored(&server, "triggered") {
        let counts = (&alert["event_count"], &alert["flap_count"]);
        assert_eq!(counts, (&json!(1), &json!(0)), "{alert}");
    }
    server.kill();
    fill(&metrics, 2..5);
    server.restart();
    agree(&server, &replicas, 2..5);
    assert_eq!(stored(&server, "resolved").len(), 2);
    for replica in &mut replicas {
        replica.kill();
        replica.restart();
    }
    agree(&server, &replicas, 2..5);
    fill(&metrics, 0..0);
    agree(&server, &replicas, 0..0);
    assert_eq!(stored(&server, "resolved").len(), 5, "each alert was one");
}

/// The commands of `amtool` that read alerts and manage silences.
#[test]
fn amtool_lists_alerts_and_manages_silences() {
    let Some(program) = outside::find("GATEHOUSE_TEST_AMTOOL", &["/usr/bin/amtool"]) else {
        return;
    };
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let host = server.base_url().trim_start_matches("http://");
    let token = server.token("dev", "api");
    let amtool = Amtool {
        program,
        url: format!("http://dev:{token}@{host}{}", endpoint.below),
    };
    let alert = |instance: &str| json!({ "labels": { "alertname": "Up", "instance": instance } });
    endpoint
        .send(&json!([alert("a"), alert("b")]))
        .expect_text(200);
    assert_eq!(amtool.list(&["alert", "query", "alertname=Up"]).len(), 2);
    assert_eq!(amtool.list(&["alert", "query", "instance=~a|c"]).len(), 1);
    let add = [
        "silence",
        "add",
        "--comment=disks",
        "--duration=2h",
        "alertname=Up",
        "instance=a",
    ];
    let (is_done, id) = amtool.run(&add);
    assert!(is_done, "{id}");
    let names = |alerts: Vec<Value>| {
        let instances = alerts
            .iter()
            .map(|alert| alert["labels"]["instance"].to_string());
        instances.collect::<Vec<_>>()
    };
    assert_eq!(
        names(amtool.list(&["alert", "query", "alertname=Up"])),
        ["\"b\""]
    );
    let hidden = ["alert", "query", "--silenced", "alertname=Up"];
    assert_eq!(names(amtool.list(&hidden)), ["\"a\""]);
    let silences = amtool.list(&["silence", "query"]);
    let author = silences[0]["createdBy"].as_str().unwrap();
    assert!(author.ends_with("(dev)"), "{author}");
    let (is_done, updated) = amtool.run(&["silence", "update", "--duration=5h", &id]);
    assert!(is_done, "{updated}");
    assert_eq!(amtool.list(&["silence", "query"])[0]["id"], id.as_str());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), serde_json::to_string(&silences).unwrap()).unwrap();
    let (is_done, text) = amtool.run(&["silence", "expire", &id]);
    assert!(is_done, "{text}");
    assert_eq!(amtool.list(&["silence", "query"]), Vec::<Value>::new());
    let (is_done, imported) = amtool.run(&["silence", "import", file.path().to_str().unwrap()]);
    assert!(is_done, "{imported}");
    assert_eq!(amtool.list(&["silence", "query"]).len(), 1);
    assert_eq!(amtool.list(&["silence", "query", "--expired"]).len(), 1);
    let everything = ["silence", "add", "--comment=x", "alertname=~.*"];
    assert!(!amtool.run(&everything).0, "it would hide every alert");
    assert!(amtool.run(&["config", "show"]).0);
    assert!(amtool.run(&["cluster", "show"]).0);
}
