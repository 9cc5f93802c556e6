//! Two nodes on one PostgreSQL behind nginx, with the block of `docs/operating.md`.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gatehouse_core::auth::epoch::MAX_STALENESS;
use serde_json::{Value, json};
use test_databases::TestDatabase;

use crate::feed_streams::list;
use crate::proxies::{NGINX, Proxy};
use crate::support::fake_registry::FakeRegistry;
use crate::support::feed_stream::FeedStream;
use crate::support::{TestCaller, TestServer, eventually};

/// Callers that send requests while a node is killed, and requests of each.
const CALLERS: usize = 4;
const REQUESTS: usize = 60;
/// Requests after which the node is killed.
const BEFORE_KILL: usize = CALLERS * REQUESTS / 3;
/// Jobs of a project that a user may list at one node.
const LISTS: usize = 2;
/// Clients that follow the feed. nginx takes the nodes in turn, so each has some of them.
const FOLLOWERS: usize = 4;
/// Ends of a stream after which its client gives up.
const MAX_ENDS: usize = 5;

/// Two nodes behind a proxy.
struct TwoNodes {
    nodes: [TestServer; 2],
    /// Their own addresses.
    urls: [String; 2],
    proxy: Proxy,
    _database: TestDatabase,
    _registry: FakeRegistry,
}

impl TwoNodes {
    /// Starts them, or returns `None` if PostgreSQL or nginx is not installed.
    fn start() -> Option<Self> {
        let database = TestDatabase::empty()?;
        let first = TestServer::start_with(&["--database", database.url()]);
        let second = first.peer();
        let mut nodes = [first, second];
        let document = fs::read_to_string("../../docs/operating.md").unwrap();
        let block = document.split("```nginx\n").nth(1).unwrap();
        let block = block.split("```").next().unwrap();
        assert!(block.contains("10.0.0.11:8080") && block.contains("10.0.0.12:8080"));
        let block = block.replace("10.0.0.11:8080", &nodes[0].address());
        let block = block.replace("10.0.0.12:8080", &nodes[1].address());
        let proxy = Proxy::start_with(&NGINX, &block)?;
        let url = format!("http://{}", proxy.address);
        let registry = FakeRegistry::start_with(&[
            ("latest", "2026-01-01T00:00:00Z"),
            ("v1", "2026-01-01T00:00:00Z"),
        ]);
        let limits = format!("[limits]\njob_list = \"{LISTS}/86400s\"\n");
        let configuration = format!("{limits}{}", registry.configuration());
        let urls = nodes.each_mut().map(|node| {
            let address = node.restart_behind(&url, &configuration);
            format!("http://{address}")
        });
        Some(Self {
            nodes,
            urls,
            proxy,
            _database: database,
            _registry: registry,
        })
    }

    /// A caller of both nodes through the proxy.
    fn admin(&self) -> TestCaller {
        self.nodes[0].admin()
    }

    /// A caller of one node.
    fn at(&self, node: usize, token: &str) -> TestCaller {
        TestCaller::new(&self.urls[node], Some(token))
    }
}

/// People sign in through both nodes, and a session ends at both.
fn check_sessions(both: &TwoNodes) {
    let mut browser = both.nodes[0].signed_in("developer");
    for _ in 0..4 {
        assert!(browser.is_signed_in());
    }
    let mut other = browser.clone();
    let ended = browser.submit("/profile", "/users/sign_out", &[]);
    assert_eq!(ended.status, 303);
    over_within(MAX_STALENESS, || other.is_signed_in());
}

/// A token that one node creates works at the other, and is revoked at both.
fn check_tokens(both: &TwoNodes) {
    let root = both.nodes[0].text("/admin/token").to_owned();
    let id = both.at(0, &root).get("/api/v4/user").expect(200)["id"].clone();
    let fields = json!({ "name": "two", "scopes": ["api"] });
    let path = format!("/api/v4/users/{id}/personal_access_tokens");
    let created = both.at(0, &root).post(&path, &fields).expect(201);
    let token = created["token"].as_str().unwrap();
    for node in [1, 0] {
        assert_eq!(both.at(node, token).get("/api/v4/user").status, 200);
    }
    let one = format!("/api/v4/personal_access_tokens/{}", created["id"]);
    assert_eq!(both.at(1, &root).delete(&one).status, 204);
    assert_eq!(both.at(1, token).get("/api/v4/user").status, 401);
    over_within(MAX_STALENESS, || {
        both.at(0, token).get("/api/v4/user").status == 200
    });
}

