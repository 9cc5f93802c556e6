//! Where log lines go: to standard error, so that standard output stays for what a command prints.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogFormat, LogSettings};

/// The reader of requests, which logs as an error of ours whatever bytes a client sends that are no request.
const REQUEST_READER: &str = "actix_http::h1::dispatcher";

/// Starts logging for the whole process. A second call changes nothing, so that a host may have its own.
pub fn start(settings: &LogSettings) {
    let mut lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // Escape codes are for people; in a file or a journal they only hide the words. On a terminal NO_COLOR counts.
    if !std::io::stderr().is_terminal() {
        lines.set_ansi(false);
    }
    let registry = tracing_subscriber::registry().with(filter(&settings.filter));
    let started = match settings.format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    drop(started);
}

/// The filter that was configured, without the faults of clients unless it asks for them by name.
fn filter(configured: &str) -> EnvFilter {
    let filter = EnvFilter::new(with_our_http(configured));
    match format!("{REQUEST_READER}=off").parse() {
        Ok(silence) if !names_request_reader(configured) => filter.add_directive(silence),
        _ => filter,
    }
}

/// The filter with what it says of `gatehouse` said of our HTTP, too, which is a crate of another name.
fn with_our_http(configured: &str) -> String {
    let parts = configured.split(',').map(str::trim);
    let ours = parts.filter_map(|part| part.strip_prefix("gatehouse="));
    ours.fold(configured.to_owned(), |all, level| {
        format!("{all},web_conventions={level}")
    })
}

/// Whether a part of the filter is about the reader of requests: it names it, or a module around it.
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
            assert!(!filter.contains("off"), "{configured}: {filter}");
        }
    }

    #[test]
    fn what_is_asked_of_the_program_is_asked_of_its_http() {
        let filter = filter("info, gatehouse=debug").to_string();
        assert!(filter.contains("web_conventions=debug"), "{filter}");
        assert_eq!(with_our_http("warn"), "warn");
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
