//! The JSON of a pipeline.

use api_conventions::ids::{PipelineId, PipelineIid, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::seconds;
use crate::model::{Pipeline, Variable};

/// What stands for the commit before, of which nothing is known.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// A pipeline, as lists and jobs name it. Pipelines have no page and no name.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PipelineSummary"))]
pub struct PipelineSummaryJson {
    id: PipelineId,
    iid: PipelineIid,
    project_id: ProjectId,
    sha: Option<String>,
    #[serde(rename = "ref")]
    reference: String,
    status: &'static str,
    source: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    web_url: Option<String>,
    name: Option<String>,
}

impl From<Pipeline> for PipelineSummaryJson {
    fn from(pipeline: Pipeline) -> Self {
        Self {
            id: pipeline.id,
            iid: pipeline.iid,
            project_id: pipeline.project_id,
            sha: pipeline.sha,
            reference: pipeline.reference,
            status: pipeline.status.as_str(),
            source: pipeline.source.as_str(),
            created_at: pipeline.created_at,
            updated_at: pipeline.updated_at,
            web_url: None,
            name: None,
        }
    }
}

/// A pipeline. `U` is the short form of a user, which the caller supplies.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Pipeline"))]
pub struct PipelineJson<U> {
    #[serde(flatten)]
    summary: PipelineSummaryJson,
    before_sha: &'static str,
    tag: bool,
    yaml_errors: Option<String>,
    user: Option<U>,
    started_at: Option<Timestamp>,
    finished_at: Option<Timestamp>,
    committed_at: Option<Timestamp>,
    duration: Option<f64>,
    queued_duration: Option<f64>,
    coverage: Option<f64>,
    detailed_status: Option<&'static str>,
}

impl<U> PipelineJson<U> {
    /// A pipeline; `user` is `None` when the account is gone.
    pub fn new(pipeline: Pipeline, user: Option<U>) -> Self {
        Self {
            before_sha: NO_COMMIT,
            tag: pipeline.tag,
            yaml_errors: None,
            user,
            started_at: pipeline.started_at,
            finished_at: pipeline.finished_at,
            committed_at: None,
            duration: seconds(pipeline.started_at, pipeline.finished_at),
            queued_duration: seconds(Some(pipeline.created_at), pipeline.started_at),
            coverage: None,
            detailed_status: None,
            summary: pipeline.into(),
        }
    }
}

/// Something that a pipeline was given.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PipelineVariable"))]
pub struct VariableJson {
    variable_type: &'static str,
    key: String,
    value: String,
    raw: bool,
}

impl From<Variable> for VariableJson {
    fn from(variable: Variable) -> Self {
        Self {
            variable_type: variable.kind.as_str(),
            key: variable.key,
            value: variable.value,
            raw: false,
        }
    }
}
