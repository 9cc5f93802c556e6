//! The pages of a project's settings, as tabs.

use super::list::Tab;
use super::project::Found;

/// A page of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the project is, and whether it is there.
    General,
    /// Where it takes alerts.
    AlertEndpoints,
}

/// All pages, in their order, with the one that is shown.
const PARTS: [(Part, &str, &str); 2] = [
    (Part::General, "General", ""),
    (Part::AlertEndpoints, "Alert endpoints", "/alert_endpoints"),
];

/// The tabs of the settings of a project.
pub fn tabs(found: &Found, current: Part) -> Vec<Tab> {
    let path = found.path();
    let tab = |(part, name, end): (Part, &'static str, &str)| Tab {
        name,
        href: format!("{path}/-/settings{end}"),
        count: String::new(),
        is_current: part == current,
    };
    PARTS.into_iter().map(tab).collect()
}
