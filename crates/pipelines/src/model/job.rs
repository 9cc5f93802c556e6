//! Jobs: named statuses of commits.

use api_conventions::ids::{JobId, PipelineId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

use super::{CiStatus, MAX_NAME, MAX_TEXT, is_commit};

/// Test coverage, in ten-thousandths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage(i64);

impl Coverage {
    const PARTS: f64 = 10_000.0;
    /// Full coverage.
    const WHOLE: i64 = 1_000_000;

    /// Creates a coverage from a percentage from 0 to 100; `None` for any other number.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is between 0 and a million"
    )]
    pub fn from_percent(percent: f64) -> Option<Self> {
        let is_percent = (0.0..=100.0).contains(&percent);
        is_percent.then(|| Self((percent * Self::PARTS).round() as i64))
    }

    /// Creates a coverage from ten-thousandths of a percent, as stored in rows.
    pub fn from_parts(parts: i64) -> Option<Self> {
        (0..=Self::WHOLE).contains(&parts).then_some(Self(parts))
    }

    /// Returns the ten-thousandths of a percent.
    pub const fn parts(self) -> i64 {
        self.0
    }

    /// Returns the percentage.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number up to a million is exact"
    )]
    pub fn percent(self) -> f64 {
        self.0 as f64 / Self::PARTS
    }
}

/// Details of a job besides its status, from reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobDetails {
    /// URL of a page about the job.
    pub target_url: Option<String>,
    /// Short description.
    pub description: Option<String>,
    /// Test coverage.
    pub coverage: Option<Coverage>,
}

/// A job of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Id.
    pub id: JobId,
    /// The project.
    pub project_id: ProjectId,
    /// The pipeline.
    pub pipeline_id: PipelineId,
    /// The commit.
    pub sha: String,
    /// The branch or tag (`ref`), the same as the pipeline's.
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Name.
    pub name: String,
    /// Stage of the job.
    pub stage: String,
    /// Status.
    pub status: CiStatus,
    /// Other reported details.
    pub details: JobDetails,
    /// User who reported it first.
    pub user_id: Option<UserId>,
    /// True if the pipeline has a later job with the same name.
    pub retried: bool,
    /// Time of the first report.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Start time.
    pub started_at: Option<Timestamp>,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
}

/// Job to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The project.
    pub project_id: ProjectId,
    /// The pipeline, of the same project.
    pub pipeline_id: PipelineId,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Name.
    pub name: String,
    /// Stage of the job.
    pub stage: String,
    /// Status.
    pub status: CiStatus,
    /// Other reported details.
    pub details: JobDetails,
    /// User who reports it.
    pub user_id: Option<UserId>,
    /// Time of the report.
    pub created_at: Timestamp,
    /// Start time.
    pub started_at: Option<Timestamp>,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
}

impl NewJob {
    /// Returns the job as stored under an id.
    pub fn stored(&self, id: JobId) -> Job {
        Job {
            id,
            project_id: self.project_id,
            pipeline_id: self.pipeline_id,
            sha: self.sha.clone(),
            reference: self.reference.clone(),
            tag: self.tag,
            name: self.name.clone(),
            stage: self.stage.clone(),
            status: self.status,
            details: self.details.clone(),
            user_id: self.user_id,
            retried: false,
            created_at: self.created_at,
            updated_at: self.created_at,
            started_at: self.started_at,
            finished_at: self.finished_at,
        }
    }
}

/// Update of a job: all fields that can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// Status.
    pub status: CiStatus,
    /// Other reported details.
    pub details: JobDetails,
    /// Start time.
    pub started_at: Option<Timestamp>,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
    /// Current time.
    pub updated_at: Timestamp,
}

impl JobChange {
    /// Applies the update.
    pub fn apply(&self, job: &mut Job) {
        job.status = self.status;
        job.details.clone_from(&self.details);
        job.started_at = self.started_at;
        job.finished_at = self.finished_at;
        job.updated_at = self.updated_at;
    }
}

/// Filter of a project's list of jobs, newest first. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only jobs of this pipeline.
    pub pipeline_id: Option<PipelineId>,
    /// Only jobs with one of these statuses; `None` for all.
    pub statuses: Option<Vec<CiStatus>>,
    /// True to include retried jobs.
    pub with_retried: bool,
}

impl JobFilter {
    /// Creates a filter for all jobs of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            pipeline_id: None,
            statuses: None,
            with_retried: true,
        }
    }
}

/// Filter of a list of commit statuses, which is sorted by id. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatusFilter {
    /// The project.
    pub project_id: ProjectId,
    /// The commit.
    pub sha: String,
    /// Only statuses on this branch or tag.
    pub reference: Option<String>,
    /// Only statuses of this stage.
    pub stage: Option<String>,
    /// Only statuses with this name.
    pub name: Option<String>,
    /// Only statuses of this pipeline.
    pub pipeline_id: Option<PipelineId>,
    /// True to include retried jobs.
    pub with_retried: bool,
}

impl CommitStatusFilter {
    /// Creates a filter for the latest statuses of a commit.
    pub fn new(project_id: ProjectId, sha: String) -> Self {
        Self {
            project_id,
            sha,
            reference: None,
            stage: None,
            name: None,
            pipeline_id: None,
            with_retried: false,
        }
    }
}

/// Text fields of a job, for validation.
#[derive(Debug, Validate)]
pub(crate) struct JobText<'t> {
    #[validate(custom(function = "is_commit"))]
    pub(crate) sha: &'t str,
    #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
    pub(crate) name: &'t str,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) stage: &'t str,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) r#ref: Option<&'t str>,
    #[validate(length(max = "MAX_TEXT"))]
    pub(crate) target_url: Option<&'t str>,
    #[validate(length(max = "MAX_TEXT"))]
    pub(crate) description: Option<&'t str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_a_percentage_with_four_digits() {
        let percent = |percent| Coverage::from_percent(percent).map(Coverage::percent);
        assert_eq!(percent(98.29), Some(98.29));
        assert_eq!(percent(33.333_33), Some(33.3333));
        assert_eq!((percent(0.0), percent(100.0)), (Some(0.0), Some(100.0)));
        assert_eq!((percent(-0.1), percent(100.1)), (None, None));
        assert_eq!(percent(f64::NAN), None);
        assert_eq!(Coverage::from_parts(1_000_001), None);
    }
}
