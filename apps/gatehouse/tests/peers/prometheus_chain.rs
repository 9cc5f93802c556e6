//! From a rule of a real Prometheus, over a clustered pair of Alertmanagers, to an alert and its incident, and back.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::alertmanager_process::listening_address;
use crate::chain::{Chain, counted};
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually_ok;
use crate::support::{TestCaller, outside};

const RULES: &str = "groups:\n- name: disks\n  interval: 1s\n  rules:\n  - alert: DiskFull\n    expr: disk_used_ratio > 0.9\n    \
    labels:\n      severity: critical\n    annotations:\n      summary: 'Disk full: {{ $labels.host }}'\n      \
    runbook_url: https://example.com/disks\n";

/// Prometheus as a separate process, which evaluates a rule about disks every second. It is killed when dropped.
pub(crate) struct Prometheus {
    program: PathBuf,
    directory: TempDir,
    process: Child,
    url: String,
}

/// Address to which Prometheus sends alerts as to an Alertmanager.
pub(crate) struct AlertReceiver {
    /// Origin.
    pub(crate) url: String,
    /// Path before that of the API.
    pub(crate) path_prefix: String,
    /// Bearer token.
    pub(crate) key: String,
}

impl AlertReceiver {
    /// Returns the receiver as an entry of the configuration.
    fn entry(&self) -> String {
        let Self {
            url,
            path_prefix,
            key,
        } = self;
        let target = host(url);
        format!(
            "  - path_prefix: '{path_prefix}'\n    authorization:\n      credentials: '{key}'\n    static_configs:\n    \
             - targets: [{target}]\n"
        )
    }
}

fn host(url: &str) -> String {
    format!("'{}'", url.trim_start_matches("http://"))
}

/// Returns Alertmanagers as an entry of the configuration.
fn entry_of(alertmanagers: &[String]) -> String {
    let targets: Vec<String> = alertmanagers.iter().map(|url| host(url)).collect();
    let targets = targets.join(", ");
    format!("  - static_configs:\n    - targets: [{targets}]\n")
}

impl Prometheus {
    /// Starts one that scrapes `metrics` and notifies these Alertmanagers; `None` if the program is not installed.
    fn start(metrics: &FakeService, alertmanagers: &[String]) -> Option<Self> {
        let alerting = format!("  alertmanagers:\n{}", entry_of(alertmanagers));
        Self::start_with(metrics, "", &alerting)
    }

    /// Starts one that scrapes `metrics` and notifies these Alertmanagers as well as `receiver`; `None` if the program is
    /// not installed.
    pub(crate) fn start_both_ways(
        metrics: &FakeService,
        alertmanagers: &[String],
        receiver: &AlertReceiver,
    ) -> Option<Self> {
        let entries = [entry_of(alertmanagers), receiver.entry()].concat();
        let alerting = format!("  alertmanagers:\n{entries}");
        Self::start_with(metrics, "", &alerting)
    }

    /// Starts a replica that scrapes `metrics` and sends to `receiver`; `None` if the program is not installed.
    pub(crate) fn start_directly(
        metrics: &FakeService,
        receiver: &AlertReceiver,
        replica: &str,
    ) -> Option<Self> {
        let labels = format!("  external_labels:\n    replica: {replica}\n");
        let alerting = format!(
            "  alert_relabel_configs:\n  - action: labeldrop\n    regex: replica\n  alertmanagers:\n{}",
            receiver.entry()
        );
        Self::start_with(metrics, &labels, &alerting)
    }

    /// Starts one that reads the metrics of a server with this token, evaluates these rules, and sends to `receiver`;
    /// `None` if the program is not installed.
    pub(crate) fn start_on_server(
        url: &str,
        token: &str,
        rules: &str,
        receiver: &AlertReceiver,
    ) -> Option<Self> {
        let scraping = format!(
            "- job_name: gatehouse\n  metrics_path: /-/metrics\n  authorization:\n    credentials: {token}\n  \
             static_configs:\n  - targets: [{}]\n",
            host(url)
        );
        let alerting = format!("  alertmanagers:\n{}", receiver.entry());
        Self::start_configured("", &alerting, &scraping, rules)
    }

    fn start_with(metrics: &FakeService, global: &str, alerting: &str) -> Option<Self> {
        let scraping = format!(
            "- job_name: disks\n  static_configs:\n  - targets: [{}]\n",
            host(&metrics.url())
        );
        Self::start_configured(global, alerting, &scraping, RULES)
    }

    fn start_configured(global: &str, alerting: &str, scraping: &str, rules: &str) -> Option<Self> {
        let program = outside::find("GATEHOUSE_TEST_PROMETHEUS", &["/usr/bin/prometheus"])?;
        let directory = tempfile::tempdir().unwrap();
        let configuration = format!(
            "global:\n  scrape_interval: 1s\n  evaluation_interval: 1s\n{global}rule_files: ['rules.yml']\nalerting:\n\
             {alerting}scrape_configs:\n{scraping}"
        );
        for (name, text) in [("prometheus.yml", &*configuration), ("rules.yml", rules)] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let (process, url) = Self::run(&program, &directory);
        Some(Self {
            program,
            directory,
            process,
            url,
        })
    }

