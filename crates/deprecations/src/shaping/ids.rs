//! The names of the records that decide what a [`Shaper`](super::Shaper) does.
//!
//! A service with a schedule of its own gives its records these names to have the same done as its own releases say.

/// `approvers` and `approval_groups` in the approval configuration of a project.
pub const APPROVERS: &str = "12-3-approvers-of-projects";
/// Changing the approvals of a merge request through `/approvals`.
pub const CHANGING_APPROVALS: &str = "14-0-merge-request-approvals";
/// `PAUSED` and `ACTIVE` as the status of a runner in the GraphQL API.
pub const RUNNER_STATUS_VALUES_IN_GRAPHQL: &str = "14-5-graphql-runner-status";
/// `pipelines` in the list of packages.
pub const PACKAGE_PIPELINES: &str = "14-5-package-pipelines";
/// `paused` and `active` as the status of a runner.
pub const RUNNER_STATUS_VALUES: &str = "14-5-runner-status-values";
/// `merged_by` of merge requests.
pub const MERGED_BY: &str = "14-7-merged-by";
/// `projectFingerprint` of findings, in the GraphQL API.
pub const PROJECT_FINGERPRINT: &str = "14-8-finding-project-fingerprint";
/// `active` of runners.
pub const RUNNER_ACTIVE: &str = "14-8-runner-active";
/// `paused` of runners, which has come.
pub const RUNNER_PAUSED: &str = "14-8-runner-paused";
/// The argument `legacyMode` of the status of a runner, in the GraphQL API.
pub const LEGACY_MODE: &str = "15-0-runner-legacy-mode";
/// `name` of findings, in the GraphQL API.
pub const FINDING_NAME: &str = "15-1-finding-name";
/// `job_age` in the answer to a request for a job.
pub const JOB_AGE: &str = "15-2-job-age";
/// `confidential` of notes, in the GraphQL API.
pub const NOTE_CONFIDENTIAL: &str = "15-5-note-confidential";
/// `merge_status` of merge requests.
pub const MERGE_STATUS: &str = "15-6-merge-status";
/// Registration tokens, and what else `POST /runners` takes only with them.
pub const REGISTRATION_TOKENS: &str = "15-6-runner-registration-tokens";
/// The changes of a single merge request.
pub const CHANGES_OF_MERGE_REQUEST: &str = "15-7-merge-request-changes";
/// The operations that reset a registration token.
pub const RESETS_OF_REGISTRATION_TOKENS: &str = "15-7-registration-token-resets";
/// Packages of other projects in what a search in one project finds.
pub const PACKAGES_OF_OTHER_PROJECTS: &str = "15-8-package-search-of-other-projects";
/// `DISABLED_WITH_OVERRIDE`, a value of `SharedRunnersSetting` in the GraphQL API.
pub const DISABLED_WITH_OVERRIDE: &str = "15-8-shared-runners-setting";
/// `external` of the links to assets of releases, in the REST API and the GraphQL API.
pub const EXTERNAL_OF_ASSET_LINKS: &str = "15-9-asset-link-external";
/// `filepath` of the links to assets of releases.
pub const FILEPATH_OF_ASSET_LINKS: &str = "15-9-asset-link-filepath";
/// `direct_asset_path` of the links to assets of releases, which has come.
pub const DIRECT_ASSET_PATH: &str = "15-9-direct-asset-path";
/// The legacy `iid` of requirements, in the GraphQL API.
pub const REQUIREMENT_IID: &str = "15-9-requirement-iid";

/// All of them, in their order.
pub const ALL: [&str; 23] = [
    APPROVERS,
    CHANGING_APPROVALS,
    RUNNER_STATUS_VALUES_IN_GRAPHQL,
    PACKAGE_PIPELINES,
    RUNNER_STATUS_VALUES,
    MERGED_BY,
    PROJECT_FINGERPRINT,
    RUNNER_ACTIVE,
    RUNNER_PAUSED,
    LEGACY_MODE,
    FINDING_NAME,
    JOB_AGE,
    NOTE_CONFIDENTIAL,
    MERGE_STATUS,
    REGISTRATION_TOKENS,
    CHANGES_OF_MERGE_REQUEST,
    RESETS_OF_REGISTRATION_TOKENS,
    PACKAGES_OF_OTHER_PROJECTS,
    DISABLED_WITH_OVERRIDE,
    EXTERNAL_OF_ASSET_LINKS,
    FILEPATH_OF_ASSET_LINKS,
    DIRECT_ASSET_PATH,
    REQUIREMENT_IID,
];
