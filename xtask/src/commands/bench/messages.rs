//! Cost of notifications: intake with five webhook channels and without, and the messages about ten thousand alerts.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::footprint::{post, post_as_user};
use super::intake::many_alerts;
use super::load::{Figures, LoadRequest, send};
use super::measure::median;
use super::servers::BenchServer;
use super::timed::Databases;
use super::{Effort, Programs};

/// Numbers of channels of the measured project.
const CHANNELS: [usize; 2] = [0, 5];

/// Alerts in the one large POST.
const MANY: usize = 10_000;

/// Connections of the senders of single alerts.
const SENDERS: u32 = 16;

/// Longest time to wait for a response or a message.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Measures and prints a table for each database.
///
/// # Errors
/// When a server cannot be started, a response is a failure, or a message does not arrive.
pub(super) fn measure(programs: &Programs, effort: &Effort, databases: Databases) -> Result<()> {
    databases.each(programs, |name, start| {
        println!("\n## Intake with channels, {name}\n");
        println!(
            "{MANY} alerts in one POST, then single new alerts over {SENDERS} connections; medians of {} rounds of {} s\n",
            effort.rounds, effort.seconds
        );
        println!(
            "| channels | the POST, s | first message after ms | last after ms | alerts/s | p50 ms | p99 ms | messages in all |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
        for channels in CHANNELS {
            row(&start()?, channels, effort)?;
        }
        Ok(())
    })
}

fn row(server: &BenchServer, channels: usize, effort: &Effort) -> Result<()> {
    let (url, messages) = receive_messages()?;
    for number in 1..=channels {
        create_channel(server, &url, number)?;
    }
    let key = server.text("/alerts/key")?;
    let started = Instant::now();
    let many = server.text("/alerts/metrics_url")?;
    let status = post(&many, &key, &many_alerts(0, MANY), TIMEOUT)?;
    ensure!(status == 200, "the large POST returned {status}");
    let took = started.elapsed().as_secs_f64();
    let times = (0..channels).map(|_| messages.recv_timeout(TIMEOUT));
    let times: Vec<Instant> = times
        .collect::<Result<_, _>>()
        .context("a channel got no message about the large POST")?;
    let after = |time: Option<&Instant>| {
        let time = time.map(|time| time.duration_since(started).as_millis());
        time.map_or_else(String::new, |time| time.to_string())
    };
    let request = LoadRequest::Alert {
        url: server.text("/alerts/generic_url")?,
        key,
    };
    let figures: Vec<Figures> = (0..effort.rounds)
        .map(|_| send(&request, SENDERS, effort.seconds))
        .collect::<Result<_>>()?;
    let of = |part: fn(&Figures) -> f64| median(figures.iter().map(part).collect());
    println!(
        "| {channels} | {took:.2} | {} | {} | {:.0} | {:.2} | {:.2} | {} |",
        after(times.first()),
        after(times.last()),
        of(|one| one.rate),
        of(|one| one.median_ms),
        of(|one| one.p99_ms),
        times.len() + messages.try_iter().count()
    );
    Ok(())
}

fn create_channel(server: &BenchServer, receiver: &str, number: usize) -> Result<()> {
    let project = server.value("/project/id").and_then(Value::as_i64);
    let project = project.context("the demo prints no project")?;
    let url = format!(
        "{}/api/v4/projects/{project}/notification_channels",
        server.base_url
    );
    let channel =
        json!({ "kind": "webhook", "name": format!("Receiver {number}"), "url": receiver });
    let token = server.text("/admin/token")?;
    let answer = post_as_user(&url, &token, &channel.to_string(), TIMEOUT)?;
    ensure!(
        answer.status == 201,
        "a channel was refused: {}",
        answer.body
    );
    Ok(())
}

/// Starts a receiver that accepts messages until the program ends, and returns its URL and the times of the messages.
fn receive_messages() -> Result<(String, Receiver<Instant>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}/", listener.local_addr()?);
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            // A sender that goes away sends no message.
            thread::spawn(move || accept_message(stream, &sender));
        }
    });
    Ok((url, receiver))
}

fn accept_message(mut stream: TcpStream, times: &Sender<Instant>) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        ensure!(reader.read_line(&mut line)? > 0, "the head is incomplete");
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    times.send(Instant::now())?;
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_counted_once_and_accepted() {
        let (url, messages) = receive_messages().unwrap();
        for _ in 0..2 {
            assert_eq!(post(&url, "", "{\"x\":1}", TIMEOUT).unwrap(), 200);
        }
        for _ in 0..2 {
            messages.recv_timeout(TIMEOUT).unwrap();
        }
        assert!(messages.try_recv().is_err());
    }
}
