//! Pages of a project's settings, as tabs.

use super::list::Tab;
use super::project::ProjectContext;
use crate::frame::scopes::Maintainer;

/// Page of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsTab {
    /// General settings, archiving and deletion.
    General,
    /// Alert endpoints.
    AlertEndpoints,
    /// Incidents of alerts.
    Incidents,
    /// Notification channels.
    Notifications,
    /// Error tracking.
    ErrorTracking,
    /// Deploy tokens.
    DeployTokens,
    /// Runners.
    Runners,
    /// Audit events.
    AuditEvents,
}

/// Settings pages that a visitor may see, with the current one marked.
/// Developers see only the endpoints.
pub fn tabs(found: &ProjectContext, current: SettingsTab) -> Vec<Tab> {
    let parts = [
        (
            SettingsTab::General,
            "General",
            "settings",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::AlertEndpoints,
            "Alert endpoints",
            "settings/alert_endpoints",
            true,
        ),
        (
            SettingsTab::Incidents,
            "Incidents",
            "settings/incidents",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::Notifications,
            "Notifications",
            "settings/notifications",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::ErrorTracking,
            "Error tracking",
            "settings/error_tracking",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::DeployTokens,
            "Deploy tokens",
            "settings/deploy_tokens",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::Runners,
            "Runners",
            "settings/runners",
            found.allows::<Maintainer>(),
        ),
        (
            SettingsTab::AuditEvents,
            "Audit events",
            "audit_events",
            found.allows::<Maintainer>(),
        ),
    ];
    let path = found.path();
    let seen = parts.into_iter().filter(|(.., is_seen)| *is_seen);
    let tab = |(part, name, end, _): (SettingsTab, &'static str, &str, bool)| Tab {
        name,
        href: format!("{path}/-/{end}"),
        count: String::new(),
        is_current: part == current,
    };
    seen.map(tab).collect()
}
