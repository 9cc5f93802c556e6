//! Where log lines go: to standard error, so that standard output stays for what a command prints.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogFormat, LogSettings};

/// Starts logging for the whole process. A second call changes nothing, so that a host may have its own.
pub fn start(settings: &LogSettings) {
    let filter = EnvFilter::new(&settings.filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry().with(filter);
    let started = match settings.format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    drop(started);
}
