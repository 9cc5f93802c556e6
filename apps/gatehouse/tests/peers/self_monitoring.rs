//! Prometheus reads the metrics of the server, and sends the alerts of the published rules to it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::prometheus_chain::{AlertReceiver, Prometheus};
use crate::support::alertmanager::AlertmanagerEndpoint;
use crate::support::polling::eventually_ok;
use crate::support::{TestServer, outside};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const RULES: &str = include_str!("../../../../docs/prometheus-rules.yml");

fn server() -> TestServer {
    TestServer::start_configured(&format!("[metrics]\ntoken = \"{TOKEN}\"\n"))
}

/// Runs a check of `promtool` on this input. `None` if it is not installed.
fn check(arguments: &[&str], input: &str) -> Option<()> {
    let program = outside::find("GATEHOUSE_TEST_PROMTOOL", &["/usr/bin/promtool"])?;
    let mut process = Command::new(program)
        .arg("check")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = process.wait_with_output().unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && complaints.is_empty(),
        "{arguments:?}: {complaints}"
    );
    Some(())
}

#[test]
fn promtool_accepts_the_metrics_and_the_published_rules() {
    let server = server();
    server.anonymous().get("/api/v4/user").expect(401);
    let authorization = format!("Bearer {TOKEN}");
    let reader = server.anonymous().with("Authorization", &authorization);
    let text = reader.get("/-/metrics").expect_text(200);
    if check(&["metrics"], &text).is_none() {
        return;
    }
    // Cargo runs tests in the directory of their package.
    let published = "../../docs/prometheus-rules.yml";
    check(&["rules", published], "").unwrap();
}

/// A refused delivery becomes an alert in the server that refused it.
#[test]
fn the_published_rules_alert_about_the_server() {
    let server = server();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let receiver = AlertReceiver {
        url: server.base_url().to_owned(),
        path_prefix: endpoint.below.clone(),
        key: endpoint.key.clone(),
    };
    let lines = RULES
        .lines()
        .filter(|line| !line.trim().starts_with("for:"));
    let rules: Vec<&str> = lines.collect();
    let url = server.base_url();
    let Some(_prometheus) = Prometheus::start_on_server(url, TOKEN, &rules.join("\n"), &receiver)
    else {
        return;
    };
    let deliveries = |result: &str| {
        let authorization = format!("Bearer {TOKEN}");
        let reader = server.anonymous().with("Authorization", &authorization);
        let text = reader.get("/-/metrics").expect_text(200);
        let name = format!("gatehouse_alert_deliveries_total{{result=\"{result}\"}} ");
        let count = text.lines().find_map(|line| line.strip_prefix(&*name));
        count.unwrap().parse::<u64>().unwrap()
    };
    let find = |title: &str| {
        let path = format!("{}?per_page=100", server.alerts());
        let alerts = server.developer().get(&path).list();
        let titles: Vec<_> = alerts.iter().map(|alert| alert["title"].clone()).collect();
        let is_there = titles.iter().any(|found| found == title);
        is_there.then_some(()).ok_or(format!("{titles:?}"))
    };
    let before = deliveries("refused");
    eventually_ok("Prometheus reports a refused delivery", || {
        // The first sample of Prometheus may be later than the first refusal.
        let refused = server.sender().post(&server.generic(), &json!([]));
        refused.expect(400);
        find("Gatehouse refuses deliveries of alerts")
    });
    assert!(deliveries("refused") > before);
}
