//! The JSON of a pipeline.

use api_conventions::ids::{PipelineId, PipelineIid, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::{ProjectLinks, seconds};
use crate::model::{CiStatus, Pipeline, Variable};

/// SHA of an unknown commit; also used for the previous commit, which is never known.
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// Pipeline as embedded in lists and jobs. Pipelines have no name. The `sha` of an unknown commit is `NO_COMMIT`,
/// because clients expect a string.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PipelineSummary"))]
pub struct PipelineSummaryJson {
    id: PipelineId,
    iid: PipelineIid,
    project_id: ProjectId,
    sha: String,
    #[serde(rename = "ref")]
    reference: String,
    status: &'static str,
    source: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    web_url: String,
    name: Option<String>,
}

impl PipelineSummaryJson {
    /// Creates the short form of a pipeline.
    pub fn new(pipeline: Pipeline, links: ProjectLinks<'_>) -> Self {
        Self {
            web_url: links.pipeline(pipeline.id),
            id: pipeline.id,
            iid: pipeline.iid,
            project_id: pipeline.project_id,
            sha: pipeline.sha.unwrap_or_else(|| NO_COMMIT.to_owned()),
            reference: pipeline.reference,
            status: pipeline.status.as_str(),
            source: pipeline.source.as_str(),
            created_at: pipeline.created_at,
            updated_at: pipeline.updated_at,
            name: None,
        }
    }
}

/// Pipeline. `U` is the short form of a user, supplied by the caller.
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
    detailed_status: DetailedStatusJson,
}

impl<U> PipelineJson<U> {
    /// Creates the JSON of a pipeline; `user` is `None` if the account was deleted.
    pub fn new(pipeline: Pipeline, user: Option<U>, links: ProjectLinks<'_>) -> Self {
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
            detailed_status: DetailedStatusJson::new(&pipeline, links),
            summary: PipelineSummaryJson::new(pipeline, links),
        }
    }
}

/// Status of a pipeline as shown on pages.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "DetailedStatus"))]
struct DetailedStatusJson {
    icon: String,
    text: &'static str,
    label: &'static str,
    group: &'static str,
    tooltip: &'static str,
    has_details: bool,
    details_path: String,
    illustration: Option<IllustrationJson>,
    favicon: String,
}

/// Illustration of a status. Pipelines have none.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "StatusIllustration"))]
pub struct IllustrationJson {
    /// Path of the image.
    pub image: String,
}

impl DetailedStatusJson {
    fn new(pipeline: &Pipeline, links: ProjectLinks<'_>) -> Self {
        let name = pipeline.status.as_str();
        let word = match pipeline.status {
            CiStatus::Success => "passed",
            _ => name,
        };
        let url = links.pipeline(pipeline.id);
        let after_scheme = url.split_once("://").map_or(&*url, |(_, rest)| rest);
        let path = after_scheme.split_once('/').map_or("", |(_, path)| path);
        Self {
            icon: format!("status_{name}"),
            text: word,
            label: word,
            group: name,
            tooltip: word,
            has_details: true,
            details_path: format!("/{path}"),
            illustration: None,
            favicon: links.icon.to_owned(),
        }
    }
}

/// Variable of a pipeline.
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
