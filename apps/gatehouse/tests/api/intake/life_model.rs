//! Random lives of alerts against a small model: firings, repeats, ends, late and lost deliveries, changes by a user, and servers
//! that are killed.

use serde_json::{Value, json};

use super::{item, webhook};
use crate::oauth_races::on_each_database_with;
use crate::support::random::Random;
use crate::support::{TestCaller, TestServer};

const SEEDS: [u64; 3] = [0x5eed, 0xa1e7, 0xf1a9];
const STEPS: usize = 120;
/// Steps after which the project is compared with the model.
const CHECKED: usize = 6;
const NAMES: usize = 4;
/// Minutes within which an alert that fires again has a flap more.
const FLAP: i64 = 60;
/// End of an alert that a user resolved: now, which is later than any time of the sender.
const NOW: i64 = i64::MAX;

/// A report of the sender about one of its alerts, with times in minutes.
#[derive(Debug, Clone, Copy)]
struct SenderReport {
    name: usize,
    start: i64,
    end: Option<i64>,
}

/// An endpoint that takes the reports.
struct ModelEndpoint {
    path: String,
    sender: TestCaller,
}

#[derive(Debug, Clone)]
struct ModelAlert {
    name: usize,
    status: &'static str,
    start: i64,
    /// Counts if the status is `resolved`.
    end: i64,
    by_hand: bool,
    occurrences: i64,
    deliveries: i64,
    flaps: i64,
}

impl ModelAlert {
    fn is_open(&self) -> bool {
        self.status != "resolved"
    }

    /// Takes a later start than the known one as an occurrence of its own.
    fn count(&mut self, start: i64) {
        let is_later = start > self.start;
        self.occurrences += i64::from(is_later);
        self.flaps += i64::from(is_later);
        self.start = self.start.max(start);
    }

    /// Flaps of an alert that fires after this one.
    fn flaps_after(&self, start: i64) -> i64 {
        if start.saturating_sub(self.end) <= FLAP {
            self.flaps + 1
        } else {
            0
        }
    }

    /// Takes the report that it fires. Returns the flaps of the new alert that this opens.
    fn fire(&mut self, start: i64) -> Option<i64> {
        if self.is_open() {
            self.count(start);
            None
        } else if start > self.start {
            Some(self.flaps_after(start))
        } else {
            // A user resolved what still fires.
            (self.by_hand && start == self.start).then_some(self.flaps)
        }
    }

    /// Takes the report that it ended. Returns the flaps of the new alert that this opens, which is over already.
    fn end(&mut self, start: i64, end: i64) -> Option<i64> {
        // Senders move starts back, so an older start alone proves nothing.
        let is_of_the_latest = start >= self.start || end > self.start;
        if self.is_open() {
            if is_of_the_latest {
                self.count(start);
                (self.status, self.end) = ("resolved", end);
            }
            return None;
        }
        if self.by_hand && start <= self.start && is_of_the_latest {
            self.by_hand = false;
            return None;
        }
        let is_new = start > self.start && end > self.end;
        is_new.then(|| self.flaps_after(start))
    }
}

/// The sender and what its project should show.
struct LifeModel {
    random: Random,
    clock: i64,
    /// Start of what fires at the sender now.
    firing: [Option<i64>; NAMES],
    /// Everything that the sender ever said, delivered or not.
    said: Vec<SenderReport>,
    alerts: Vec<ModelAlert>,
    /// Log for the message of a failure.
    log: Vec<String>,
}

impl LifeModel {
    /// Lets the sender say something new about one of its alerts.
    fn say(&mut self) -> SenderReport {
        let name = self.random.below(NAMES);
        self.clock += 1 + i64::try_from(self.random.below(90)).unwrap();
        let ends = self.random.below(3) == 0;
        let report = match self.firing[name] {
            Some(start) if ends => {
                self.firing[name] = None;
                SenderReport {
                    name,
                    start,
                    end: Some(self.clock),
                }
            }
            known => {
                let start = known.unwrap_or(self.clock);
                self.firing[name] = Some(start);
                SenderReport {
                    name,
                    start,
                    end: None,
                }
            }
        };
        self.said.push(report);
        report
    }

    /// Chooses what the next POST says: something new, or a late copy of something old. Some of it is lost on the way.
    fn next_reports(&mut self) -> Vec<SenderReport> {
        let count = 1 + self.random.below(3);
        let mut reports = Vec::new();
        for _ in 0..count {
            let is_late = !self.said.is_empty() && self.random.below(3) == 0;
            let report = if is_late {
                self.said[self.random.below(self.said.len())]
            } else {
                self.say()
            };
            if is_late || self.random.below(5) > 0 {
                reports.push(report);
            }
        }
        reports
    }

    /// The alert that a report with this name is about: the open one, or else the newest.
    fn current(&self, name: usize) -> Option<usize> {
        let of_name = |alert: &&ModelAlert| alert.name == name;
        let open = self
            .alerts
            .iter()
            .position(|alert| of_name(&alert) && alert.is_open());
        open.or_else(|| self.alerts.iter().rposition(|alert| of_name(&alert)))
    }

    fn deliver(&mut self, report: SenderReport) {
        let new = ModelAlert {
            name: report.name,
            status: if report.end.is_some() {
                "resolved"
            } else {
                "triggered"
            },
            start: report.start,
            end: report.end.unwrap_or(0),
            by_hand: false,
            occurrences: 1,
            deliveries: 1,
            flaps: 0,
        };
        let Some(index) = self.current(report.name) else {
            self.alerts.push(new);
            return;
        };
        let known = &mut self.alerts[index];
        let opened = match report.end {
            None => known.fire(report.start),
            Some(end) => known.end(report.start, end),
        };
        match opened {
            Some(flaps) => self.alerts.push(ModelAlert { flaps, ..new }),
            None => known.deliveries += 1,
        }
    }

