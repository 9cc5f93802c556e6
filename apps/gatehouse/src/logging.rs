//! Logging to standard error, so that standard output stays free for the output of commands.

use std::io::IsTerminal as _;

use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, reload};

use crate::config::{LogFormat, LogSettings};

/// Request parser, which logs malformed requests of clients as server errors.
const REQUEST_READER: &str = "actix_http::h1::dispatcher";

/// Target of the spans of traces, which are no part of log lines.
const TRACES: &str = "traces";

/// Libraries that log about themselves: only their warnings and errors are logged, unless the filter names them.
/// Each entry covers all modules whose names start with it.
const LIBRARIES: [&str; 11] = [
    "actix",
    "h2",
    "html5ever",
    "hyper",
    "mio",
    "opentelemetry",
    "r2d2",
    "rustls",
    "selectors",
    "tokio",
    "ureq",
];

/// Running log, whose level can change.
#[derive(Debug)]
pub struct RunningLog(reload::Handle<EnvFilter, Registry>);

impl RunningLog {
    /// Applies another level. The format stays as it is.
    ///
    /// # Errors
    /// If logging was set up by the host of this crate.
    pub fn apply(&self, settings: &LogSettings) -> anyhow::Result<()> {
        Ok(self.0.reload(filter(&settings.filter))?)
    }
}

/// Starts logging for the whole process.
/// A second call has no effect, so that a host may set up its own.
pub fn start(settings: &LogSettings) -> RunningLog {
    // Standard error may be a closed pipe. Reporting that on standard error would panic.
    let mut lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .log_internal_errors(false);
    // Escape codes are for people; in a file or a journal they only get in the way. On a terminal NO_COLOR applies.
    if !std::io::stderr().is_terminal() {
        lines.set_ansi(false);
    }
    let lines = match settings.format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let (filter, running) = reload::Layer::new(filter(&settings.filter));
    let registry = tracing_subscriber::registry().with(lines.with_filter(filter));
    #[cfg(feature = "traces")]
    let registry = registry.with(crate::traces::layer());
    // It fails if the host has set up its own.
    let _ = registry.try_init();
    RunningLog(running)
}

/// Builds the configured filter, without malformed client requests unless it names their module.
fn filter(configured: &str) -> EnvFilter {
    let filter = EnvFilter::new(with_quiet_libraries(&with_our_http(configured)));
    let filter = match format!("{TRACES}=off").parse() {
        Ok(silence) => filter.add_directive(silence),
        Err(_) => filter,
    };
    match format!("{REQUEST_READER}=off").parse() {
        Ok(silence) if !names_request_reader(configured) => filter.add_directive(silence),
        _ => filter,
    }
}

/// Applies the level of `gatehouse` to our HTTP crate too, which has another name.
fn with_our_http(configured: &str) -> String {
    let parts = configured.split(',').map(str::trim);
    let ours = parts.filter_map(|part| part.strip_prefix("gatehouse="));
    ours.fold(configured.to_owned(), |all, level| {
        format!("{all},web_conventions={level}")
    })
}

/// Lowers the level of libraries that the filter does not name.
fn with_quiet_libraries(configured: &str) -> String {
    let mut parts = configured.split(',').map(str::trim);
    let is_talkative = parts.any(|part| matches!(part, "info" | "debug" | "trace"));
    let is_unnamed = |library: &&str| {
        let mut parts = configured.split(',').map(str::trim);
        !parts.any(|part| part.starts_with(*library))
    };
    let quiet = LIBRARIES
        .iter()
        .filter(|library| is_talkative && is_unnamed(library));
    quiet.fold(configured.to_owned(), |all, library| {
        format!("{all},{library}=warn")
    })
}

/// True if a part of the filter names the request parser, or a module that contains it.
fn names_request_reader(configured: &str) -> bool {
    configured.split(',').any(|directive| {
        let target = directive.split(['=', '[']).next().unwrap_or_default();
        let target = target.trim();
        !target.is_empty() && REQUEST_READER.starts_with(target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_of_requests_is_silent_unless_it_is_named() {
        for configured in [
            "info",
            "trace",
            "gatehouse=debug,warn",
            "actix_web=debug",
            "",
        ] {
            let filter = filter(configured).to_string();
            assert!(filter.contains("dispatcher=off"), "{configured}: {filter}");
        }
        for configured in [
            "actix_http=error",
            "info, actix_http::h1=warn",
            "actix_http::h1::dispatcher",
            "actix_http[request]=debug",
        ] {
            let filter = filter(configured).to_string();
            assert!(!filter.contains("dispatcher=off"), "{configured}: {filter}");
        }
    }

    #[test]
    fn the_gatehouse_log_level_also_applies_to_web_conventions() {
        let filter = filter("info, gatehouse=debug").to_string();
        assert!(filter.contains("web_conventions=debug"), "{filter}");
        assert_eq!(with_our_http("warn"), "warn");
    }

    #[test]
    fn libraries_log_at_warn_unless_the_filter_names_them() {
        let quiet = with_quiet_libraries("info");
        assert!(quiet.starts_with("info,actix=warn,"), "{quiet}");
        let named = with_quiet_libraries("debug,actix_server=trace");
        assert!(
            !named.contains("actix=warn") && named.contains("mio=warn"),
            "{named}"
        );
        for already in ["warn", "error", "off", "warn,gatehouse=debug"] {
            assert_eq!(with_quiet_libraries(already), already);
        }
    }

    #[test]
    fn silence_for_one_leaves_the_others_as_configured() {
        assert!(
            filter("gatehouse=debug")
                .to_string()
                .contains("gatehouse=debug")
        );
        assert!(filter("").to_string().contains("error"));
    }
}
