//! Pages of a project's settings, as tabs.

use super::list::Tab;
use super::project::Found;
use crate::frame::scopes::Maintainer;

/// Page of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// General settings, archiving and deletion.
    General,
    /// Alert endpoints.
    AlertEndpoints,
    /// Error tracking.
    ErrorTracking,
}

/// Settings pages that a visitor may see, with the current one marked.
/// Developers see only the endpoints.
pub fn tabs(found: &Found, current: Part) -> Vec<Tab> {
    let parts = [
        (Part::General, "General", "", found.allows::<Maintainer>()),
        (
            Part::AlertEndpoints,
            "Alert endpoints",
            "/alert_endpoints",
            true,
        ),
        (
            Part::ErrorTracking,
            "Error tracking",
            "/error_tracking",
            found.allows::<Maintainer>(),
        ),
    ];
    let path = found.path();
    let seen = parts.into_iter().filter(|(.., is_seen)| *is_seen);
    let tab = |(part, name, end, _): (Part, &'static str, &str, bool)| Tab {
        name,
        href: format!("{path}/-/settings{end}"),
        count: String::new(),
        is_current: part == current,
    };
    seen.map(tab).collect()
}
