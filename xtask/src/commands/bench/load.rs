//! Load by wrk, and parsing of its report.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::invoke;

/// Script that sends a new alert with each request.
const ALERT: &str = include_str!("alert.lua");
/// Script that repeats, opens and ends alerts.
const MIX: &str = include_str!("mix.lua");
/// Script that sends bodies prepared in advance.
const PACKED: &str = include_str!("packed.lua");
/// Scripts that request tokens.
const CODE: &str = include_str!("code.lua");
const REFRESH: &str = include_str!("refresh.lua");
const FORM: &str = include_str!("form.lua");

/// A kind of request to send.
#[derive(Clone, Debug)]
pub(crate) enum LoadRequest {
    /// A GET with an access token, or without.
    Get {
        /// The whole URL.
        url: String,
        /// The header that carries the token, whole.
        header: Option<String>,
    },
    /// A GET with an access token of a caller who is over a limit, so that the server refuses it.
    Limited {
        /// The whole URL.
        url: String,
        /// The header that carries the token, whole.
        header: String,
    },
    /// A POST with a new alert each time.
    Alert {
        /// The whole URL.
        url: String,
        /// The key of the endpoint; empty for none.
        key: String,
    },
    /// A POST with a report of Alertmanager each time: 16 of 20 repeat an open alert, 3 open one, and 1 ends one.
    Mix {
        /// The whole URL.
        url: String,
        /// The key of the endpoint.
        key: String,
        /// Number of open alerts that are repeated: those of [`many_alerts`](super::intake::many_alerts) from 0.
        repeated: usize,
    },
    /// A POST with another compressed envelope each time, read from a file.
    Packed {
        /// The whole URL.
        url: String,
        /// The envelopes, each after a line with its length.
        file: PathBuf,
        /// The key of the DSN; empty for none.
        key: String,
    },
    /// A POST with another code each time, or with the refresh token of an earlier response.
    Tokens {
        /// The whole URL.
        url: String,
        /// Path to the file with the beginnings of the requests, one per line.
        file: PathBuf,
        /// The client id and secret, encoded for Basic.
        basic: String,
        /// True if the file has refresh tokens, false if it has codes.
        refreshes: bool,
    },
    /// The same form each time.
    Form {
        /// The whole URL.
        url: String,
        /// The client id and secret, encoded for Basic.
        basic: String,
        /// The form.
        body: String,
    },
}

/// Figures of one load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Responses per second.
    pub(crate) rate: f64,
    /// Median response time, in milliseconds.
    pub(crate) median_ms: f64,
    /// 99th percentile of the response time, in milliseconds.
    pub(crate) p99_ms: f64,
}

/// Sends requests over `connections` connections for `seconds` seconds.
///
/// # Errors
/// When wrk is not installed, and when any response is a failure: the speed of failures says nothing.
pub(crate) fn send(request: &LoadRequest, connections: u32, seconds: u32) -> Result<Figures> {
    let mut command = Command::new("wrk");
    command.args(["--latency", "--timeout", "30s", "--threads"]);
    command.arg(connections.min(2).to_string());
    command.args(["--connections", &connections.to_string()]);
    command.args(["--duration", &format!("{seconds}s")]);
    let directory = tempfile::tempdir()?;
    match request {
        LoadRequest::Get { url, header } => {
            if let Some(header) = header {
                command.args(["--header", header]);
            }
            command.arg(url);
        }
        LoadRequest::Limited { url, header } => {
            command.args(["--header", header]).arg(url);
        }
        LoadRequest::Alert { url, key } => {
            let run = directory.path().file_name().unwrap_or_default();
            script(&mut command, &directory, ALERT, url)?
                .arg(run)
                .arg(key);
        }
        LoadRequest::Mix { url, key, repeated } => {
            let run = directory.path().file_name().unwrap_or_default();
            script(&mut command, &directory, MIX, url)?
                .arg(run)
                .args([key, &repeated.to_string()]);
        }
        LoadRequest::Packed { url, file, key } => {
            script(&mut command, &directory, PACKED, url)?
                .arg(file)
                .arg(key);
        }
        LoadRequest::Tokens {
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
        LoadRequest::Form { url, basic, body } => {
            script(&mut command, &directory, FORM, url)?.args([basic, body]);
        }
    }
    let output = invoke::capture(&mut command)
        .context("wrk generates the load; install the Debian package wrk")?;
    let is_limited = matches!(request, LoadRequest::Limited { .. });
    read(&String::from_utf8_lossy(&output), is_limited)
}

/// Adds a script and the URL. The caller appends the script's arguments.
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

/// Word of wrk for responses that are failures.
const FAILURES: &str = "Non-2xx or 3xx responses";

/// Parses the report of wrk. `is_limited` is true if the server refuses the requests as it should.
fn read(output: &str, is_limited: bool) -> Result<Figures> {
    if is_limited && !output.contains(FAILURES) {
        bail!("the server answered a caller who is over the limit");
    }
    let failures = (!is_limited).then_some(FAILURES);
    for trouble in failures.into_iter().chain(["Socket errors"]) {
        if let Some(line) = output.lines().find(|line| line.contains(trouble)) {
            bail!("under load, {}", line.trim());
        }
    }
    let after = |label: &str| {
        let line = output
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

/// Parses a time with its unit.
fn milliseconds(text: &str) -> Result<f64> {
    let units = [("us", 0.001), ("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    for (unit, factor) in units {
        if let Some(number) = text.strip_suffix(unit) {
            return Ok(number.parse::<f64>()? * factor);
        }
    }
    bail!("{text} is not a duration")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
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
        let figures = read(OUTPUT, false).unwrap();
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
            let error = read(&format!("{OUTPUT}{trouble}\n"), false)
                .unwrap_err()
                .to_string();
            assert!(error.contains(trouble.trim()), "{error}");
        }
    }

    #[test]
    fn a_refusal_is_what_a_limited_caller_should_get() {
        let refused = format!("{OUTPUT}  Non-2xx or 3xx responses: 177404\n");
        assert!(read(&refused, true).is_ok());
        assert!(read(OUTPUT, true).is_err());
    }

    #[test]
    fn something_else_than_figures_is_refused() {
        assert!(read("unable to connect", false).is_err());
        assert!(milliseconds("5 parsecs").is_err());
    }
}
