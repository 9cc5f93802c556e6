//! Pipelines: what was reported of a commit on a branch or tag.

use api_conventions::ids::{PipelineId, PipelineIid, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use validator::{Validate, ValidationError};

use super::{CiStatus, MAX_NAME, MAX_TEXT, MAX_VALUE, TimeRange, is_commit};

api_conventions::named! {
    /// What made a pipeline.
    pub enum PipelineSource {
        /// The status of a job was reported, and no pipeline was there.
        External = 0, "external";
        /// A call of the API.
        Api = 1, "api";
    }
}

/// A pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Its id.
    pub id: PipelineId,
    /// Its number in the project.
    pub iid: PipelineIid,
    /// The project.
    pub project_id: ProjectId,
    /// The commit; `None` until somebody says which it is.
    pub sha: Option<String>,
    /// The branch or tag (`ref`).
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// What made it.
    pub source: PipelineSource,
    /// Who made it.
    pub user_id: Option<UserId>,
    /// How it stands. It follows from its jobs.
    pub status: CiStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When its first job began.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

/// A pipeline to be inserted. It is created, and has no jobs yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPipeline {
    /// The project.
    pub project_id: ProjectId,
    /// The commit, if it is known.
    pub sha: Option<String>,
    /// The branch or tag.
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// What made it.
    pub source: PipelineSource,
    /// Who made it.
    pub user_id: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// What it was given, in its order. No two have the same key.
    pub variables: Vec<Variable>,
}

impl NewPipeline {
    /// The pipeline that this becomes under an id and a number.
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

/// All that can be changed of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineChange {
    /// The commit.
    pub sha: Option<String>,
    /// How it stands.
    pub status: CiStatus,
    /// When its first job began.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// Now.
    pub updated_at: Timestamp,
}

impl PipelineChange {
    /// Makes the change.
    pub fn apply(&self, pipeline: &mut Pipeline) {
        pipeline.sha.clone_from(&self.sha);
        pipeline.status = self.status;
        pipeline.started_at = self.started_at;
        pipeline.finished_at = self.finished_at;
        pipeline.updated_at = self.updated_at;
    }
}

api_conventions::named! {
    /// How a variable is handed over.
    #[derive(Default)]
    pub enum VariableKind {
        /// As a variable of the environment.
        #[default]
        Variable = 0, "env_var";
        /// As a file.
        File = 1, "file";
    }
}

/// Something that a pipeline was given.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct Variable {
    /// The name: letters, digits and underscores.
    #[validate(
        custom(function = "not_blank"),
        custom(function = "is_key"),
        length(max = "MAX_NAME")
    )]
    pub key: String,
    /// The value.
    #[validate(length(max = "MAX_VALUE"))]
    pub value: String,
    /// How it is handed over.
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
    /// What a list of pipelines is ordered by. Ties break on the id, in the direction of the list.
    #[derive(Default)]
    pub enum PipelineOrder {
        /// The id.
        #[default]
        Id = 0, "id";
        /// How they stand.
        Status = 1, "status";
        /// The branch or tag, in the order of its bytes.
        Ref = 2, "ref";
        /// When they last changed.
        UpdatedAt = 3, "updated_at";
        /// Who made them.
        UserId = 4, "user_id";
    }
}

api_conventions::named! {
    /// A kind of pipelines that a list may be held to.
    pub enum PipelineScope {
        /// Those that run.
        Running = 0, "running";
        /// Those that have not begun.
        Pending = 1, "pending";
        /// Those that are over.
        Finished = 2, "finished";
        /// Those of branches.
        Branches = 3, "branches";
        /// Those of tags.
        Tags = 4, "tags";
    }
}

impl PipelineScope {
    /// Whether a pipeline is of the kind.
    pub fn holds(self, pipeline: &Pipeline) -> bool {
        match self {
            Self::Branches => !pipeline.tag,
            Self::Tags => pipeline.tag,
            _ => self.statuses().contains(&pipeline.status),
        }
    }

    /// The statuses that pipelines of the kind have; none for a kind that any status may have.
    pub const fn statuses(self) -> &'static [CiStatus] {
        match self {
            Self::Running => &[CiStatus::Running],
            Self::Pending => &[CiStatus::Pending],
            Self::Finished => &[CiStatus::Success, CiStatus::Failed, CiStatus::Canceled],
            Self::Branches | Self::Tags => &[],
        }
    }
}

/// Which pipelines of a project to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only those of this kind.
    pub scope: Option<PipelineScope>,
    /// Only those that stand so.
    pub status: Option<CiStatus>,
    /// Only those that this made.
    pub source: Option<PipelineSource>,
    /// Only those of this branch or tag.
    pub reference: Option<String>,
    /// Only those of this commit.
    pub sha: Option<String>,
    /// Only those that this user made.
    pub user_id: Option<UserId>,
    /// Only those that last changed in this range.
    pub updated: TimeRange,
    /// Only those that were created in this range.
    pub created: TimeRange,
    /// What to order by.
    pub order_by: PipelineOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl PipelineFilter {
    /// All pipelines of a project, the newest first.
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

/// What is written of a pipeline, to be validated.
#[derive(Debug, Validate)]
pub(crate) struct PipelineText<'t> {
    #[validate(custom(function = "is_commit"))]
    pub(crate) sha: Option<&'t str>,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) r#ref: &'t str,
    #[validate(nested)]
    pub(crate) variables: &'t [Variable],
}
