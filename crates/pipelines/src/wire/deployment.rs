//! The JSON of a deployment.

use api_conventions::ids::{DeploymentId, DeploymentIid};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::EnvironmentSummaryJson;
use crate::model::{Deployment, Environment};

/// The job that deployed. Deployments are reported, so they have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "DeploymentJob"))]
pub struct DeployableJson {
    /// Id of the job.
    pub id: i64,
}

/// A deployment. `U` is the short form of a user, which the caller supplies. Deployments are reported and not made by jobs, so
/// `deployable` is null.
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
    /// A deployment to an environment; `user` is `None` when the account is gone.
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
