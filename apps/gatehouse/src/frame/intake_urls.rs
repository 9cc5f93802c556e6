//! Addresses at which a project takes alerts and errors.

use api_conventions::reference::FullPath;

/// Path of the collector of errors, without a slash at its end (specification, "Error tracking client key").
pub const COLLECTOR_PATH: &str = "/api/v4/error_tracking/collector";

/// Address of the collector of errors, which the DSNs of projects begin with.
pub fn collector_url(base_url: &str) -> String {
    format!("{base_url}{COLLECTOR_PATH}")
}

/// True for the paths below that of the collector.
pub fn is_below_collector(path: &str) -> bool {
    let rest = path.strip_prefix(COLLECTOR_PATH);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The URLs to which a project's alerts are sent.
#[derive(Debug, Clone)]
pub struct IntakeUrls {
    /// For any JSON object.
    pub generic: String,
    /// For Alertmanager.
    pub metrics: String,
}

impl IntakeUrls {
    /// The URLs of the project at `path`, below `base_url`, which has no slash at its end.
    pub fn new(base_url: &str, path: &FullPath) -> Self {
        let project = format!("{base_url}/{}", path.as_str());
        Self {
            generic: format!("{project}/alerts/notify.json"),
            metrics: format!("{project}/prometheus/alerts/notify.json"),
        }
    }
}
