//! Tables of settings.
//! Defaults apply in a place that never sets a value: features that the server does not have are off.

use super::SettingDefault::{Flag as Is, Nothing, Number as Count, Word as Says};
use super::SettingKind::{Flag, Number, Text, Within, Word};
use super::{Setting, SettingDefault, SettingKind, SettingTable};

/// The access levels of a feature.
pub const ACCESS_LEVELS: &[&str] = &["disabled", "private", "enabled"];
/// Access levels of a feature that can be open to people who do not see the project.
const PUBLIC_LEVELS: &[&str] = &["disabled", "private", "enabled", "public"];

const LEVEL: SettingKind = Word(ACCESS_LEVELS);
const OFF: SettingDefault = Says("disabled");

/// The settings of projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProjectSettingTable;

/// The settings of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupSettingTable;

const fn setting(
    name: &'static str,
    kind: SettingKind,
    default: SettingDefault,
    about: &'static str,
) -> Setting {
    Setting {
        name,
        kind,
        default,
        about,
    }
}

impl SettingTable for ProjectSettingTable {
    #[rustfmt::skip]
    const ALL: &'static [Setting] = &[
        setting("allow_merge_on_skipped_pipeline", Flag, Nothing, "True if merge requests with a skipped pipeline can be merged."),
        setting("analytics_access_level", LEVEL, OFF, "Access to analytics."),
        setting("auto_cancel_pending_pipelines", Word(&["enabled", "disabled"]), Says("enabled"), "Automatic cancellation of pending pipelines that a newer one makes redundant."),
        setting("auto_devops_deploy_strategy", Word(&["continuous", "manual", "timed_incremental"]), Says("continuous"), "Deployment strategy of Auto DevOps."),
        setting("auto_devops_enabled", Flag, Is(false), "True if Auto DevOps is enabled."),
        setting("autoclose_referenced_issues", Flag, Is(false), "True if merging closes the referenced issues."),
        setting("build_timeout", Within(600, 2_592_000), Count(3600), "Maximum duration of a job, in seconds."),
        setting("builds_access_level", LEVEL, Says("enabled"), "Visibility of pipelines, commit statuses and jobs: no one (`disabled`), members (`private`), or everyone who can see the project."),
        setting("ci_allow_fork_pipelines_to_run_in_parent_project", Flag, Is(true), "True if pipelines of forks can run in this project."),
        setting("ci_config_path", Text(255), Nothing, "Path of the CI/CD configuration file."),
        setting("ci_default_git_depth", Within(0, 1000), Count(20), "Number of commits that a job fetches (Git depth)."),
        setting("ci_forward_deployment_enabled", Flag, Is(true), "True if an outdated deployment cannot replace a newer one."),
        setting("ci_job_token_scope_enabled", Flag, Is(false), "True if job tokens can access only selected projects."),
        setting("ci_separated_caches", Flag, Is(true), "True if protected branches use separate caches."),
        setting("container_registry_access_level", LEVEL, Says("enabled"), "Users who can pull images of the project: no one (`disabled`), members with the Reporter role or higher (`private`), or everyone who can see the project; in a private project, always members with the Reporter role or higher."),
        setting("default_branch", Text(255), Nothing, "Name of the default branch."),
        setting("emails_disabled", Flag, Is(false), "True if email notifications are disabled for the project."),
        setting("environments_access_level", LEVEL, Says("private"), "Visibility of environments and deployments: no one (`disabled`), members with the Reporter role or higher (`private`), or everyone who can see the project."),
        setting("feature_flags_access_level", LEVEL, OFF, "Access to feature flags."),
        setting("forking_access_level", LEVEL, OFF, "Access to forks."),
        setting("group_runners_enabled", Flag, Is(false), "True if group runners are enabled."),
        setting("infrastructure_access_level", LEVEL, OFF, "Access to infrastructure."),
        setting("keep_latest_artifact", Flag, Is(true), "True if the latest artifacts of a branch are kept."),
        setting("lfs_enabled", Flag, Is(false), "True if Git LFS is enabled."),
        setting("merge_method", Word(&["merge", "rebase_merge", "ff"]), Says("merge"), "Merge method."),
        setting("merge_requests_access_level", LEVEL, OFF, "Access to merge requests."),
        setting("only_allow_merge_if_all_discussions_are_resolved", Flag, Is(false), "True if merging requires all discussions to be resolved."),
        setting("only_allow_merge_if_pipeline_succeeds", Flag, Is(false), "True if merging requires a successful pipeline."),
        setting("packages_enabled", Flag, Is(false), "True if the package registry is enabled."),
        setting("pages_access_level", Word(PUBLIC_LEVELS), OFF, "Access to the Pages site."),
        setting("printing_merge_request_link_enabled", Flag, Is(false), "True if pushing prints a link to create a merge request."),
        setting("public_jobs", Flag, Is(false), "True if everyone who can see pipelines can also see their jobs; otherwise only members with the Reporter role or higher can."),
        setting("releases_access_level", LEVEL, OFF, "Access to releases."),
        setting("remove_source_branch_after_merge", Flag, Nothing, "True if merging deletes the source branch."),
        setting("repository_access_level", LEVEL, Says("enabled"), "Readers of the repository over Git: no one (`disabled`), members with the Reporter role or higher (`private`), or everyone who can see the project; in a private project, always members with the Reporter role or higher."),
        setting("request_access_enabled", Flag, Is(false), "True if users can request access."),
        setting("resolve_outdated_diff_discussions", Flag, Is(false), "True if pushing resolves outdated discussions."),
        setting("security_and_compliance_access_level", LEVEL, OFF, "Access to security and compliance."),
        setting("service_desk_enabled", Flag, Is(false), "True if Service Desk is enabled."),
        setting("shared_runners_enabled", Flag, Is(false), "True if instance runners are enabled."),
        setting("snippets_access_level", LEVEL, Says("enabled"), "Visibility of the project's snippets: no one (`disabled`), members (`private`), or everyone who can see the project and the snippet."),
        setting("squash_option", Word(&["never", "always", "default_on", "default_off"]), Says("default_off"), "Squashing of commits when merging."),
        setting("suggestion_commit_message", Text(255), Nothing, "Commit message for applied suggestions."),
        setting("wiki_access_level", LEVEL, OFF, "Access to the wiki."),
    ];
    const SWITCHES: &'static [(&'static str, &'static str)] = &[
        (
            "container_registry_enabled",
            "container_registry_access_level",
        ),
        ("jobs_enabled", "builds_access_level"),
        ("merge_requests_enabled", "merge_requests_access_level"),
        ("snippets_enabled", "snippets_access_level"),
        ("wiki_enabled", "wiki_access_level"),
    ];
    const SHOWN_SEPARATELY: &'static [&'static str] = &["default_branch"];
    const ALIASES: &'static [(&'static str, &'static str)] = &[("public_builds", "public_jobs")];
}

impl SettingTable for GroupSettingTable {
    #[rustfmt::skip]
    const ALL: &'static [Setting] = &[
        setting("auto_devops_enabled", Flag, Nothing, "True if Auto DevOps is enabled for projects of the group."),
        setting("default_branch_protection", Number(&[0, 1, 2, 3, 4]), Count(2), "Protection of default branches, from 0 (none) to 4 (full, after the first push)."),
        setting("emails_disabled", Flag, Is(false), "True if email notifications are disabled for the group."),
        setting("lfs_enabled", Flag, Is(false), "True if Git LFS is enabled for projects of the group."),
        setting("mentions_disabled", Flag, Is(false), "True if mentions of the group notify no one."),
        setting("request_access_enabled", Flag, Is(false), "True if users can request access."),
        setting("shared_runners_setting", Word(&["enabled", "disabled_and_overridable", "disabled_and_unoverridable"]), Says("enabled"), "Availability of instance runners in the group."),
        setting("two_factor_grace_period", Within(0, 87_600), Count(48), "Hours that members have to turn on two-factor authentication."),
    ];
    const SWITCHES: &'static [(&'static str, &'static str)] = &[];
    const SHOWN_SEPARATELY: &'static [&'static str] = &[];
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
}