/// Each node counts for itself (documentation of rate limits).
fn check_limits(both: &TwoNodes) {
    let token = both.nodes[0].text("/developer/token");
    let jobs = format!("/api/v4/projects/{}/jobs", both.nodes[0].project());
    for node in [0, 1] {
        let statuses: Vec<u16> = (0..=LISTS)
            .map(|_| both.at(node, token).get(&jobs).status)
            .collect();
        assert_eq!(statuses, [200, 200, 429], "node {node}");
    }
}

/// A job runs whichever node stores its work.
fn check_jobs(both: &TwoNodes) {
    let admin = both.admin();
    let project = format!("/api/v4/projects/{}", both.nodes[0].project());
    let path = admin.get(&project).expect(200)["path_with_namespace"].clone();
    let root = both.nodes[0].text("/admin/token");
    let fields = json!({ "name": "push", "scopes": ["write_registry"] });
    let id = both.at(0, root).get("/api/v4/user").expect(200)["id"].clone();
    let pusher = format!("/api/v4/users/{id}/personal_access_tokens");
    let pusher = admin.post(&pusher, &fields).expect(201);
    for (node, name) in ["one", "two"].into_iter().enumerate() {
        let scope = format!("repository:{}/{name}:push", path.as_str().unwrap());
        let form = format!(
            "grant_type=password&service=container_registry&username=root&password={}&scope={scope}",
            pusher["token"].as_str().unwrap()
        );
        let client = TestCaller::new(&both.urls[node], None)
            .with("Content-Type", "application/x-www-form-urlencoded");
        assert_eq!(
            client.send("POST", "/jwt/auth", form.as_bytes()).status,
            200
        );
    }
    let listed = admin
        .get(&format!("{project}/registry/repositories"))
        .list();
    assert_eq!(listed.len(), 2);
    for (node, images) in listed.iter().enumerate() {
        let tags = format!("{project}/registry/repositories/{}/tags", images["id"]);
        let rule = format!("{tags}?name_regex_delete=v.*");
        assert_eq!(both.at(node, root).delete(&rule).status, 202);
        eventually("the job deletes the tag", || {
            (both.at(1 - node, root).get(&tags).list().len() == 1).then_some(())
        });
    }
}

/// Client that follows the feed of the project through the proxy.
struct Follower {
    caller: TestCaller,
    path: String,
    stream: FeedStream,
    /// Id after which the first stream began.
    begin: i64,
    events: Vec<Value>,
}

impl Follower {
    fn open(both: &TwoNodes) -> Self {
        let caller = both.nodes[0].developer();
        let path = both.nodes[0].below_project("/events/stream");
        let stream = FeedStream::open(&caller, &path);
        Self {
            caller,
            path,
            begin: stream.last_id.unwrap(),
            stream,
            events: Vec::new(),
        }
    }

    /// Reads up to the event with this title, and returns how often the stream ended before. The client then continues
    /// after the last event that it has.
    fn read_to(&mut self, title: &str) -> usize {
        let mut ends = 0;
        loop {
            if let Some(event) = self.stream.next_event() {
                let is_last = event["target_title"] == title;
                self.events.push(event);
                if is_last {
                    return ends;
                }
                continue;
            }
            ends += 1;
            assert!(ends <= MAX_ENDS, "no event {title}: {:?}", self.stream.end);
            let last = self.events.last().and_then(|event| event["id"].as_i64());
            let last = last.unwrap_or(self.begin).to_string();
            let caller = self.caller.clone().with("Last-Event-ID", &last);
            self.stream = FeedStream::open(&caller, &self.path);
        }
    }
}

/// Opens an issue at one node.
fn open_issue(both: &TwoNodes, node: usize, title: &str) {
    let developer = both.at(node, both.nodes[0].text("/developer/token"));
    let issues = both.nodes[0].below_project("/issues");
    developer
        .post(&issues, &json!({ "title": title }))
        .expect(201);
}

/// A stream has the events of both nodes, whichever node sends it. Returns the clients, whose streams stay open.
fn check_stream(both: &TwoNodes) -> Vec<Follower> {
    let mut followers: Vec<Follower> = (0..FOLLOWERS).map(|_| Follower::open(both)).collect();
    let titles = ["By node 0", "By node 1"];
    for (node, title) in titles.into_iter().enumerate() {
        open_issue(both, node, title);
    }
    for follower in &mut followers {
        assert_eq!(follower.read_to(titles[1]), 0);
        let seen = follower.events.iter().map(|event| &event["target_title"]);
        assert_eq!(seen.collect::<Vec<_>>(), titles);
    }
    followers
}

