//! From a rule of a real Prometheus, through Alertmanagers and directly, to mail and webhooks, while receivers fail and the
//! server is killed.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::time::Clock as _;
use gatehouse_core::clock::SystemClock;
use serde_json::{Value, json};

use super::copies::{check_attempts, check_keys, check_message, copies, of_event};
use super::create;
use super::receiver::Receiver;
use super::unreliable_webhook::{Reply, UnreliableWebhook};
use crate::chain::Chain;
use crate::prometheus_chain::{AlertReceiver, Prometheus, fill};
use crate::support::TestServer;
use crate::support::alertmanager::AlertmanagerEndpoint;
use crate::support::fake_service::FakeService;
use crate::support::polling::{eventually, eventually_ok};
use crate::support::random::Random;
use crate::support::rows::{self, DatabaseReader};

/// Number of webhook channels. Each fails first in another way.
const HOOKS: usize = Reply::FAILURES.len();

/// Tables that are no part of what people see: requests of callers update them.
const USES: [&str; 5] = [
    "access_tokens",
    "deprecation_uses",
    "sessions",
    "sqlite_sequence",
    "users",
];

/// Senders, server and receivers.
struct FullChain {
    chain: Chain,
    webhook: UnreliableWebhook,
    smtp: Receiver,
    random: Random,
}

fn hook(number: usize) -> String {
    format!("/hook/{number}")
}

impl FullChain {
    /// Starts all but Prometheus; `None` if a program is not installed.
    fn start(mut random: Random) -> Option<Self> {
        let smtp = Receiver::python("mail_server.py", &["open"])?;
        let webhook = UnreliableWebhook::start();
        let port = smtp.port();
        let server = TestServer::start_configured(&format!(
            "[notifications]\nallowed_networks = \"127.0.0.1\"\n[mail]\nhost = \"127.0.0.1\"\nport = {port}\n\
             from = \"gatehouse@example.com\"\nsecurity = \"none\"\n"
        ));
        create(
            &server,
            &json!({ "kind": "email", "name": "Mail", "recipient": "on-call@example.com", "incident_events": true }),
        );
        let first = random.below(HOOKS);
        for number in 0..HOOKS {
            let (path, url) = (hook(number), webhook.url(&hook(number)));
            create(
                &server,
                &json!({ "kind": "webhook", "name": path, "url": url, "incident_events": true }),
            );
            let failure = |place| Reply::FAILURES[(first + number + place) % HOOKS];
            let accepted = |count| std::iter::repeat_n(Reply::Accepted, count);
            webhook.queue(&path, accepted(random.below(2)));
            // After two failures in a row, the next attempt comes half a minute later.
            webhook.queue(&path, [failure(0), Reply::Accepted]);
            webhook.queue(&path, accepted(random.below(2)));
            webhook.queue(&path, [failure(1)]);
        }
        Some(Self {
            chain: Chain::start_at(server)?,
            webhook,
            smtp,
            random,
        })
    }

    fn server(&self) -> &TestServer {
        &self.chain.server
    }

    /// Kills the server and starts it again. Meanwhile the reservation passes of what was under way.
    fn kill(&mut self) {
        self.chain.server.kill();
        rows::change(
            self.server(),
            "UPDATE notification_channels SET due_at = 0 \
             WHERE id IN (SELECT channel_id FROM notification_messages WHERE state = 1)",
        );
        self.chain.server.restart();
    }

    /// Kills the server several times, each time once a number of requests has arrived or there is nothing to send.
    fn kill_often(&mut self, times: usize, open: usize) {
        for _ in 0..times {
            let next = self.webhook.requests().len() + 1 + self.random.below(4);
            eventually("requests arrive", || {
                let has_arrived = self.webhook.requests().len() >= next;
                (has_arrived || self.sent(open).is_ok()).then_some(())
            });
            self.kill();
        }
    }

    /// Returns the messages of the project with their attempts, the oldest first.
    fn messages(&self) -> Vec<Value> {
        let mut messages = Vec::new();
        let path = "/notification_messages?per_page=100";
        let mut next = Some(self.server().below_project(path));
        while let Some(path) = next {
            let answer = self.server().admin().get(&path);
            messages.extend(answer.list());
            next = answer.link("next");
        }
        messages.reverse();
        messages
    }

    /// Returns the messages, if this number of alerts is open with their incidents and all messages about all changes were
    /// sent or cancelled.
    fn sent(&self, open: usize) -> Result<Vec<Value>, String> {
        let path = format!("{}?per_page=100&search=Disk+full", self.server().alerts());
        let alerts = self.server().developer().get(&path).list();
        let ended = alerts.iter().filter(|alert| alert["status"] == "resolved");
        let ended: BTreeSet<String> = ended.map(|alert| alert["iid"].to_string()).collect();
        let incidents = ["opened", "closed"].map(|state| self.chain.incidents(state));
        let messages = self.messages();
        let count = |event| of_event(&messages, event).len();
        // The end is sent to those channels that were sent the beginning.
        let mut begun = of_event(&messages, "alert.opened");
        begun.retain(|message| {
            message["attempts"] != json!([]) && ended.contains(&message["iid"].to_string())
        });
        let is_sent = alerts.len() - ended.len() == open
            && incidents == [open, ended.len()]
            && count("alert.opened") == alerts.len() * (1 + HOOKS)
            && count("incident.opened") == alerts.len() * (1 + HOOKS)
            && count("alert.resolved") == begun.len()
            && messages
                .iter()
                .all(|message| !message["finished_at"].is_null());
        if is_sent {
            Ok(messages)
        } else {
            Err(format!("{incidents:?} {alerts:#?} {messages:#?}"))
        }
    }

