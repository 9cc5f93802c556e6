//! Subscribers of the feed behind nginx with TLS: each gets every event of its project once and in order.
//!
//! Alerts are sent at a steady rate to many projects, and each of them has the same number of subscribers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Programs;
use super::footprint::{
    free_port, post, post_as_user, processor_seconds, resident_kib, wait_until_connected,
};
use super::servers::{BenchServer, Process};
use super::soak::SoakScope;
use super::timed::Databases;

/// nginx of Debian.
const NGINX: &str = "/usr/sbin/nginx";
/// Projects whose events are followed.
const PROJECTS: u32 = 50;
/// Users who follow them, each some of them.
const USERS: u32 = 100;
/// Alerts in a POST.
const BATCH: u32 = 10;
/// Alerts of each project.
const ALERTS_EACH: u32 = 400;
/// Time for which the subscribers are idle before their memory is measured: longer than the interval between two comments.
const IDLE: Duration = Duration::from_secs(20);
/// Longest time to wait for a response.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A project with the endpoint of its alerts.
struct FollowedProject {
    id: i64,
    url: String,
    key: String,
}

/// Measures and prints a row for each database.
///
/// # Errors
/// When something cannot be started, or a subscriber misses an event or gets it twice.
pub(super) fn measure(programs: &Programs, scope: &SoakScope, databases: Databases) -> Result<()> {
    let (rate, subscribers) = scope.of_streams();
    println!(
        "\n## {subscribers} subscribers of {PROJECTS} projects, {rate} events a second, behind nginx with TLS\n"
    );
    println!(
        "| | events received | p50 ms | p99 ms | longest ms | processor µs for each event received | memory without, MB | KB for each idle subscriber | memory with events, MB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    databases.each(programs, |name, start| {
        let server = start()?;
        let group = create(
            &server,
            "groups",
            &json!({ "name": "Followed", "path": "followed" }),
        )?;
        let group = id_of(&group)?;
        let tokens: Vec<String> = (0..USERS)
            .map(|number| create_follower(&server, group, number))
            .collect::<Result<_>>()?;
        let projects: Vec<FollowedProject> = (0..PROJECTS)
            .map(|number| create_project(&server, group, number))
            .collect::<Result<_>>()?;
        let proxy = TlsProxy::start(programs, &server)?;
        let before = resident_kib(server.pid())?;
        let mut clients = proxy.follow(programs, &tokens, &projects, subscribers)?;
        pause(IDLE);
        let idle = resident_kib(server.pid())?;
        let started = processor_seconds(server.pid())?;
        send_alerts(&projects, rate)?;
        let figures = clients.figures()?;
        let busy = resident_kib(server.pid())?;
        let processor = processor_seconds(server.pid())? - started;
        let of = |field: &str| figures.get(field).and_then(Value::as_i64).unwrap_or(-1);
        ensure!(
            of("missing") == 0 && of("unordered") == 0,
            "the subscribers have other events than they should: {figures}"
        );
        let megabytes = |kib: f64| kib * 1.024 / 1000.0;
        println!(
            "| {name} | {} | {} | {} | {} | {:.0} | {:.1} | {:.1} | {:.1} |",
            of("events"),
            of("p50_ms"),
            of("p99_ms"),
            of("longest_ms"),
            processor * 1e6 / f64::from(subscribers * ALERTS_EACH),
            megabytes(before),
            (idle - before) * 1.024 / f64::from(subscribers),
            megabytes(busy),
        );
        Ok(())
    })
}

/// Creates something over the API as an administrator.
fn create(server: &BenchServer, path: &str, body: &Value) -> Result<Value> {
    let url = format!("{}/api/v4/{path}", server.base_url);
    let token = server.text("/admin/token")?;
    let answer = post_as_user(&url, &token, &body.to_string(), TIMEOUT)?;
    ensure!(answer.status == 201, "{path}: {}", answer.body);
    Ok(serde_json::from_str(&answer.body)?)
}

fn id_of(created: &Value) -> Result<i64> {
    created
        .get("id")
        .and_then(Value::as_i64)
        .context("what is created has an id")
}

/// Creates a member of the group, and returns its token.
fn create_follower(server: &BenchServer, group: i64, number: u32) -> Result<String> {
    let user = create(
        server,
        "users",
        &json!({
            "username": format!("follower-{number}"), "name": format!("Follower {number}"),
            "email": format!("follower-{number}@example.com"), "force_random_password": true, "skip_confirmation": true,
        }),
    )?;
    let id = id_of(&user)?;
    let member = json!({ "user_id": id, "access_level": 30 });
    create(server, &format!("groups/{group}/members"), &member)?;
    let token = json!({ "name": "Follower", "scopes": ["read_api"] });
    let token = create(
        server,
        &format!("users/{id}/personal_access_tokens"),
        &token,
    )?;
    let token = token.get("token").and_then(Value::as_str);
    token.map(str::to_owned).context("a token has a secret")
}

