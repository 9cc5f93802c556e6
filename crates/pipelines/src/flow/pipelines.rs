//! Creation of pipelines by API request.

use std::collections::BTreeSet;

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::error::{CiError, check};
use crate::model::{
    MAX_VARIABLES, NewPipeline, Pipeline, PipelineSource, PipelineText, Variable, commit_name,
};
use crate::store::PipelineRepository;

/// Request to create a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineInput {
    /// The branch or tag.
    pub reference: String,
    /// The commit, if it is known.
    pub sha: Option<String>,
    /// Variables of the pipeline.
    pub variables: Vec<Variable>,
    /// User who creates the pipeline.
    pub user_id: Option<UserId>,
}

/// Creates a pipeline. Its status stays `created` until a job of it is reported.
///
/// # Errors
/// See [`CiError`].
pub fn create_pipeline<R: PipelineRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    input: &PipelineInput,
    now: Timestamp,
) -> Result<Pipeline, CiError> {
    let sha = input.sha.as_deref();
    let sha = sha.map(|sha| commit_name(sha).unwrap_or_default());
    check(&PipelineText {
        sha: sha.as_deref(),
        r#ref: &input.reference,
        variables: &input.variables,
    })?;
    check_keys(&input.variables)?;
    let at = repos.lock_reports(project)?;
    let new = NewPipeline {
        project_id: project,
        sha,
        reference: input.reference.clone(),
        tag: false,
        source: PipelineSource::Api,
        user_id: input.user_id,
        created_at: now,
        variables: input.variables.clone(),
    };
    Ok(repos.insert_pipeline(&at, &new)?)
}

/// Refuses too many variables, and duplicate keys.
fn check_keys(variables: &[Variable]) -> Result<(), CiError> {
    if variables.len() > MAX_VARIABLES {
        let text = format!("are too many (maximum is {MAX_VARIABLES})");
        return Err(CiError::of("variables", &text));
    }
    let mut keys = BTreeSet::new();
    for variable in variables {
        if !keys.insert(&variable.key) {
            let text = format!("have duplicate values ({})", variable.key);
            return Err(CiError::of("variables", &text));
        }
    }
    Ok(())
}
