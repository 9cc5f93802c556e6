//! Load by wrk, and what it says.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::invoke;

/// The script that makes a new alert with each request.
const ALERT: &str = include_str!("alert.lua");
/// The script that sends bodies that were made before.
const PACKED: &str = include_str!("packed.lua");
/// The scripts that ask for tokens.
const CODE: &str = include_str!("code.lua");
const REFRESH: &str = include_str!("refresh.lua");
const FORM: &str = include_str!("form.lua");

/// What to send.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// A GET with an access token, or without.
    Get {
        /// The whole URL.
        url: String,
        /// The header that carries the token, whole.
        header: Option<String>,
    },
    /// A POST of a new alert each time.
    Alert {
        /// The whole URL.
        url: String,
        /// The key of the endpoint; empty for none.
        key: String,
    },
    /// A POST of another compressed envelope each time, from a file of them.
    Packed {
        /// The whole URL.
        url: String,
        /// The envelopes, each after a line with its length.
        file: PathBuf,
        /// The key of the DSN; empty for none.
        key: String,
    },
    /// A POST of another code each time, or of the refresh token of an earlier answer.
    Tokens {
        /// The whole URL.
        url: String,
        /// What the requests begin with, a line each.
        file: PathBuf,
        /// The client's name and secret, encoded for Basic.
        basic: String,
        /// Whether the file has refresh tokens; else it has codes.
        refreshes: bool,
    },
    /// The same form each time.
    Form {
        /// The whole URL.
        url: String,
        /// The client's name and secret, encoded for Basic.
        basic: String,
        /// The form.
        body: String,
    },
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Answers per second.
    pub(crate) rate: f64,
    /// Milliseconds within which half of the answers came.
    pub(crate) median_ms: f64,
    /// Milliseconds within which 99 of 100 answers came.
    pub(crate) p99_ms: f64,
}

/// Sends requests over so many connections for so many seconds.
///
/// # Errors
/// When wrk is not installed, and when any answer was not a success: a speed of failures says nothing.
pub(crate) fn send(request: &Request, connections: u32, seconds: u32) -> Result<Figures> {
    let mut command = Command::new("wrk");
    command.args(["--latency", "--timeout", "30s", "--threads"]);
    command.arg(connections.min(2).to_string());
    command.args(["--connections", &connections.to_string()]);
    command.args(["--duration", &format!("{seconds}s")]);
    let directory = tempfile::tempdir()?;
    match request {
        Request::Get { url, header } => {
            if let Some(header) = header {
                command.args(["--header", header]);
            }
            command.arg(url);
        }
        Request::Alert { url, key } => {
            let run = directory.path().file_name().unwrap_or_default();
            script(&mut command, &directory, ALERT, url)?
                .arg(run)
                .arg(key);
        }
        Request::Packed { url, file, key } => {
            script(&mut command, &directory, PACKED, url)?
                .arg(file)
                .arg(key);
        }
        Request::Tokens {
            url,
            file,
            basic,
            refreshes,
        } => {
            let lua = if *refreshes { REFRESH } else { CODE };
            script(&mut command, &directory, lua, url)?
                .arg(file)
                .arg(basic);
        }
        Request::Form { url, basic, body } => {
            script(&mut command, &directory, FORM, url)?.args([basic, body]);
        }
    }
    let said = invoke::capture(&mut command)
        .context("wrk makes the load; Debian's package has the same name")?;
    read(&String::from_utf8_lossy(&said))
}

/// Adds a script and the URL; what follows are the script's arguments.
fn script<'c>(
    command: &'c mut Command,
    directory: &TempDir,
    lua: &str,
    url: &str,
) -> Result<&'c mut Command> {
    let path = directory.path().join("requests.lua");
    std::fs::write(&path, lua)?;
    Ok(command.arg("--script").arg(path).arg(url).arg("--"))
}

/// Reads what wrk prints.
fn read(said: &str) -> Result<Figures> {
    for trouble in ["Non-2xx or 3xx responses", "Socket errors"] {
        if let Some(line) = said.lines().find(|line| line.contains(trouble)) {
            bail!("under load, {}", line.trim());
        }
    }
    let after = |label: &str| {
        let line = said
            .lines()
            .map(str::trim)
            .find_map(|line| line.strip_prefix(label));
        line.map(str::trim)
            .with_context(|| format!("wrk prints no {label}"))
    };
    Ok(Figures {
        rate: after("Requests/sec:")?.parse()?,
        median_ms: milliseconds(after("50%")?)?,
        p99_ms: milliseconds(after("99%")?)?,
    })
}

/// Reads a time with its unit.
fn milliseconds(text: &str) -> Result<f64> {
    let units = [("us", 0.001), ("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    for (unit, factor) in units {
        if let Some(number) = text.strip_suffix(unit) {
            return Ok(number.parse::<f64>()? * factor);
        }
    }
    bail!("{text} is no time")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
Running 3s test @ http://127.0.0.1:1/
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.15ms    0.90ms  15.57ms   87.17%
  Latency Distribution
     50%  862.00us
     75%    1.50ms
     90%    2.27ms
     99%    1.02s
  177404 requests in 3.10s, 29.10MB read
Requests/sec:  57230.51
Transfer/sec:      9.39MB
";

    #[test]
    fn rate_and_latencies_are_read() {
        let figures = read(SAID).unwrap();
        assert!((figures.rate - 57_230.51).abs() < 1e-6);
        assert!((figures.median_ms - 0.862).abs() < 1e-6);
        assert!((figures.p99_ms - 1020.0).abs() < 1e-6);
    }

    #[test]
    fn a_failure_under_load_is_no_figure() {
        for trouble in [
            "  Non-2xx or 3xx responses: 3",
            "  Socket errors: connect 0, read 1, write 0, timeout 0",
        ] {
            let error = read(&format!("{SAID}{trouble}\n")).unwrap_err().to_string();
            assert!(error.contains(trouble.trim()), "{error}");
        }
    }

    #[test]
    fn something_else_than_figures_is_refused() {
        assert!(read("unable to connect").is_err());
        assert!(milliseconds("5 parsecs").is_err());
    }
}
