//! The JSON of the dashboard.

use ::pipelines::model::Deployment;
use ::pipelines::wire::EnvironmentJson;
use alert_intake::model::{OpenAlertCounts, Severity};
use api_conventions::ids::{DeploymentId, DeploymentIid, ProjectId};
use api_conventions::time::Timestamp;
use gatehouse_core::flows::environment_dashboard::EnvironmentOverview;
use projects::Project;
use schemars::JsonSchema;
use serde::Serialize;

/// Number of open alerts by severity. Counts stop at 100.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenAlertCounts")]
pub(super) struct OpenAlertsJson {
    critical: u16,
    high: u16,
    medium: u16,
    low: u16,
    info: u16,
    unknown: u16,
}

impl From<OpenAlertCounts> for OpenAlertsJson {
    fn from(counts: OpenAlertCounts) -> Self {
        Self {
            critical: counts.get(Severity::Critical),
            high: counts.get(Severity::High),
            medium: counts.get(Severity::Medium),
            low: counts.get(Severity::Low),
            info: counts.get(Severity::Info),
            unknown: counts.get(Severity::Unknown),
        }
    }
}

/// Latest deployment to an environment, of any status.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LatestDeployment")]
pub(super) struct LatestDeploymentJson {
    id: DeploymentId,
    iid: DeploymentIid,
    #[serde(rename = "ref")]
    reference: String,
    sha: String,
    tag: bool,
    status: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: Option<Timestamp>,
}

impl From<Deployment> for LatestDeploymentJson {
    fn from(deployment: Deployment) -> Self {
        Self {
            id: deployment.id,
            iid: deployment.iid,
            reference: deployment.reference,
            sha: deployment.sha,
            tag: deployment.tag,
            status: deployment.status.as_str(),
            created_at: deployment.created_at,
            updated_at: deployment.updated_at,
            finished_at: deployment.finished_at,
        }
    }
}

/// Environment on the dashboard.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EnvironmentOverview")]
pub(super) struct OverviewJson {
    /// Name, compared exactly.
    name: String,
    /// The registered environment; null if only open alerts or new errors name it.
    environment: Option<EnvironmentJson>,
    /// Open alerts; null for callers below the Developer role.
    open_alerts: Option<OpenAlertsJson>,
    /// Incidents of the newest 100 open alerts; null for callers below the Developer role.
    open_incidents: Option<usize>,
    /// Unresolved errors that first happened within 24 hours; null for callers below the Reporter role.
    new_errors: Option<i64>,
    latest_deployment: Option<LatestDeploymentJson>,
    web_url: String,
}

impl OverviewJson {
    /// Creates the JSON of an environment of the project at `project_url`.
    pub(super) fn new(overview: EnvironmentOverview, project_url: &str) -> Self {
        let path = super::rows::path_of(&overview);
        Self {
            name: overview.name,
            environment: overview.environment.map(Into::into),
            open_alerts: overview.alerts.map(Into::into),
            open_incidents: overview.open_incidents,
            new_errors: overview.new_errors,
            latest_deployment: overview.last_deployment.map(Into::into),
            web_url: format!("{project_url}{path}"),
        }
    }
}

/// Environments of one project on the dashboard of several.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProjectOperations")]
pub(super) struct ProjectOverviewJson {
    id: ProjectId,
    name: String,
    path_with_namespace: String,
    /// The first environments.
    environments: Vec<OverviewJson>,
    /// True if the dashboard of the project has further ones.
    has_more_environments: bool,
    web_url: String,
}

impl ProjectOverviewJson {
    /// Creates the JSON of a project on the server at `base_url`.
    pub(super) fn new(
        project: &Project,
        environments: Vec<EnvironmentOverview>,
        has_more_environments: bool,
        base_url: &str,
    ) -> Self {
        let web_url = format!("{base_url}/{}", project.full_path.as_str());
        let environments = environments.into_iter();
        Self {
            id: project.id,
            name: project.name.clone(),
            path_with_namespace: project.full_path.as_str().to_owned(),
            environments: environments
                .map(|overview| OverviewJson::new(overview, &web_url))
                .collect(),
            has_more_environments,
            web_url: format!("{web_url}/-/environments"),
        }
    }
}
