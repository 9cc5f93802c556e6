//! URLs at which a project receives alerts and errors.

use alert_intake::model::Integration;
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

/// True for paths below the Alertmanager API of an alert endpoint.
pub fn is_below_alertmanager(path: &str) -> bool {
    let rest = path.rsplit_once("/alerts/notify/").map(|(_, rest)| rest);
    // After the name and the identifier of the endpoint.
    let api = rest.and_then(|rest| rest.splitn(3, '/').nth(2));
    api.is_some_and(|api| api.starts_with("api/v2/"))
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

/// URL at which an endpoint of the project at `path` receives alerts.
pub fn endpoint_url(base_url: &str, path: &FullPath, endpoint: &Integration) -> String {
    let urls = IntakeUrls::new(base_url, path);
    match endpoint.endpoint_identifier.as_str() {
        Integration::GENERIC_IDENTIFIER => urls.generic,
        Integration::METRICS_IDENTIFIER => urls.metrics,
        _ => format!("{}.json", named_url(base_url, path, endpoint)),
    }
}

/// URL of an endpoint below which the APIs of other services are answered. The name in it is decoration: a URL with an
/// earlier name stays valid.
pub fn named_url(base_url: &str, path: &FullPath, endpoint: &Integration) -> String {
    let (slug, end) = (slug_of(&endpoint.name), &endpoint.endpoint_identifier);
    format!("{base_url}/{}/alerts/notify/{slug}/{end}", path.as_str())
}

/// Returns a name as lower-case letters and digits with dashes, or `http-endpoint` if it has neither.
fn slug_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() {
        "http-endpoint".to_owned()
    } else {
        words.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_url_has_letters_digits_and_dashes() {
        for (name, expected) in [
            ("Uptime Kuma (EU)", "uptime-kuma-eu"),
            ("a/b", "a-b"),
            ("\u{e9}\u{4e16}", "http-endpoint"),
            ("", "http-endpoint"),
        ] {
            assert_eq!(slug_of(name), expected, "{name}");
        }
    }
}
