//! A clustered pair of Alertmanagers and the server, with every fault between them: at the end of each, the open alerts are
//! those that fire at the sender, each once.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use api_conventions::time::{Clock as _, Timestamp};
use gatehouse_core::clock::SystemClock;
use serde_json::{Value, json};

use crate::alertmanager_process::{Alertmanager, ClusterPlace};
use crate::faulty_link::{FaultyLink, LinkState};
use crate::support::polling::eventually_ok;
use crate::support::{TestServer, eventually};

/// Alerts of the storm.
const STORM: usize = 10_000;

/// Hosts with an open alert, and the number of alerts of each.
pub(crate) type OpenAlerts = BTreeMap<String, usize>;

/// The chain from the senders to the server.
pub(crate) struct Chain {
    pub(crate) server: TestServer,
    links: [FaultyLink; 2],
    senders: [Option<Alertmanager>; 2],
    started_at: Timestamp,
    /// Rows of the table that is printed at the end.
    table: String,
}

/// Builds an alert in the form of the sender's API, with the times of its start and end in seconds from `start`.
fn alert(name: &str, host: usize, start: Timestamp, times: (i64, i64)) -> Value {
    json!({
        "labels": { "alertname": name, "severity": "critical", "instance": format!("host-{host}") },
        "annotations": { "summary": format!("{name} host-{host}") },
        "startsAt": start.plus_seconds(times.0).to_string(),
        "endsAt": start.plus_seconds(times.1).to_string(),
    })
}

impl Chain {
    /// Starts the server, with incidents for all alerts, and a clustered pair; `None` without Alertmanager.
    pub(crate) fn start() -> Option<Self> {
        Self::start_at(TestServer::start())
    }

    /// Starts a clustered pair at a server, which creates incidents for all alerts; `None` without Alertmanager.
    pub(crate) fn start_at(server: TestServer) -> Option<Self> {
        let settings = format!(
            "/api/v4/projects/{}/incident_management_settings",
            server.project()
        );
        let on = json!({ "create_incidents": true });
        server.admin().put(&settings, &on).expect(200);
        let links = [FaultyLink::to(&server), FaultyLink::to(&server)];
        let first = Alertmanager::start_behind(&links[0], &server, &ClusterPlace::First)?;
        let place = ClusterPlace::Beside(&first);
        let second = Alertmanager::start_behind(&links[1], &server, &place)?;
        Some(Self {
            server,
            links,
            senders: [Some(first), Some(second)],
            started_at: SystemClock.now(),
            table:
                "| fault | firing at the sender | open here | more than once |\n|---|---|---|---|\n"
                    .to_owned(),
        })
    }

    /// Ends the senders, and returns the server.
    pub(crate) fn into_server(self) -> TestServer {
        self.server
    }

    /// Sends alerts that fire to every sender, as Prometheus does.
    fn fire(&self, name: &str, hosts: std::ops::Range<usize>) {
        self.post(name, hosts, (-60, 36_000));
    }

    /// Ends alerts at every sender.
    fn end(&self, name: &str, hosts: std::ops::Range<usize>) {
        let now = SystemClock.now().as_micros() - self.started_at.as_micros();
        self.post(name, hosts, (-60, now / 1_000_000));
    }

    fn post(&self, name: &str, hosts: std::ops::Range<usize>, times: (i64, i64)) {
        let alerts: Vec<Value> = hosts
            .map(|host| alert(name, host, self.started_at, times))
            .collect();
        let alerts = Value::Array(alerts);
        self.senders
            .iter()
            .flatten()
            .for_each(|one| one.post(&alerts));
    }

    /// Titles that fire at each sender that runs.
    pub(crate) fn firing_at_each(&self) -> Vec<OpenAlerts> {
        let titles = |sender: &Alertmanager| {
            let firing = sender.firing();
            let alerts = firing.iter();
            counted(alerts.map(|alert| alert["annotations"]["summary"].as_str().unwrap()))
        };
        self.senders.iter().flatten().map(titles).collect()
    }

    /// URLs of the senders.
    pub(crate) fn sender_urls(&self) -> Vec<String> {
        let senders = self.senders.iter().flatten();
        senders.map(|sender| sender.url().to_owned()).collect()
    }

    /// The rows written so far, as a table.
    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    /// Titles of the open alerts of the server.
    fn open(&self) -> OpenAlerts {
        let path = format!(
            "/api/v4/projects/{}/alert_management_alerts?status=open&pagination=keyset&per_page=100",
            self.server.project()
        );
        let mut open = Vec::new();
        let mut next = Some(path);
        while let Some(url) = next {
            let answer = self.server.developer().get(&url);
            open.extend(answer.list());
            next = answer.link("next");
        }
        let titles = open.iter().map(|alert| alert["title"].as_str().unwrap());
        counted(titles.filter(|title| title.contains("host-")))
    }

