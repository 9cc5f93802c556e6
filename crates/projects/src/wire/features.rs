//! Features that are the same in every project: issues and alerts are on, and nothing is imported or mirrored.
//! The others are settings ([`ProjectSettings`](crate::model::ProjectSettings)).

use serde::Serialize;

/// The access level of a feature that is on.
const ON: &str = "enabled";

/// Features that cannot be changed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Features {
    empty_repo: bool,
    issues_enabled: bool,
    can_create_merge_request_in: bool,
    issues_access_level: &'static str,
    monitor_access_level: &'static str,
    operations_access_level: &'static str,
    service_desk_address: Option<String>,
    import_status: &'static str,
    import_url: Option<String>,
    import_type: Option<String>,
}

impl Features {
    /// The features of every project.
    pub(super) fn of_every_project() -> Self {
        Self {
            empty_repo: true,
            issues_enabled: true,
            can_create_merge_request_in: false,
            issues_access_level: ON,
            monitor_access_level: ON,
            operations_access_level: ON,
            service_desk_address: None,
            import_status: "none",
            import_url: None,
            import_type: None,
        }
    }
}
