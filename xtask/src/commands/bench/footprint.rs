//! Size of the program, memory of an idle server, and the time from its start to its first response.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::Programs;
use super::measure::median;
use super::servers::Process;
use crate::workspace::Workspace;

/// Starts that are measured.
const STARTS: usize = 11;

/// Longest time that a server may take to start before the measurement fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The beginning of the row of [`RECORD`] that has the size of the program.
const SIZE_ROW: &str = "| program, MB | ";

/// The document that records the figures.
const RECORD: &str = "docs/performance.md";

/// Largest allowed ratio of the program's size to its recorded size.
const GROWTH: f64 = 1.05;

/// Measures and prints the figures.
///
/// # Errors
/// When the server does not start or respond, and when the program has outgrown its recorded size.
pub(crate) fn measure(workspace: &Workspace, programs: &Programs) -> Result<()> {
    let size = programs.size()? / 1_000_000.0;
    let data = tempfile::tempdir()?;
    // The first start creates the database; the measured starts use an existing one.
    start(programs, &data)?;
    let (mut milliseconds, mut idle) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let (took, process) = start(programs, &data)?;
        milliseconds.push(took.as_secs_f64() * 1000.0);
        idle.push(status_kib(process.0.id(), "VmRSS:")?);
    }
    let slowest = milliseconds.iter().copied().fold(0.0, f64::max);
    println!("\n## Footprint, SQLite\n");
    println!("| | median | worst | aim |");
    println!("| --- | --- | --- | --- |");
    println!(
        "| start to first answer, ms | {:.0} | {slowest:.0} | 100 |",
        median(milliseconds)
    );
    let largest = idle.iter().copied().fold(0.0, f64::max) / 1000.0 * 1.024;
    println!(
        "| idle memory, MB | {:.1} | {largest:.1} | 24 |",
        median(idle) / 1000.0 * 1.024
    );
    println!("{SIZE_ROW}{size:.1} | | 22 |");
    super::comparison::print(workspace)?;
    let record = fs::read_to_string(workspace.root().join(RECORD))?;
    let recorded = recorded_size(&record).with_context(|| format!("{RECORD} has no size"))?;
    if size > recorded * GROWTH {
        bail!(
            "the program was {recorded} MB and is {size:.1}: say why in {RECORD}, beside its size"
        );
    }
    Ok(())
}

/// The size of the program in the document, in MB.
fn recorded_size(record: &str) -> Option<f64> {
    let row = record
        .lines()
        .find_map(|line| line.strip_prefix(SIZE_ROW))?;
    row.split(' ').next()?.parse().ok()
}

/// Starts a server and waits for its first response.
fn start(programs: &Programs, data: &tempfile::TempDir) -> Result<(Duration, Process)> {
    let port = free_port()?;
    let mut command = programs.command(data);
    command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]);
    let started = Instant::now();
    let process = Process(command.stdout(Stdio::null()).spawn()?);
    Ok((wait_until_ready(port, "/-/health", started)?, process))
}

/// A port of the loopback interface that was free a moment ago.
///
/// # Errors
/// When none can be bound.
pub(super) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}

/// Requests a path until it is answered with 200, and returns the time since the start.
///
/// # Errors
/// When the server does not respond within [`TIMEOUT`].
pub(super) fn wait_until_ready(port: u16, path: &str, started: Instant) -> Result<Duration> {
    let head = format!("GET {path} HTTP/1.1\r\n");
    while started.elapsed() < TIMEOUT {
        if let Ok(200) = request(port, &head, "", TIMEOUT) {
            return Ok(started.elapsed());
        }
    }
    bail!("no response to {path}")
}

/// Waits until a port accepts connections.
///
/// # Errors
/// When it does not within [`TIMEOUT`].
pub(super) fn wait_until_connected(port: u16) -> Result<()> {
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(());
        }
    }
    bail!("no connection to port {port}")
}

/// Sends a POST with a body and a key, and returns the status.
///
/// # Errors
/// When the server cannot be reached or its response cannot be parsed.
pub(crate) fn post(url: &str, key: &str, body: &str, timeout: Duration) -> Result<u16> {
    let (port, path) = port_and_path(url)?;
    let head = format!(
        "POST /{path} HTTP/1.1\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n",
        body.len()
    );
    request(port, &head, body, timeout)
}

