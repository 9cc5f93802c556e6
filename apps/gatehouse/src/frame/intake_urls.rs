//! Where a project takes alerts.

use api_conventions::reference::FullPath;

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
