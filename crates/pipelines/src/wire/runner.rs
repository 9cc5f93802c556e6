//! The JSON of runners and their tokens.

use api_conventions::ids::{NamespaceId, ProjectId, RunnerId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::Runner;
use crate::rules::{StatusForm, is_online, runner_status};

/// Runner in a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields of the API's resource"
)]
pub struct RunnerSummaryJson {
    /// Id of the runner.
    pub id: RunnerId,
    /// Description.
    pub description: String,
    /// Always `null`: addresses of runners are not stored.
    pub ip_address: Option<String>,
    /// True if the runner gets jobs: the opposite of `paused`. Absent from version 5 of the API.
    pub active: bool,
    /// True if the runner gets no jobs. Absent before release 14.8.
    pub paused: bool,
    /// True for a runner of the instance.
    pub is_shared: bool,
    /// Kind: `instance_type`, `group_type` or `project_type`.
    pub runner_type: &'static str,
    /// Name of the program.
    pub name: Option<String>,
    /// True if the runner contacted the server in the last two hours.
    pub online: bool,
    /// Status: `online`, `offline` or `not_connected`. In version 4 of the API also `stale`, and `paused` for a paused
    /// runner.
    pub status: &'static str,
}

impl RunnerSummaryJson {
    /// Creates the JSON of a runner, whose last contact is that of the runner.
    pub fn new(runner: &Runner, form: StatusForm, now: Timestamp) -> Self {
        let kind = runner.runner_type;
        Self {
            id: runner.id,
            description: runner.settings.description.clone(),
            ip_address: None,
            active: !runner.settings.paused,
            paused: runner.settings.paused,
            is_shared: kind == crate::model::RunnerType::Instance,
            runner_type: kind.as_str(),
            name: runner.info.name.clone(),
            online: is_online(runner.contacted_at, now),
            status: runner_status(runner, form, now),
        }
    }
}

/// Project of a runner.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunnerProjectJson {
    /// Id of the project.
    pub id: ProjectId,
    /// Name.
    pub name: String,
    /// Name with the names of its groups.
    pub name_with_namespace: String,
    /// Path.
    pub path: String,
    /// Full path.
    pub path_with_namespace: String,
}

/// Group of a runner.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunnerGroupJson {
    /// Id of the group.
    pub id: NamespaceId,
    /// Name.
    pub name: String,
    /// URL of the group.
    pub web_url: String,
}

/// Runner with all its details.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunnerDetailJson {
    /// Summary of the runner.
    #[serde(flatten)]
    pub summary: RunnerSummaryJson,
    /// Tags.
    pub tag_list: Vec<String>,
    /// True if the runner accepts jobs without tags.
    pub run_untagged: bool,
    /// True if the runner cannot be assigned to further projects.
    pub locked: bool,
    /// Longest run time of a job, in seconds; `null` for no limit of its own.
    pub maximum_timeout: Option<i32>,
    /// Branches and tags whose jobs the runner accepts: `not_protected` (all) or `ref_protected`.
    pub access_level: &'static str,
    /// Version of the program.
    pub version: Option<String>,
    /// Revision of its source.
    pub revision: Option<String>,
    /// Operating system.
    pub platform: Option<String>,
    /// Architecture of the processor.
    pub architecture: Option<String>,
    /// Time of the last contact; `null` if there was none.
    pub contacted_at: Option<Timestamp>,
    /// Note for those who maintain the runner.
    pub maintenance_note: Option<String>,
    /// Projects of the runner that the caller may see.
    pub projects: Vec<RunnerProjectJson>,
    /// Groups of the runner that the caller may see.
    pub groups: Vec<RunnerGroupJson>,
}

impl RunnerDetailJson {
    /// Creates the JSON of a runner, whose last contact is that of the runner, without projects and groups.
    pub fn new(runner: Runner, form: StatusForm, now: Timestamp) -> Self {
        Self {
            summary: RunnerSummaryJson::new(&runner, form, now),
            tag_list: runner.settings.tags,
            run_untagged: runner.settings.run_untagged,
            locked: runner.settings.locked,
            maximum_timeout: runner.settings.maximum_timeout,
            access_level: runner.settings.access_level.as_str(),
            version: runner.info.version,
            revision: runner.info.revision,
            platform: runner.info.platform,
            architecture: runner.info.architecture,
            contacted_at: runner.contacted_at,
            maintenance_note: runner.settings.maintenance_note,
            projects: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// Runner that was just created, with its authentication token.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewRunnerJson<'t> {
    /// Id of the runner.
    pub id: RunnerId,
    /// The authentication token, which is shown only once.
    pub token: &'t str,
    /// Always `null`: authentication tokens do not expire.
    pub token_expires_at: Option<Timestamp>,
}

/// New token of a runner, or new registration token.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegistrationTokenJson<'t> {
    /// The token, which is shown only once.
    pub token: &'t str,
    /// Always `null`: these tokens do not expire.
    pub token_expires_at: Option<Timestamp>,
}
