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
pub struct OfProjects;

/// The settings of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfGroups;

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

impl SettingTable for OfProjects {
    #[rustfmt::skip]
    const ALL: &'static [Setting] = &[
        setting("allow_merge_on_skipped_pipeline", Flag, Nothing, "True if a skipped pipeline is good enough for a merge."),
        setting("analytics_access_level", LEVEL, OFF, "Access to analytics."),
        setting("auto_cancel_pending_pipelines", Word(&["enabled", "disabled"]), Says("enabled"), "Cancellation of pipelines that a newer one replaces."),
        setting("auto_devops_deploy_strategy", Word(&["continuous", "manual", "timed_incremental"]), Says("continuous"), "Deployment strategy of Auto DevOps."),
        setting("auto_devops_enabled", Flag, Is(false), "True if Auto DevOps is on."),
        setting("autoclose_referenced_issues", Flag, Is(false), "True if a merge closes the issues that it names."),
        setting("build_timeout", Within(600, 2_592_000), Count(3600), "Time that a job may take, in seconds."),
        setting("builds_access_level", LEVEL, Says("enabled"), "Readers of pipelines, commit statuses and jobs: nobody (`disabled`), members (`private`), or everybody who sees the project."),
        setting("ci_allow_fork_pipelines_to_run_in_parent_project", Flag, Is(true), "True if pipelines of forks run here."),
        setting("ci_config_path", Text(255), Nothing, "Path of the file that describes the jobs."),
        setting("ci_default_git_depth", Within(0, 1000), Count(20), "Number of commits that a job fetches."),
        setting("ci_forward_deployment_enabled", Flag, Is(true), "True if an older deployment never replaces a newer one."),
        setting("ci_job_token_scope_enabled", Flag, Is(false), "True if tokens of jobs are limited to chosen projects."),
        setting("ci_separated_caches", Flag, Is(true), "True if protected branches have caches of their own."),
        setting("container_registry_access_level", LEVEL, OFF, "Access to the container registry."),
        setting("default_branch", Text(255), Nothing, "Name of the default branch."),
        setting("emails_disabled", Flag, Is(false), "True if no e-mail is sent about the project."),
        setting("environments_access_level", LEVEL, Says("private"), "Readers of environments and deployments: nobody (`disabled`), members from Reporter (`private`), or everybody who sees the project."),
        setting("feature_flags_access_level", LEVEL, OFF, "Access to feature flags."),
        setting("forking_access_level", LEVEL, OFF, "Access to forks."),
        setting("group_runners_enabled", Flag, Is(false), "True if runners of the group take jobs."),
        setting("infrastructure_access_level", LEVEL, OFF, "Access to infrastructure."),
        setting("keep_latest_artifact", Flag, Is(true), "True if the last artifacts of a branch are kept."),
        setting("lfs_enabled", Flag, Is(false), "True if large files are stored apart."),
        setting("merge_method", Word(&["merge", "rebase_merge", "ff"]), Says("merge"), "Method of merging."),
        setting("merge_requests_access_level", LEVEL, OFF, "Access to merge requests."),
        setting("only_allow_merge_if_all_discussions_are_resolved", Flag, Is(false), "True if a merge needs all discussions to be resolved."),
        setting("only_allow_merge_if_pipeline_succeeds", Flag, Is(false), "True if a merge needs a successful pipeline."),
        setting("packages_enabled", Flag, Is(false), "True if the package registry is on."),
        setting("pages_access_level", Word(PUBLIC_LEVELS), OFF, "Access to the website of the project."),
        setting("printing_merge_request_link_enabled", Flag, Is(false), "True if a push prints the link to a merge request."),
        setting("public_jobs", Flag, Is(false), "True if everybody who reads the pipelines reads their jobs, too; otherwise members from Reporter do."),
        setting("releases_access_level", LEVEL, OFF, "Access to releases."),
        setting("remove_source_branch_after_merge", Flag, Nothing, "True if a merge removes the source branch."),
        setting("repository_access_level", LEVEL, OFF, "Access to the repository."),
        setting("request_access_enabled", Flag, Is(false), "True if users may ask for access."),
        setting("resolve_outdated_diff_discussions", Flag, Is(false), "True if a push resolves outdated discussions."),
        setting("security_and_compliance_access_level", LEVEL, OFF, "Access to security and compliance."),
        setting("service_desk_enabled", Flag, Is(false), "True if e-mails become issues."),
        setting("shared_runners_enabled", Flag, Is(false), "True if runners of the instance take jobs."),
        setting("snippets_access_level", LEVEL, OFF, "Access to snippets."),
        setting("squash_option", Word(&["never", "always", "default_on", "default_off"]), Says("default_off"), "Squashing of commits by a merge."),
        setting("suggestion_commit_message", Text(255), Nothing, "Message of commits that apply suggestions."),
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
    const SHOWN_APART: &'static [&'static str] = &["default_branch"];
    const ALIASES: &'static [(&'static str, &'static str)] = &[("public_builds", "public_jobs")];
}

impl SettingTable for OfGroups {
    #[rustfmt::skip]
    const ALL: &'static [Setting] = &[
        setting("auto_devops_enabled", Flag, Nothing, "True if Auto DevOps is on for the projects of the group."),
        setting("default_branch_protection", Number(&[0, 1, 2, 3, 4]), Count(2), "Protection of default branches, from 0 (none) to 4 (full, after the first push)."),
        setting("emails_disabled", Flag, Is(false), "True if no e-mail is sent about the group."),
        setting("lfs_enabled", Flag, Is(false), "True if projects of the group store large files apart."),
        setting("mentions_disabled", Flag, Is(false), "True if a mention of the group notifies nobody."),
        setting("request_access_enabled", Flag, Is(false), "True if users may ask for access."),
        setting("shared_runners_setting", Word(&["enabled", "disabled_and_overridable", "disabled_and_unoverridable"]), Says("enabled"), "Runners of the instance in the group."),
        setting("two_factor_grace_period", Within(0, 87_600), Count(48), "Hours in which members may turn two-factor authentication on."),
    ];
    const SWITCHES: &'static [(&'static str, &'static str)] = &[];
    const SHOWN_APART: &'static [&'static str] = &[];
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
}
