//! Pipelines: the jobs reported for a commit on a branch or tag.

use api_conventions::ids::{PipelineId, PipelineIid, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use validator::{Validate, ValidationError};

use super::{CiStatus, MAX_NAME, MAX_TEXT, MAX_VALUE, TimeRange, is_commit};

api_conventions::named! {
    /// Origin of a pipeline.
    pub enum PipelineSource {
        /// Created on the report of a job status that had no pipeline.
        External = 0, "external";
        /// Created by an API request.
        Api = 1, "api";
    }
}

/// A pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Id.
    pub id: PipelineId,
    /// Number within the project.
    pub iid: PipelineIid,
    /// The project.
    pub project_id: ProjectId,
    /// The commit; `None` until it is reported.
    pub sha: Option<String>,
    /// The branch or tag (`ref`).
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Origin of the pipeline.
    pub source: PipelineSource,
    /// User who created it.
    pub user_id: Option<UserId>,
    /// Status, derived from the jobs.
    pub status: CiStatus,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Start time of the first job.
    pub started_at: Option<Timestamp>,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
}

/// Pipeline to insert. Its status is `created`, and it has no jobs yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPipeline {
    /// The project.
    pub project_id: ProjectId,
    /// The commit, if it is known.
    pub sha: Option<String>,
    /// The branch or tag.
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Origin of the pipeline.
    pub source: PipelineSource,
    /// User who creates it.
    pub user_id: Option<UserId>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Variables in their given order. No two have the same key.
    pub variables: Vec<Variable>,
}

impl NewPipeline {
    /// Returns the pipeline as stored under an id and a number.
    pub fn stored(&self, id: PipelineId, iid: PipelineIid) -> Pipeline {
        Pipeline {
            id,
            iid,
            project_id: self.project_id,
            sha: self.sha.clone(),
            reference: self.reference.clone(),
            tag: self.tag,
            source: self.source,
            user_id: self.user_id,
            status: CiStatus::Created,
            created_at: self.created_at,
            updated_at: self.created_at,
            started_at: None,
            finished_at: None,
        }
    }
}

/// Update of a pipeline: all fields that can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineChange {
    /// The commit.
    pub sha: Option<String>,
    /// Status.
    pub status: CiStatus,
    /// Start time of the first job.
    pub started_at: Option<Timestamp>,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
    /// Current time.
    pub updated_at: Timestamp,
}

impl PipelineChange {
    /// Applies the update.
    pub fn apply(&self, pipeline: &mut Pipeline) {
        pipeline.sha.clone_from(&self.sha);
        pipeline.status = self.status;
        pipeline.started_at = self.started_at;
        pipeline.finished_at = self.finished_at;
        pipeline.updated_at = self.updated_at;
    }
}

api_conventions::named! {
    /// Way in which a variable is passed.
    #[derive(Default)]
    pub enum VariableKind {
        /// Passed as an environment variable.
        #[default]
        Variable = 0, "env_var";
        /// Passed as a file.
        File = 1, "file";
    }
}

/// Variable of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct Variable {
    /// Name: letters, digits and underscores.
    #[validate(
        custom(function = "not_blank"),
        custom(function = "is_key"),
        length(max = "MAX_NAME")
    )]
    pub key: String,
    /// Value.
    #[validate(length(max = "MAX_VALUE"))]
    pub value: String,
    /// Way in which it is passed.
    pub kind: VariableKind,
}

fn is_key(text: &str) -> Result<(), ValidationError> {
    let fits = |character: char| character.is_ascii_alphanumeric() || character == '_';
    if text.chars().all(fits) {
        return Ok(());
    }
    Err(failure("can contain only letters, digits and '_'."))
}

api_conventions::named! {
    /// Sort column of a list of pipelines. Ties break on the id, in the direction of the list.
    #[derive(Default)]
    pub enum PipelineOrder {
        /// Id.
        #[default]
        Id = 0, "id";
        /// Status.
        Status = 1, "status";
        /// Branch or tag, in byte order.
        Ref = 2, "ref";
        /// Time of the last change.
        UpdatedAt = 3, "updated_at";
        /// User who created the pipeline.
        UserId = 4, "user_id";
    }
}

api_conventions::named! {
    /// Scope that a list of pipelines may be limited to.
    pub enum PipelineScope {
        /// Running pipelines.
        Running = 0, "running";
        /// Pending pipelines.
        Pending = 1, "pending";
        /// Finished pipelines.
        Finished = 2, "finished";
        /// Pipelines of branches.
        Branches = 3, "branches";
        /// Pipelines of tags.
        Tags = 4, "tags";
    }
}

impl PipelineScope {
    /// True if the scope includes the pipeline.
    pub fn holds(self, pipeline: &Pipeline) -> bool {
        match self {
            Self::Branches => !pipeline.tag,
            Self::Tags => pipeline.tag,
            _ => self.statuses().contains(&pipeline.status),
        }
    }

    /// Returns the statuses of pipelines in the scope; empty for a scope that does not depend on the status.
    pub const fn statuses(self) -> &'static [CiStatus] {
        match self {
            Self::Running => &[CiStatus::Running],
            Self::Pending => &[CiStatus::Pending],
            Self::Finished => &[CiStatus::Success, CiStatus::Failed, CiStatus::Canceled],
            Self::Branches | Self::Tags => &[],
        }
    }
}

/// Filter and order of a project's list of pipelines. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only pipelines in this scope.
    pub scope: Option<PipelineScope>,
    /// Only pipelines with this status.
    pub status: Option<CiStatus>,
    /// Only pipelines of this origin.
    pub source: Option<PipelineSource>,
    /// Only pipelines of this branch or tag.
    pub reference: Option<String>,
    /// Only pipelines of this commit.
    pub sha: Option<String>,
    /// Only pipelines created by this user.
    pub user_id: Option<UserId>,
    /// Only pipelines last changed in this range.
    pub updated: TimeRange,
    /// Only pipelines created in this range.
    pub created: TimeRange,
    /// Sort column.
    pub order_by: PipelineOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl PipelineFilter {
    /// Creates a filter for all pipelines of a project, newest first.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            scope: None,
            status: None,
            source: None,
            reference: None,
            sha: None,
            user_id: None,
            updated: TimeRange::default(),
            created: TimeRange::default(),
            order_by: PipelineOrder::Id,
            sort: SortOrder::Descending,
        }
    }
}

/// Text fields of a pipeline, for validation.
#[derive(Debug, Validate)]
pub(crate) struct PipelineText<'t> {
    #[validate(custom(function = "is_commit"))]
    pub(crate) sha: Option<&'t str>,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) r#ref: &'t str,
    #[validate(nested)]
    pub(crate) variables: &'t [Variable],
}
