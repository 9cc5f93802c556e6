//! What projects have elsewhere and not here, as clients of the API expect to read it where it is switched off.

use serde::Serialize;

/// The word for a feature that is switched off.
const OFF: &str = "disabled";
/// The word for one that is on.
const ON: &str = "enabled";

/// The features of a project. Every project has issues and alerts, and none of the others.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "the API has as many")]
pub(super) struct Features {
    empty_repo: bool,
    issues_enabled: bool,
    packages_enabled: bool,
    resolve_outdated_diff_discussions: bool,
    merge_requests_enabled: bool,
    wiki_enabled: bool,
    jobs_enabled: bool,
    snippets_enabled: bool,
    container_registry_enabled: bool,
    service_desk_enabled: bool,
    can_create_merge_request_in: bool,
    emails_disabled: bool,
    shared_runners_enabled: bool,
    group_runners_enabled: bool,
    lfs_enabled: bool,
    public_jobs: bool,
    only_allow_merge_if_pipeline_succeeds: bool,
    only_allow_merge_if_all_discussions_are_resolved: bool,
    printing_merge_request_link_enabled: bool,
    request_access_enabled: bool,
    auto_devops_enabled: bool,
    autoclose_referenced_issues: bool,
    issues_access_level: &'static str,
    monitor_access_level: &'static str,
    repository_access_level: &'static str,
    merge_requests_access_level: &'static str,
    forking_access_level: &'static str,
    wiki_access_level: &'static str,
    builds_access_level: &'static str,
    snippets_access_level: &'static str,
    pages_access_level: &'static str,
    analytics_access_level: &'static str,
    container_registry_access_level: &'static str,
    security_and_compliance_access_level: &'static str,
    releases_access_level: &'static str,
    environments_access_level: &'static str,
    feature_flags_access_level: &'static str,
    infrastructure_access_level: &'static str,
    service_desk_address: Option<String>,
    import_status: &'static str,
    import_url: Option<String>,
    import_type: Option<String>,
    merge_method: &'static str,
    squash_option: &'static str,
    allow_merge_on_skipped_pipeline: Option<bool>,
    remove_source_branch_after_merge: Option<bool>,
    suggestion_commit_message: Option<String>,
    auto_devops_deploy_strategy: &'static str,
}

impl Features {
    /// Those of every project.
    pub(super) fn of_every_project() -> Self {
        Self {
            empty_repo: true,
            issues_enabled: true,
            packages_enabled: false,
            resolve_outdated_diff_discussions: false,
            merge_requests_enabled: false,
            wiki_enabled: false,
            jobs_enabled: false,
            snippets_enabled: false,
            container_registry_enabled: false,
            service_desk_enabled: false,
            can_create_merge_request_in: false,
            emails_disabled: false,
            shared_runners_enabled: false,
            group_runners_enabled: false,
            lfs_enabled: false,
            public_jobs: false,
            only_allow_merge_if_pipeline_succeeds: false,
            only_allow_merge_if_all_discussions_are_resolved: false,
            printing_merge_request_link_enabled: false,
            request_access_enabled: false,
            auto_devops_enabled: false,
            autoclose_referenced_issues: false,
            issues_access_level: ON,
            monitor_access_level: ON,
            repository_access_level: OFF,
            merge_requests_access_level: OFF,
            forking_access_level: OFF,
            wiki_access_level: OFF,
            builds_access_level: OFF,
            snippets_access_level: OFF,
            pages_access_level: OFF,
            analytics_access_level: OFF,
            container_registry_access_level: OFF,
            security_and_compliance_access_level: OFF,
            releases_access_level: OFF,
            environments_access_level: OFF,
            feature_flags_access_level: OFF,
            infrastructure_access_level: OFF,
            service_desk_address: None,
            import_status: "none",
            import_url: None,
            import_type: None,
            merge_method: "merge",
            squash_option: "default_off",
            allow_merge_on_skipped_pipeline: None,
            remove_source_branch_after_merge: None,
            suggestion_commit_message: None,
            auto_devops_deploy_strategy: "continuous",
        }
    }
}