    /// Lets a user change the status of any alert, and checks that a second open alert with its name is refused.
    fn change(&mut self, server: &TestServer, first_iid: i64) {
        let index = self.random.below(self.alerts.len());
        let wanted = self
            .random
            .choose(&["triggered", "acknowledged", "resolved", "ignored"]);
        let path = format!(
            "{}/{}",
            server.alerts(),
            first_iid + i64::try_from(index).unwrap()
        );
        let answer = server.developer().put(&path, &json!({ "status": wanted }));
        let before = self.alerts[index].clone();
        let iid = first_iid + i64::try_from(index).unwrap();
        self.log.push(format!("{iid} becomes {wanted}: {before:?}"));
        let is_opened = wanted != "resolved" && !before.is_open();
        let current = self.current(before.name).unwrap();
        if is_opened && self.alerts[current].is_open() {
            assert_eq!(answer.status, 400, "{}", answer.text());
            return;
        }
        assert_eq!(answer.expect(200)["status"], wanted);
        let alert = &mut self.alerts[index];
        if wanted == "resolved" && before.is_open() {
            (alert.by_hand, alert.end) = (true, NOW);
        } else if is_opened {
            alert.by_hand = false;
        }
        alert.status = wanted;
    }

    /// Compares the alerts of the project from the first one of this life.
    fn check(&self, server: &TestServer, first_iid: i64) {
        let expected: Vec<String> = (first_iid..)
            .zip(&self.alerts)
            .map(|(iid, alert)| {
                let ModelAlert {
                    name,
                    status,
                    occurrences,
                    deliveries,
                    flaps,
                    ..
                } = alert;
                format!("{iid} {name} {status} {occurrences} {deliveries} {flaps}")
            })
            .collect();
        assert_eq!(shown(server, first_iid), expected, "{:#?}", self.log);
    }
}

/// The alerts of the project from a number on, as the API shows them.
fn shown(server: &TestServer, first_iid: i64) -> Vec<String> {
    let mut shown = Vec::new();
    for page in 1.. {
        let path = format!("{}?sort=asc&per_page=100&page={page}", server.alerts());
        let alerts = server.developer().get(&path).list();
        let is_last = alerts.len() < 100;
        shown.extend(alerts);
        if is_last {
            break;
        }
    }
    let of_life = shown
        .iter()
        .filter(|alert| alert["iid"].as_i64() >= Some(first_iid));
    let line = |alert: &Value| {
        let title = alert["title"].as_str().unwrap();
        let (_, name) = title.rsplit_once(' ').unwrap();
        let status = alert["status"].as_str().unwrap();
        let [iid, occurrences, deliveries, flaps] =
            ["iid", "event_count", "delivery_count", "flap_count"].map(|field| &alert[field]);
        format!("{iid} {name} {status} {occurrences} {deliveries} {flaps}")
    };
    of_life.map(line).collect()
}

/// A time of the sender.
fn time(minutes: i64) -> String {
    let (day, hour, minute) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    format!(
        "2024-{:02}-{:02}T{hour:02}:{minute:02}:00Z",
        1 + day / 28,
        1 + day % 28
    )
}

fn item_of(report: SenderReport, life: &str) -> Value {
    let mut item = item(&format!("{life} {}", report.name));
    item["startsAt"] = json!(time(report.start));
    if let Some(end) = report.end {
        (item["status"], item["endsAt"]) = (json!("resolved"), json!(time(end)));
    }
    item
}

/// The metrics endpoint, and a named one that recognises the same bodies.
fn endpoints(server: &TestServer) -> [ModelEndpoint; 2] {
    let all = server.below_project("/alert_management/integrations");
    let named = server.admin().post(&all, &json!({ "name": "Second" }));
    let named = named.expect(201);
    let text = |field: &str| named[field].as_str().unwrap();
    [
        ModelEndpoint {
            path: server.metrics(),
            sender: server.sender(),
        },
        ModelEndpoint {
            path: url::Url::parse(text("url")).unwrap().path().to_owned(),
            sender: TestCaller::bearer(server.base_url(), text("token")),
        },
    ]
}

/// ALRT-03, ALRT-08, ALRT-10. The project shows what the model says, on both databases.
#[test]
fn alerts_live_as_a_small_model_says() {
    on_each_database_with("", |mut server| {
        let endpoints = endpoints(&server);
        for seed in SEEDS {
            let mut model = LifeModel {
                random: Random(seed),
                clock: 0,
                firing: [None; NAMES],
                said: Vec::new(),
                alerts: Vec::new(),
                log: Vec::new(),
            };
            let life = format!("Life {seed:x}");
            let first_iid = 1 + i64::try_from(shown(&server, 0).len()).unwrap();
            for step in 1..=STEPS {
                match model.random.below(40) {
                    0 => server.kill_and_restart(),
                    1..15 if !model.alerts.is_empty() => model.change(&server, first_iid),
                    _ => {
                        let reports = model.next_reports();
                        let ModelEndpoint { path, sender } = &endpoints[model.random.below(2)];
                        let items: Vec<Value> = reports
                            .iter()
                            .map(|report| item_of(*report, &life))
                            .collect();
                        if !items.is_empty() {
                            sender.post(path, &webhook(&items)).expect(200);
                        }
                        model.log.push(format!("{reports:?} at {path}"));
                        for report in reports {
                            model.deliver(report);
                        }
                    }
                }
                if step % CHECKED == 0 {
                    model.check(&server, first_iid);
                }
            }
        }
    });
}
