//! The JSON of an environment.

use api_conventions::ids::EnvironmentId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::DeploymentJson;
use crate::model::Environment;

/// Environment as embedded in a deployment.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EnvironmentSummary"))]
pub struct EnvironmentSummaryJson {
    id: EnvironmentId,
    name: String,
    slug: String,
    external_url: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<Environment> for EnvironmentSummaryJson {
    fn from(environment: Environment) -> Self {
        Self {
            id: environment.id,
            name: environment.name,
            slug: environment.slug,
            external_url: environment.external_url,
            created_at: environment.created_at,
            updated_at: environment.updated_at,
        }
    }
}

/// Environment. Nothing stops automatically, so `auto_stop_at` is null.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Environment"))]
pub struct EnvironmentJson {
    #[serde(flatten)]
    summary: EnvironmentSummaryJson,
    tier: &'static str,
    state: &'static str,
    auto_stop_at: Option<Timestamp>,
}

impl From<Environment> for EnvironmentJson {
    fn from(environment: Environment) -> Self {
        Self {
            tier: environment.tier.as_str(),
            state: environment.state.as_str(),
            auto_stop_at: None,
            summary: environment.into(),
        }
    }
}

/// Environment with its last successful deployment, which lists leave out. `U` is the short form of a user.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "EnvironmentDetail"))]
pub struct EnvironmentDetailJson<U> {
    #[serde(flatten)]
    environment: EnvironmentJson,
    last_deployment: Option<DeploymentJson<U>>,
}

impl<U> EnvironmentDetailJson<U> {
    /// Creates the JSON of an environment with its last deployment.
    pub fn new(environment: Environment, last_deployment: Option<DeploymentJson<U>>) -> Self {
        Self {
            environment: environment.into(),
            last_deployment,
        }
    }
}
