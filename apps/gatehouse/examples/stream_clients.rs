//! Clients of the benchmark of streams: many that follow the feed at once, over TLS.
//!
//! `stream_clients certificate DIRECTORY` writes a certificate for `localhost` and its key.
//!
//! `stream_clients follow PORT CERTIFICATE` opens a stream for each line of standard input, `TOKEN PATH EVENTS`, and prints a line
//! once all have begun. Each client reads until it has that many events. The title of an event ends with the time at which its alert was
//! sent, in milliseconds. At the end the program prints JSON: the number of events, of events out of order, and of those that are missing, and
//! the delays in milliseconds.

#![expect(
    clippy::print_stdout,
    reason = "the benchmark reads the figures from standard output"
)]

use std::io::{BufRead as _, stdin};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use api_conventions::time::Clock as _;
use futures_util::future::try_join_all;
use gatehouse_core::clock::SystemClock;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Streams that are opened at the same time.
const OPENED_AT_ONCE: usize = 50;

/// Longest silence of a stream before its missing events are counted as lost. Comments come more often.
const SILENCE: Duration = Duration::from_mins(1);

/// Longest time for all events of a stream after its last event.
const PATIENCE: Duration = Duration::from_secs(30);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["certificate", directory] => write_certificate(Path::new(directory)),
        ["follow", port, certificate] => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(follow_all(port.parse()?, Path::new(certificate))),
        _ => {
            bail!("stream_clients certificate DIRECTORY, or stream_clients follow PORT CERTIFICATE")
        }
    }
}

fn write_certificate(directory: &Path) -> Result<()> {
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    std::fs::write(directory.join("certificate.pem"), signed.cert.pem())?;
    std::fs::write(
        directory.join("key.pem"),
        signed.signing_key.serialize_pem(),
    )?;
    Ok(())
}

/// Stream to follow.
struct FollowedStream {
    token: String,
    path: String,
    events: usize,
}

/// Events that a client received.
#[derive(Default)]
struct ReceivedEvents {
    last_id: i64,
    unordered: usize,
    delays: Vec<i64>,
}

async fn follow_all(port: u16, certificate: &Path) -> Result<()> {
    let connector = connector(certificate)?;
    let streams: Vec<FollowedStream> = stdin()
        .lock()
        .lines()
        .map(|line| parse(&line?))
        .collect::<Result<_>>()?;
    let mut open = Vec::new();
    for some in streams.chunks(OPENED_AT_ONCE) {
        let some = some.iter().map(|one| begin(&connector, port, one));
        open.extend(try_join_all(some).await?);
    }
    println!("{} streams have begun", open.len());
    let clients = open
        .into_iter()
        .zip(&streams)
        .map(|(stream, plan)| receive(stream, plan.events));
    let received = try_join_all(clients).await?;
    println!("{}", report(&streams, received));
    Ok(())
}

fn connector(certificate: &Path) -> Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate)?)?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn parse(line: &str) -> Result<FollowedStream> {
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut next = || words.next().context("TOKEN PATH EVENTS");
    Ok(FollowedStream {
        token: next()?,
        path: next()?,
        events: next()?.parse()?,
    })
}

/// Opens a stream, and returns it once its position has arrived: from then on it has every event.
async fn begin(
    connector: &TlsConnector,
    port: u16,
    plan: &FollowedStream,
) -> Result<BufReader<TlsStream<TcpStream>>> {
    let connection = TcpStream::connect(("127.0.0.1", port)).await?;
    let name = ServerName::try_from("localhost")?;
    let mut stream = BufReader::new(connector.connect(name, connection).await?);
    // HTTP/1.0, so that the proxy sends no chunks.
    let request = format!(
        "GET {} HTTP/1.0\r\nHost: localhost\r\nPRIVATE-TOKEN: {}\r\n\r\n",
        plan.path, plan.token
    );
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let status = next_line(&mut stream).await?;
    ensure!(status.contains(" 200 "), "{}: {status}", plan.path);
    while !next_line(&mut stream).await?.starts_with("id: ") {}
    Ok(stream)
}

/// Reads the events of a stream until it has all of them, or until none arrives any more.
async fn receive(
    mut stream: BufReader<TlsStream<TcpStream>>,
    expected: usize,
) -> Result<ReceivedEvents> {
    let mut received = ReceivedEvents::default();
    while received.delays.len() < expected {
        let Ok(event) = timeout(PATIENCE, next_event(&mut stream)).await else {
            break;
        };
        let event = event?;
        let id = event.get("id").and_then(Value::as_i64);
        let id = id.context("an event has an id")?;
        received.unordered += usize::from(id <= received.last_id);
        received.last_id = id;
        let title = event.get("target_title").and_then(Value::as_str);
        let sent = title.and_then(|title| title.rsplit(' ').next());
        let sent: i64 = sent.context("the title has a time")?.parse()?;
        received.delays.push(now_ms() - sent);
    }
    Ok(received)
}

async fn next_event(stream: &mut BufReader<TlsStream<TcpStream>>) -> Result<Value> {
    loop {
        let line = next_line(stream).await?;
        if let Some(data) = line.strip_prefix("data: ") {
            return Ok(serde_json::from_str(data)?);
        }
    }
}

async fn next_line(stream: &mut BufReader<TlsStream<TcpStream>>) -> Result<String> {
    let mut line = String::new();
    let length = timeout(SILENCE, stream.read_line(&mut line)).await??;
    ensure!(length > 0, "a stream ended");
    Ok(line.trim_end().to_owned())
}

fn now_ms() -> i64 {
    SystemClock.now().as_micros() / 1000
}

fn report(streams: &[FollowedStream], received: Vec<ReceivedEvents>) -> Value {
    let expected: usize = streams.iter().map(|stream| stream.events).sum();
    let unordered: usize = received.iter().map(|one| one.unordered).sum();
    let mut delays: Vec<i64> = received.into_iter().flat_map(|one| one.delays).collect();
    delays.sort_unstable();
    let last = delays.len().saturating_sub(1);
    let at = |index: usize| delays.get(index).copied();
    json!({
        "events": delays.len(), "missing": expected - delays.len(), "unordered": unordered,
        "p50_ms": at(last / 2), "p99_ms": at(last / 100 * 99), "longest_ms": at(last),
    })
}
