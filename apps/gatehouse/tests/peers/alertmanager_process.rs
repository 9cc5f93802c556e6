//! A real Alertmanager, as a separate process, that notifies the server under test.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::faulty_link::FaultyLink;
use crate::support::{TestCaller, TestServer, outside};

/// A running Alertmanager. It is killed when dropped.
pub(crate) struct Alertmanager {
    process: Child,
    _directory: TempDir,
    url: String,
    amtool: PathBuf,
}

/// Grouping of alerts into notifications.
#[derive(Clone, Copy)]
pub(crate) enum AlertGrouping {
    /// All alerts of a name in one POST.
    ByName,
    /// All alerts named Storm in one POST, and each other alert in a POST of its own.
    StormsByName,
    /// All alerts of a name in one event of `PagerDuty` and one request to Opsgenie, instead of a webhook.
    Paging,
}

/// Place of an Alertmanager among others.
pub(crate) enum ClusterPlace<'a> {
    /// No cluster.
    Alone,
    /// First member of a cluster.
    First,
    /// Member of the cluster of another one.
    Beside(&'a Alertmanager),
}

impl ClusterPlace<'_> {
    fn arguments(&self) -> Vec<String> {
        if matches!(self, Self::Alone) {
            return vec!["--cluster.listen-address=".to_owned()];
        }
        let mut arguments = vec![
            "--cluster.listen-address=127.0.0.1:0".to_owned(),
            "--cluster.settle-timeout=1s".to_owned(),
            "--cluster.peer-timeout=1s".to_owned(),
        ];
        if let Self::Beside(other) = self {
            let status = TestCaller::new(&other.url, None)
                .get("/api/v2/status")
                .json();
            let address = status["cluster"]["peers"][0]["address"].as_str().unwrap();
            arguments.push(format!("--cluster.peer={address}"));
        }
        arguments
    }
}

impl Alertmanager {
    /// Starts one that notifies `server`, or returns `None` if the program is not installed.
    pub(crate) fn start(server: &TestServer, grouping: AlertGrouping) -> Option<Self> {
        let configuration = configuration(server, grouping, str::to_owned);
        Self::start_with(&configuration, &ClusterPlace::Alone)
    }

    /// Starts one that notifies `server` over a link, with storms in one POST; `None` if the program is not installed.
    pub(crate) fn start_behind(
        link: &FaultyLink,
        server: &TestServer,
        place: &ClusterPlace<'_>,
    ) -> Option<Self> {
        let configuration = configuration(server, AlertGrouping::StormsByName, |url| {
            link.url(server, url)
        });
        Self::start_with(&configuration, place)
    }

    fn start_with(configuration: &str, place: &ClusterPlace<'_>) -> Option<Self> {
        let program = outside::find(
            "GATEHOUSE_TEST_ALERTMANAGER",
            &["/usr/bin/prometheus-alertmanager"],
        )?;
        let amtool = outside::find("GATEHOUSE_TEST_AMTOOL", &["/usr/bin/amtool"])?;
        let directory = tempfile::tempdir().unwrap();
        let config = directory.path().join("alertmanager.yml");
        std::fs::write(&config, configuration).unwrap();
        let mut process = Command::new(program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!(
                "--storage.path={}",
                directory.path().join("state").display()
            ))
            .arg("--web.listen-address=127.0.0.1:0")
            .args(place.arguments())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let address = listening_address(&mut process);
        Some(Self {
            process,
            _directory: directory,
            url: format!("http://{address}"),
            amtool,
        })
    }

    /// URL of its API.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Raises or resolves an alert with the sender's own tool.
    pub(crate) fn amtool(&self, arguments: &[&str]) {
        let output = Command::new(&self.amtool)
            .args(["alert", "add", "--alertmanager.url", &self.url])
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Raises many alerts at once through the sender's API, as a metrics system does.
    pub(crate) fn raise(&self, instances: std::ops::Range<usize>) {
        let alerts: Vec<Value> = instances
            .map(|instance| {
                json!({
                    "labels": { "alertname": "Storm", "severity": "page", "instance": format!("host-{instance}") },
                    "annotations": { "summary": format!("host-{instance} is on fire") },
                })
            })
            .collect();
        self.post(&Value::Array(alerts));
    }

    /// Sends alerts as a metrics system does, in the form of the sender's API.
    pub(crate) fn post(&self, alerts: &Value) {
        TestCaller::new(&self.url, None)
            .post("/api/v2/alerts", alerts)
            .assert_ok();
    }

    /// Returns the alerts that fire, in the form of the sender's API.
    pub(crate) fn firing(&self) -> Vec<Value> {
        TestCaller::new(&self.url, None)
            .get("/api/v2/alerts")
            .list()
    }
}

impl Drop for Alertmanager {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configuration(
    server: &TestServer,
    grouping: AlertGrouping,
    reached: impl Fn(&str) -> String,
) -> String {
    let group_by = match grouping {
        AlertGrouping::ByName | AlertGrouping::Paging => "['alertname']",
        AlertGrouping::StormsByName => "['...']",
    };
    let storms = match grouping {
        AlertGrouping::StormsByName => {
            "  routes:\n  - matchers: ['alertname = Storm']\n    group_by: ['alertname']\n"
        }
        _ => "",
    };
    let key = server.text("/alerts/key");
    let receiver = if matches!(grouping, AlertGrouping::Paging) {
        let base = format!(
            "{}/acme/web-shop/alerts/notify/any/legacy",
            server.base_url()
        );
        format!(
            "  pagerduty_configs:\n  - url: '{base}/v2/enqueue'\n    routing_key: '{key}'\n  \
               opsgenie_configs:\n  - api_url: '{base}/'\n    api_key: '{key}'\n"
        )
    } else {
        let url = reached(server.text("/alerts/metrics_url"));
        format!(
            "  webhook_configs:\n  - url: '{url}'\n    send_resolved: true\n    \
               http_config:\n      authorization:\n        credentials: '{key}'\n"
        )
    };
    format!(
        "route:\n  receiver: gatehouse\n  group_by: {group_by}\n  group_wait: 100ms\n  group_interval: 1s\n  \
           repeat_interval: 4h\n{storms}\
         receivers:\n- name: gatehouse\n{receiver}"
    )
}

/// The address in the log. The rest of the log is read too, so that the pipe never fills.
pub(crate) fn listening_address(process: &mut Child) -> String {
    let log = BufReader::new(process.stderr.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in log.lines().map_while(Result::ok) {
            if line.contains("Listening on")
                && let Some((_, address)) = line.split_once("address=")
            {
                // Only the first address is received.
                let _ = sender.send(address.trim().to_owned());
            }
        }
    });
    receiver
        .recv_timeout(Duration::from_secs(30))
        .expect("the process tells its address")
}