    fn run(program: &PathBuf, directory: &TempDir) -> (Child, String) {
        let mut process = Command::new(program)
            .current_dir(directory.path())
            .args([
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=data",
                "--web.listen-address=127.0.0.1:0",
                // The end that each notification names is four times as far away.
                "--rules.alert.resend-delay=1s",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let address = listening_address(&mut process);
        (process, format!("http://{address}"))
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        (self.process, self.url) = Self::run(&self.program, &self.directory);
    }

    /// Titles of the alerts that fire here; an error while it starts.
    pub(crate) fn firing(&self) -> Result<Vec<String>, String> {
        let found = TestCaller::new(&self.url, None).get("/api/v1/alerts");
        if found.status != 200 {
            return Err(format!("status {}", found.status));
        }
        let found = found.json();
        let alerts = found["data"]["alerts"].as_array().unwrap().iter();
        let firing = alerts.filter(|alert| alert["state"] == "firing");
        let title = |alert: &Value| alert["annotations"]["summary"].as_str().unwrap().to_owned();
        let mut titles: Vec<String> = firing.map(title).collect();
        titles.sort();
        Ok(titles)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sets which of five disks are full.
pub(crate) fn fill(metrics: &FakeService, full: std::ops::Range<usize>) {
    let mut text = "# TYPE disk_used_ratio gauge\n".to_owned();
    for host in 0..5 {
        let ratio = if full.contains(&host) { 0.95 } else { 0.5 };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "disk_used_ratio{{host=\"host-{host}\"}} {ratio}");
    }
    metrics.always("/metrics", "text/plain; version=0.0.4", &text);
}

pub(crate) fn titles(full: std::ops::Range<usize>) -> Vec<String> {
    full.map(|host| format!("Disk full: host-{host}")).collect()
}

impl Chain {
    /// Waits until these disks are what fires at Prometheus, at both Alertmanagers and here.
    fn agree_on(&mut self, prometheus: &Prometheus, full: std::ops::Range<usize>, event: &str) {
        let expected = titles(full);
        eventually_ok("Prometheus evaluates its rule", || {
            let firing = prometheus.firing()?;
            (firing == expected)
                .then_some(())
                .ok_or(format!("{firing:?}"))
        });
        self.settle_on(&expected, event);
    }

    /// Waits until both Alertmanagers and the server have these open alerts.
    fn settle_on(&mut self, expected: &[String], event: &str) {
        let expected = counted(expected.iter().map(String::as_str));
        eventually_ok("the Alertmanagers are notified", || {
            let firing = self.firing_at_each();
            let is_expected = firing.iter().all(|firing| *firing == expected);
            is_expected.then_some(()).ok_or(format!("{firing:?}"))
        });
        self.agree(event);
    }

    /// Waits until there are these numbers of open and closed incidents.
    fn wait_for_incidents(&self, open: usize, closed: usize) {
        eventually_ok("incidents follow their alerts", || {
            let found = (self.incidents("opened"), self.incidents("closed"));
            (found == (open, closed))
                .then_some(())
                .ok_or(format!("{found:?}"))
        });
    }
}

/// ALRT-07, ALRT-10. The server agrees with a rule of Prometheus, also after kill -9 of it.
#[test]
fn a_rule_of_prometheus_opens_and_closes_incidents_through_a_clustered_pair() {
    let Some(mut chain) = Chain::start() else {
        return;
    };
    let metrics = FakeService::start();
    fill(&metrics, 0..5);
    let urls = chain.sender_urls();
    let Some(mut prometheus) = Prometheus::start(&metrics, &urls) else {
        return;
    };
    chain.agree_on(&prometheus, 0..5, "five disks fill up");
    chain.wait_for_incidents(5, 0);
    let first = &chain.found("Disk full: host-4")[0];
    assert_eq!(first["monitoring_tool"], "Prometheus", "{first}");

    fill(&metrics, 3..5);
    chain.agree_on(&prometheus, 3..5, "three recover");
    chain.wait_for_incidents(2, 3);

    // It starts again before the alerts end that it sent, and resumes them.
    prometheus.kill();
    prometheus.restart();
    chain.agree_on(&prometheus, 3..5, "kill -9 of Prometheus, and a start");
    assert_eq!(chain.found("Disk full: host-4").len(), 1);

    // Without it the alerts time out at Alertmanager.
    prometheus.kill();
    chain.settle_on(&[], "kill -9 of Prometheus");
    chain.wait_for_incidents(0, 5);
    prometheus.restart();
    chain.agree_on(&prometheus, 3..5, "a later start");
    let again = chain.found("Disk full: host-4");
    assert_eq!((again.len(), &again[0]["flap_count"]), (2, &Value::from(1)));

    fill(&metrics, 0..0);
    chain.agree_on(&prometheus, 0..0, "all recover");
    chain.wait_for_incidents(0, 7);
    println!("{}", chain.table());
}
