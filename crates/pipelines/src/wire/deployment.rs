//! The JSON of a deployment.

use api_conventions::ids::{DeploymentId, DeploymentIid};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::EnvironmentSummaryJson;
use crate::model::{Deployment, Environment};

/// Job that deployed. Always null: deployments are reported by external systems.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "DeploymentJob"))]
pub struct DeployableJson {
    /// Id of the job.
    pub id: i64,
}

/// Deployment. `U` is the short form of a user, supplied by the caller. Deployments are reported and not created by
/// jobs, so `deployable` is null.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Deployment"))]
pub struct DeploymentJson<U> {
    id: DeploymentId,
    iid: DeploymentIid,
    #[serde(rename = "ref")]
    reference: String,
    sha: String,
    tag: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: Option<Timestamp>,
    status: &'static str,
    user: Option<U>,
    environment: Option<EnvironmentSummaryJson>,
    deployable: Option<DeployableJson>,
}

impl<U> DeploymentJson<U> {
    /// Creates the JSON of a deployment to an environment; `user` is `None` if the account was deleted.
    pub fn new(deployment: Deployment, environment: Option<Environment>, user: Option<U>) -> Self {
        Self {
            id: deployment.id,
            iid: deployment.iid,
            reference: deployment.reference,
            sha: deployment.sha,
            tag: deployment.tag,
            created_at: deployment.created_at,
            updated_at: deployment.updated_at,
            finished_at: deployment.finished_at,
            status: deployment.status.as_str(),
            user,
            environment: environment.map(Into::into),
            deployable: None,
        }
    }
}