/// Sends a POST with JSON and an access token.
///
/// # Errors
/// When the server cannot be reached or its response cannot be parsed.
pub(crate) fn post_as_user(
    url: &str,
    token: &str,
    body: &str,
    timeout: Duration,
) -> Result<HttpResponse> {
    send_json("POST", url, token, body, timeout)
}

/// Sends a request with JSON and an access token.
///
/// # Errors
/// When the server cannot be reached or its response cannot be parsed.
pub(crate) fn send_json(
    method: &str,
    url: &str,
    token: &str,
    body: &str,
    timeout: Duration,
) -> Result<HttpResponse> {
    let (port, path) = port_and_path(url)?;
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nPRIVATE-TOKEN: {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n",
        body.len()
    );
    send(port, &head, body, timeout)
}

/// Response of the server.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    /// The body as sent, without decoding.
    pub(crate) body: String,
}

impl HttpResponse {
    /// The value of a header.
    pub(crate) fn header(&self, header_name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(header_name));
        found.map(|(_, value)| value.trim())
    }
}

/// Sends a GET with an access token.
///
/// # Errors
/// When the server cannot be reached or its response cannot be parsed.
pub(crate) fn get(url: &str, token: &str, timeout: Duration) -> Result<HttpResponse> {
    let (port, path) = port_and_path(url)?;
    let head = format!("GET /{path} HTTP/1.1\r\nPRIVATE-TOKEN: {token}\r\n");
    send(port, &head, "", timeout)
}

fn port_and_path(url: &str) -> Result<(u16, &str)> {
    let rest = url.strip_prefix("http://").context("a plain URL")?;
    let (authority, path) = rest.split_once('/').context("a URL with a path")?;
    let port = authority.rsplit(':').next().unwrap_or_default().parse()?;
    Ok((port, path))
}

/// Sends one request on a connection of its own and returns the status of the response.
fn request(port: u16, head: &str, body: &str, timeout: Duration) -> Result<u16> {
    Ok(send(port, head, body, timeout)?.status)
}

fn send(port: u16, head: &str, body: &str, timeout: Duration) -> Result<HttpResponse> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(timeout))?;
    write!(
        stream,
        "{head}Host: 127.0.0.1\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let status = answer.get(9..12).context("a status line")?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    Ok(HttpResponse {
        status: std::str::from_utf8(status)?.parse()?,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// Peak memory of a process so far, in KiB.
///
/// # Errors
/// When the process has ended.
pub(crate) fn peak_kib(pid: u32) -> Result<f64> {
    status_kib(pid, "VmHWM:")
}

/// Current resident memory of a process, in KiB.
///
/// # Errors
/// When the process has ended.
pub(crate) fn resident_kib(pid: u32) -> Result<f64> {
    status_kib(pid, "VmRSS:")
}

/// Processor time of a process so far, in seconds.
///
/// # Errors
/// When the process has ended.
pub(crate) fn processor_seconds(pid: u32) -> Result<f64> {
    // Linux counts in hundredths of a second (proc(5), fields 14 and 15; the name before them is in parentheses).
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("the name of the process")?;
    let times = fields.split_whitespace().skip(11).take(2);
    let times: Vec<f64> = times.map(str::parse).collect::<Result<_, _>>()?;
    Ok(times.iter().sum::<f64>() / 100.0)
}

/// Bytes that a process has written to the disk so far.
///
/// # Errors
/// When the process has ended.
pub(crate) fn written_bytes(pid: u32) -> Result<f64> {
    number_after(&format!("/proc/{pid}/io"), "write_bytes:")
}

fn status_kib(pid: u32, label: &str) -> Result<f64> {
    number_after(&format!("/proc/{pid}/status"), label)
}

fn number_after(file: &str, label: &str) -> Result<f64> {
    let text = fs::read_to_string(file)?;
    let line = text.lines().find_map(|line| line.strip_prefix(label));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.with_context(|| format!("no {label}"))?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_this_process_is_reported() {
        assert!(peak_kib(std::process::id()).unwrap() > 100.0);
        assert!(status_kib(std::process::id(), "VmNothing:").is_err());
        assert!(processor_seconds(std::process::id()).unwrap() < 1000.0);
        assert!(written_bytes(std::process::id()).unwrap() >= 0.0);
    }

    #[test]
    fn a_url_without_a_port_or_path_is_refused() {
        for url in ["https://x/", "http://x", "http://x/y"] {
            assert!(post(url, "", "", TIMEOUT).is_err(), "{url}");
        }
    }
}
