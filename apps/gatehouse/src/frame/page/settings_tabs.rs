//! The pages of a project's settings, as tabs.

use super::list::Tab;
use super::project::Found;
use crate::frame::scopes::Maintainer;

/// A page of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the project is, and whether it is there.
    General,
    /// Where it takes alerts.
    AlertEndpoints,
    /// How it takes errors.
    ErrorTracking,
}

/// The pages that a visitor sees of a project's settings, with the one that is shown marked. Developers see the endpoints alone.
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
