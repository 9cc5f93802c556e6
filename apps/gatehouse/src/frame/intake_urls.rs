//! URLs at which a project receives alerts and errors.

use api_conventions::reference::FullPath;

/// Path of the error collector, without a trailing slash (specification, "Error tracking client key").
pub const COLLECTOR_PATH: &str = "/api/v4/error_tracking/collector";

/// URL of the error collector, the prefix of all DSNs.
pub fn collector_url(base_url: &str) -> String {
    format!("{base_url}{COLLECTOR_PATH}")
}

/// True for paths below the error collector.
pub fn is_below_collector(path: &str) -> bool {
    let rest = path.strip_prefix(COLLECTOR_PATH);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Alert URLs of a project.
#[derive(Debug, Clone)]
pub struct IntakeUrls {
    /// URL for any JSON object.
    pub generic: String,
    /// URL for Alertmanager.
    pub metrics: String,
}

impl IntakeUrls {
    /// URLs of the project at `path`, below `base_url`, which has no trailing slash.
    pub fn new(base_url: &str, path: &FullPath) -> Self {
        let project = format!("{base_url}/{}", path.as_str());
        Self {
            generic: format!("{project}/alerts/notify.json"),
            metrics: format!("{project}/prometheus/alerts/notify.json"),
        }
    }
}