    /// Waits until the open alerts are those of the sender, and writes the row of a fault.
    pub(crate) fn agree(&mut self, fault: &str) {
        let firing = self.firing_at_each().swap_remove(0);
        let open = eventually_ok("the server agrees with the sender", || {
            let open = self.open();
            if open == firing {
                Ok(open)
            } else {
                Err(format!(
                    "{fault}: {} fire, {} are open",
                    firing.len(),
                    open.len()
                ))
            }
        });
        let doubled = open.values().filter(|count| **count > 1).count();
        let (firing, open) = (firing.len(), open.len());
        // Writing to a string cannot fail.
        let _ = writeln!(self.table, "| {fault} | {firing} | {open} | {doubled} |");
    }

    /// Alerts of the server by title, with the number of their occurrences, newest first.
    pub(crate) fn found(&self, title: &str) -> Vec<Value> {
        let path = format!(
            "/api/v4/projects/{}/alert_management_alerts?per_page=100&search={}",
            self.server.project(),
            title.replace(' ', "+")
        );
        let found = self.server.developer().get(&path).list();
        found
            .into_iter()
            .filter(|alert| alert["title"] == title)
            .collect()
    }

    /// Number of incidents in a state.
    pub(crate) fn incidents(&self, state: &str) -> usize {
        let path = format!(
            "/api/v4/projects/{}/issues?issue_type=incident&state={state}&per_page=1",
            self.server.project()
        );
        let answer = self.server.developer().get(&path);
        answer.header("x-total").unwrap().parse().unwrap()
    }
}

pub(crate) fn counted<'t>(titles: impl Iterator<Item = &'t str>) -> OpenAlerts {
    let mut counts = OpenAlerts::new();
    for title in titles {
        *counts.entry(title.to_owned()).or_default() += 1;
    }
    counts
}

/// ALRT-07, ALRT-10. Each fault ends with the state of the sender, and all incidents end with their alerts.
#[test]
fn the_server_agrees_with_a_clustered_pair_after_every_fault() {
    let Some(mut chain) = Chain::start() else {
        return;
    };
    chain.fire("Up", 0..20);
    chain.agree("none");

    for (state, name) in [
        (LinkState::Unavailable, "503"),
        (LinkState::RequestsLost, "requests lost"),
        (LinkState::ResponsesLost, "responses lost"),
    ] {
        let before: usize = chain.links.iter().map(FaultyLink::failed).sum();
        chain.links.iter().for_each(|link| link.set(state));
        chain.fire(name, 0..20);
        chain.end("Up", 0..5);
        eventually("deliveries fail", || {
            let failed: usize = chain.links.iter().map(FaultyLink::failed).sum();
            (failed >= before + 5).then_some(())
        });
        // Alertmanager tries again until the link is up.
        chain.links.iter().for_each(|link| link.set(LinkState::Up));
        chain.agree(name);
    }

    // One member of the pair has no link: the other one delivers for both.
    chain.links[0].set(LinkState::RequestsLost);
    chain.fire("Partition", 0..20);
    chain.agree("one link down");
    chain.links[0].set(LinkState::Up);
    // A member that knows nothing of what the others delivered delivers all of it again.
    let alone = Alertmanager::start_behind(&chain.links[1], &chain.server, &ClusterPlace::Alone);
    chain.senders[1] = alone;
    chain.fire("Partition", 0..25);
    chain.agree("a peer apart, killed before");
    for host in 0..20 {
        let found = chain.found(&format!("Partition host-{host}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["event_count"], 1, "a retry is no occurrence");
    }

    chain.post("Skew", 0..5, (600, 36_000));
    chain.agree("a clock ahead");

    for round in 0..3 {
        let now = SystemClock.now().as_micros() - chain.started_at.as_micros();
        let start = now / 1_000_000 - 1;
        chain.post("Flap", 0..1, (start, 36_000));
        chain.agree("flapping");
        chain.post("Flap", 0..1, (start, start + 1));
        chain.agree(&format!("flapping, end {round}"));
    }

    chain.fire("Storm", 0..STORM / 2);
    chain.server.kill();
    chain.fire("Storm", 0..STORM);
    chain.server.restart();
    chain.agree("a storm and kill -9 of the server");

    for name in ["Up", "503", "requests lost", "responses lost"] {
        chain.end(name, 0..20);
    }
    chain.end("Partition", 0..25);
    chain.end("Storm", 0..STORM);
    chain.agree("everything ends");
    println!("{}", chain.table);
    // The alerts from the future have not begun, so they are not over.
    assert_eq!(chain.open().len(), 5);
    assert_eq!(chain.incidents("opened"), 5);
    assert!(
        chain.incidents("closed") > 100,
        "most alerts had an incident"
    );
}