    /// Waits until this number of alerts is open with their incidents, and everything is sent.
    fn settle(&self, open: usize) -> Vec<Value> {
        eventually_ok("everything is sent", || self.sent(open))
    }
}

/// Returns all rows that people see.
fn visible_rows(server: &TestServer) -> BTreeMap<String, Vec<String>> {
    let mut reader = DatabaseReader::of(server);
    let tables = reader.texts("SELECT name AS text FROM sqlite_schema WHERE type = 'table'");
    let tables = tables.into_iter().filter(|name| !USES.contains(&&**name));
    let mut rows = BTreeMap::new();
    for table in tables {
        let columns =
            format!("SELECT 'quote(' || name || ')' AS text FROM pragma_table_info('{table}')");
        let columns = reader.texts(&columns).join(" || ',' || ");
        let all = format!("SELECT {columns} AS text FROM {table} ORDER BY 1");
        rows.insert(table, reader.texts(&all));
    }
    rows
}

/// Opens all links of mails as a stranger and as a developer, and checks that nothing changes.
fn check_links(server: &TestServer, mails: &[Value]) {
    let mut developer = server.signed_in("developer");
    let links = mails.iter().map(|mail| mail["mail"]["links"].as_array());
    let links: BTreeSet<&str> = links
        .flat_map(Option::unwrap)
        .map(|link| link.as_str().unwrap())
        .collect();
    assert!(links.len() > 1, "{links:?}");
    let before = visible_rows(server);
    for link in links {
        assert_eq!(server.browser().open(link).status, 303, "{link}");
        developer.open(link).expect_text(200);
    }
    let after = visible_rows(server);
    for (table, rows) in &before {
        assert_eq!(after.get(table), Some(rows), "{table}");
    }
}

/// Every due message arrives at least once and under one key, none begins to be sent after its reason ended, and the list
/// of messages knows each copy, although each receiver fails in several ways and the server is killed again and again.
#[test]
fn messages_about_a_rule_of_prometheus_arrive_although_receivers_fail_and_the_server_is_killed() {
    let seed = SystemClock.now().as_micros().unsigned_abs();
    println!("seed {seed}");
    let Some(mut full) = FullChain::start(Random(seed)) else {
        return;
    };
    let endpoint = AlertmanagerEndpoint::of(full.server());
    let direct = AlertReceiver {
        url: full.server().base_url().to_owned(),
        path_prefix: endpoint.below.clone(),
        key: endpoint.key.clone(),
    };
    let metrics = FakeService::start();
    fill(&metrics, 0..2);
    let urls = full.chain.sender_urls();
    let Some(prometheus) = Prometheus::start_both_ways(&metrics, &urls, &direct) else {
        return;
    };
    full.kill_often(4, 2);
    full.settle(2);
    fill(&metrics, 0..0);
    full.kill_often(2, 0);
    full.settle(0);

    // A receiver hangs, and what waits behind its message ends.
    full.webhook.queue(&hook(0), [Reply::Hangs]);
    let hangs = || {
        let requests = full.webhook.requests();
        let last = requests.iter().rev().find(|one| one.path == hook(0))?;
        (last.reply == Reply::Hangs).then_some(())
    };
    fill(&metrics, 2..3);
    eventually("the receiver hangs", hangs);
    fill(&metrics, 0..0);
    eventually("the alert ends", || {
        let found = full.chain.found("Disk full: host-2");
        (found[0]["status"] == "resolved").then_some(())
    });
    full.kill();
    let messages = full.settle(0);
    let is_cancelled = |message: &Value| message["state"] == "cancelled";
    assert!(messages.iter().any(is_cancelled), "{messages:#?}");

    drop(prometheus);
    let (requests, mails) = (full.webhook.requests(), full.smtp.rest());
    for failure in Reply::FAILURES {
        let has_failed = requests.iter().any(|request| request.reply == failure);
        assert!(has_failed, "{failure:?}");
    }
    let mut copies = copies(requests, &mails);
    let received: usize = copies.values().map(Vec::len).sum();
    let attempts = messages
        .iter()
        .map(|message| message["attempts"].as_array());
    let recorded: usize = attempts.map(|attempts| attempts.unwrap().len()).sum();
    println!(
        "{} messages, {received} copies, {recorded} recorded attempts",
        messages.len()
    );
    assert!(received > recorded, "no attempt was interrupted");
    check_keys(&copies);
    check_attempts(&messages, &copies);
    for message in &messages {
        let key = message["key"].as_str().unwrap();
        check_message(message, &copies.remove(key).unwrap_or_default());
    }
    assert!(copies.is_empty(), "copies without a message: {copies:#?}");
    check_links(&full.chain.into_server(), &mails);
}