/// Creates a project of the group with an endpoint for alerts.
fn create_project(server: &BenchServer, group: i64, number: u32) -> Result<FollowedProject> {
    let project = json!({ "name": format!("Followed {number}"), "namespace_id": group });
    let id = id_of(&create(server, "projects", &project)?)?;
    let endpoint = create(
        server,
        &format!("projects/{id}/alert_management/integrations"),
        &json!({ "name": "Alerts", "type": "prometheus" }),
    )?;
    let text = |field: &str| {
        let found = endpoint.get(field).and_then(Value::as_str);
        found
            .map(str::to_owned)
            .with_context(|| format!("an endpoint has a {field}"))
    };
    Ok(FollowedProject {
        id,
        url: text("url")?,
        key: text("token")?,
    })
}

/// Sends new alerts to all projects in turn, at a steady rate.
fn send_alerts(projects: &[FollowedProject], rate: u32) -> Result<()> {
    let interval = Duration::from_secs(1) * BATCH / rate.max(1);
    let started = Instant::now();
    let mut sent = 0;
    for batch in 0..ALERTS_EACH / BATCH {
        for project in projects {
            pause((interval * sent).saturating_sub(started.elapsed()));
            let status = post(&project.url, &project.key, &alerts(batch)?, TIMEOUT)?;
            ensure!(status == 200, "a POST returned {status}");
            sent += 1;
        }
    }
    Ok(())
}

/// New alerts whose titles end with the present time.
#[expect(
    clippy::disallowed_methods,
    reason = "the clients compare the time with their own"
)]
fn alerts(batch: u32) -> Result<String> {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)?
        .as_millis();
    let alerts: Vec<Value> = (0..BATCH)
        .map(|number| {
            let number = batch * BATCH + number;
            json!({
                "status": "firing", "startsAt": "2026-01-01T00:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
                "labels": {"alertname": "Followed", "number": number.to_string()},
                "annotations": {"summary": format!("Sent at {now}")},
            })
        })
        .collect();
    let body = json!({
        "version": "4", "groupKey": "{}:{}", "status": "firing", "receiver": "streams", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://am.example.com", "truncatedAlerts": 0,
        "alerts": alerts,
    });
    Ok(body.to_string())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a steady rate is a matter of time"
)]
fn pause(time: Duration) {
    thread::sleep(time);
}

/// nginx with TLS and its default buffering, in front of a server.
struct TlsProxy {
    _process: Process,
    directory: TempDir,
    port: u16,
}

impl TlsProxy {
    fn start(programs: &Programs, server: &BenchServer) -> Result<Self> {
        ensure!(
            Path::new(NGINX).exists(),
            "install the Debian package nginx-light"
        );
        let (directory, port) = (tempfile::tempdir()?, free_port()?);
        let place = directory.path();
        let mut certificate = programs.stream_clients();
        crate::invoke::capture(certificate.arg("certificate").arg(place))?;
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {}/{name};\n", place.display()))
            .concat();
        let configuration = format!(
            "daemon off;\nmaster_process off;\npid {0}/pid;\nerror_log {0}/error.log;\nworker_rlimit_nofile 8192;\n\
             events {{ worker_connections 4096; }}\nhttp {{\naccess_log off;\n{paths}server {{\nlisten 127.0.0.1:{port} ssl;\n\
             ssl_certificate {0}/certificate.pem;\nssl_certificate_key {0}/key.pem;\nlocation / {{ proxy_pass {1}; \
             proxy_http_version 1.1; }}\n}}\n}}\n",
            place.display(),
            server.base_url,
        );
        let file = place.join("conf");
        std::fs::write(&file, configuration)?;
        let mut nginx = Command::new(NGINX);
        nginx
            .arg("-p")
            .arg(place)
            .arg("-e")
            .arg(place.join("error.log"));
        let process = Process(nginx.arg("-c").arg(&file).stdout(Stdio::null()).spawn()?);
        wait_until_connected(port)?;
        Ok(Self {
            _process: process,
            directory,
            port,
        })
    }

    /// Opens the streams of all subscribers, and waits until they have begun.
    fn follow(
        &self,
        programs: &Programs,
        tokens: &[String],
        projects: &[FollowedProject],
        subscribers: u32,
    ) -> Result<StreamClients> {
        let mut command = programs.stream_clients();
        command.args(["follow", &self.port.to_string()]);
        command.arg(self.directory.path().join("certificate.pem"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Process(command.spawn()?);
        let mut plan = process.0.stdin.take().context("standard input")?;
        // Each round of the projects begins with another user.
        let users = projects.len();
        for (number, project) in (0..)
            .zip(projects.iter().cycle())
            .take(subscribers.try_into()?)
        {
            let token = tokens
                .get((number + number / users) % tokens.len())
                .context("a follower")?;
            let path = format!("/api/v4/projects/{}/events/stream", project.id);
            writeln!(plan, "{token} {path} {ALERTS_EACH}")?;
        }
        drop(plan);
        let mut output = BufReader::new(process.0.stdout.take().context("standard output")?);
        let mut begun = String::new();
        output.read_line(&mut begun)?;
        ensure!(begun.contains("have begun"), "the streams do not begin");
        Ok(StreamClients {
            _process: process,
            output,
        })
    }
}

/// Clients that follow the feed.
struct StreamClients {
    _process: Process,
    output: BufReader<ChildStdout>,
}

impl StreamClients {
    /// Figures once all clients have their events.
    fn figures(&mut self) -> Result<Value> {
        let mut text = String::new();
        self.output.read_to_string(&mut text)?;
        serde_json::from_str(&text).context("the clients failed")
    }
}