/// After the kill of a node its clients reconnect through the proxy, and each client has every event once and in order.
fn check_stream_after_kill(both: &TwoNodes, followers: &mut [Follower]) {
    let mut ends = 0;
    for title in ["While they are away", "After they are back"] {
        open_issue(both, 0, title);
        ends += followers
            .iter_mut()
            .map(|follower| follower.read_to(title))
            .sum::<usize>();
    }
    assert!(ends > 0, "no stream was at the killed node");
    let events = both.nodes[0].below_project("/events?");
    for follower in followers {
        let expected = list(&follower.caller, &events, follower.begin);
        assert_eq!(follower.events, expected);
    }
}

/// Polls until `lives` is false. A poll that starts later than `bound` from now must return false.
fn over_within(bound: Duration, mut lives: impl FnMut() -> bool) {
    let begun = Instant::now();
    eventually("it is over", || {
        let elapsed = begun.elapsed();
        let lives = lives();
        assert!(!lives || elapsed <= bound, "alive after {elapsed:?}");
        (!lives).then_some(())
    });
}

/// Responses to one caller.
#[derive(Debug, Default)]
struct CallerResults {
    reads: usize,
    failed_reads: Vec<u16>,
    /// Titles of acknowledged labels.
    written: Vec<String>,
    failed_writes: Vec<u16>,
}

/// A line for each caller.
struct ResultTable<'r>(&'r [CallerResults]);

impl fmt::Display for ResultTable<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "caller  reads  failed  writes  failed")?;
        for (number, one) in self.0.iter().enumerate() {
            let (reads, writes) = (one.reads, one.written.len());
            let (failed, lost) = (&one.failed_reads, &one.failed_writes);
            writeln!(
                formatter,
                "{number:6}  {reads:5}  {failed:?}  {writes:6}  {lost:?}"
            )?;
        }
        Ok(())
    }
}

/// Sends reads and writes in turn.
fn call(admin: &TestCaller, labels: &str, number: usize, sent: &AtomicUsize) -> CallerResults {
    let mut results = CallerResults::default();
    for request in 0..REQUESTS {
        sent.fetch_add(1, Ordering::Relaxed);
        if request % 2 == 0 {
            match admin.get("/api/v4/user").status {
                200 => results.reads += 1,
                other => results.failed_reads.push(other),
            }
            continue;
        }
        let name = format!("label {number} {request}");
        let label = json!({ "name": name, "color": "#aabbcc" });
        match admin.post(labels, &label).status {
            201 => results.written.push(name),
            other => results.failed_writes.push(other),
        }
    }
    results
}

/// A killed node fails only the writes that it was carrying out. Nothing acknowledged is lost.
fn check_kill(both: &mut TwoNodes) {
    let admin = both.admin();
    let labels = format!("/api/v4/projects/{}/labels", both.nodes[0].project());
    let sent = AtomicUsize::new(0);
    let killed = &mut both.nodes[1];
    let results: Vec<CallerResults> = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|number| {
                let (admin, labels, sent) = (admin.clone(), &labels, &sent);
                scope.spawn(move || call(&admin, labels, number, sent))
            })
            .collect();
        eventually("the callers are at work", || {
            (sent.load(Ordering::Relaxed) >= BEFORE_KILL).then_some(())
        });
        killed.kill();
        let ended = callers.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|outcome| outcome.unwrap()).collect()
    });
    let table = ResultTable(&results);
    assert!(
        results.iter().all(|one| one.failed_reads.is_empty()),
        "{table}"
    );
    // Each caller had at most one request in flight.
    assert!(
        results.iter().all(|one| one.failed_writes.len() <= 1),
        "{table}"
    );
    let mut stored = BTreeSet::new();
    for page in 1.. {
        let listed = admin
            .get(&format!("{labels}?per_page=100&page={page}"))
            .list();
        if listed.is_empty() {
            break;
        }
        let name = |label: &Value| label["name"].as_str().unwrap().to_owned();
        stored.extend(listed.iter().map(name));
    }
    let mut acknowledged = results.iter().flat_map(|one| &one.written);
    assert!(acknowledged.all(|name| stored.contains(name)), "{table}");
}

#[test]
fn two_nodes_behind_nginx_serve_as_one_and_survive_a_kill() {
    let Some(mut both) = TwoNodes::start() else {
        return;
    };
    assert!(
        both.admin().get("/api/v4/version").status == 200,
        "{}",
        both.proxy.address
    );
    check_sessions(&both);
    check_tokens(&both);
    check_limits(&both);
    check_jobs(&both);
    let mut followers = check_stream(&both);
    check_kill(&mut both);
    check_stream_after_kill(&both, &mut followers);
}
