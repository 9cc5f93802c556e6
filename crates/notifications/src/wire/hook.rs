//! The JSON of a project hook, as v4 clients know it.

use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::Channel;

/// Hook of a project. The events that this server does not have are always `false`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProjectHook"))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields of the API's resource"
)]
pub struct ProjectHookJson {
    id: ChannelId,
    url: String,
    name: String,
    description: String,
    created_at: Timestamp,
    push_events: bool,
    tag_push_events: bool,
    merge_requests_events: bool,
    repository_update_events: bool,
    enable_ssl_verification: bool,
    /// State: `executable`, `temporarily_disabled` (the hook waits after a failure) or `disabled`.
    alert_status: &'static str,
    /// Time of the next attempt after a failure.
    disabled_until: Option<Timestamp>,
    /// Always empty.
    url_variables: Vec<String>,
    push_events_branch_filter: Option<String>,
    branch_filter_strategy: &'static str,
    custom_webhook_template: String,
    /// Always empty.
    custom_headers: Vec<String>,
    project_id: Option<ProjectId>,
    issues_events: bool,
    confidential_issues_events: bool,
    note_events: bool,
    confidential_note_events: bool,
    pipeline_events: bool,
    wiki_page_events: bool,
    deployment_events: bool,
    feature_flag_events: bool,
    job_events: bool,
    releases_events: bool,
    milestone_events: bool,
    emoji_events: bool,
    resource_access_token_events: bool,
    resource_deploy_token_events: bool,
    vulnerability_events: bool,
    /// True if alerts are reported.
    alert_events: bool,
}

impl ProjectHookJson {
    /// Creates the JSON of a channel that is a hook.
    pub fn new(channel: Channel) -> Self {
        let (settings, lane) = (channel.settings, channel.lane);
        let triggers = settings.hook_triggers;
        let disabled_until = lane
            .due_at
            .filter(|_| settings.is_active && lane.failures > 0);
        Self {
            id: channel.id,
            url: settings.url,
            name: settings.name,
            description: settings.description,
            created_at: channel.created_at,
            push_events: false,
            tag_push_events: false,
            merge_requests_events: false,
            repository_update_events: false,
            enable_ssl_verification: true,
            alert_status: match (settings.is_active, disabled_until) {
                (false, _) => "disabled",
                (true, Some(_)) => "temporarily_disabled",
                (true, None) => "executable",
            },
            disabled_until,
            url_variables: Vec::new(),
            push_events_branch_filter: None,
            branch_filter_strategy: "wildcard",
            custom_webhook_template: String::new(),
            custom_headers: Vec::new(),
            project_id: channel.owner.project(),
            issues_events: triggers.issues,
            confidential_issues_events: triggers.confidential_issues,
            note_events: triggers.notes,
            confidential_note_events: triggers.confidential_notes,
            pipeline_events: false,
            wiki_page_events: false,
            deployment_events: false,
            feature_flag_events: false,
            job_events: false,
            releases_events: false,
            milestone_events: false,
            emoji_events: false,
            resource_access_token_events: false,
            resource_deploy_token_events: false,
            vulnerability_events: false,
            alert_events: settings.alert_events,
        }
    }
}
