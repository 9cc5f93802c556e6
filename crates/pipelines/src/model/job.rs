//! Jobs: the statuses of commits, each under a name.

use api_conventions::ids::{JobId, PipelineId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

use super::{CiStatus, MAX_NAME, MAX_TEXT, is_commit};

/// How much of the code tests reach, in ten-thousandths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage(i64);

impl Coverage {
    const PARTS: f64 = 10_000.0;
    /// The whole.
    const WHOLE: i64 = 1_000_000;

    /// The coverage of so many percent, from 0 to 100; none for anything else.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is between 0 and a million"
    )]
    pub fn from_percent(percent: f64) -> Option<Self> {
        let is_percent = (0.0..=100.0).contains(&percent);
        is_percent.then(|| Self((percent * Self::PARTS).round() as i64))
    }

    /// The coverage of so many ten-thousandths of a percent, as rows keep it.
    pub fn from_parts(parts: i64) -> Option<Self> {
        (0..=Self::WHOLE).contains(&parts).then_some(Self(parts))
    }

    /// The ten-thousandths.
    pub const fn parts(self) -> i64 {
        self.0
    }

    /// The percent.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number up to a million is exact"
    )]
    pub fn percent(self) -> f64 {
        self.0 as f64 / Self::PARTS
    }
}

/// What a report says of a job besides its status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobDetails {
    /// A page about it elsewhere.
    pub target_url: Option<String>,
    /// What it says, in a few words.
    pub description: Option<String>,
    /// How much of the code its tests reach.
    pub coverage: Option<Coverage>,
}

/// A job of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// The project.
    pub project_id: ProjectId,
    /// The pipeline.
    pub pipeline_id: PipelineId,
    /// The commit.
    pub sha: String,
    /// The branch or tag (`ref`), which is that of the pipeline.
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// Its name.
    pub name: String,
    /// The stage that it belongs to.
    pub stage: String,
    /// How it stands.
    pub status: CiStatus,
    /// What else was reported.
    pub details: JobDetails,
    /// Who reported it first.
    pub user_id: Option<UserId>,
    /// Whether a later job of the pipeline has its name.
    pub retried: bool,
    /// When it was reported first.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

/// A job to be inserted.
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
    /// Whether that is a tag.
    pub tag: bool,
    /// Its name.
    pub name: String,
    /// The stage that it belongs to.
    pub stage: String,
    /// How it stands.
    pub status: CiStatus,
    /// What else was reported.
    pub details: JobDetails,
    /// Who reported it.
    pub user_id: Option<UserId>,
    /// When.
    pub created_at: Timestamp,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

impl NewJob {
    /// The job that this becomes under an id.
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

/// All that can be changed of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// How it stands.
    pub status: CiStatus,
    /// What else was reported.
    pub details: JobDetails,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// Now.
    pub updated_at: Timestamp,
}

impl JobChange {
    /// Makes the change.
    pub fn apply(&self, job: &mut Job) {
        job.status = self.status;
        job.details.clone_from(&self.details);
        job.started_at = self.started_at;
        job.finished_at = self.finished_at;
        job.updated_at = self.updated_at;
    }
}

/// Which jobs of a project to list, the newest first. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only those of this pipeline.
    pub pipeline_id: Option<PipelineId>,
    /// Only those that stand so; `None` for all.
    pub statuses: Option<Vec<CiStatus>>,
    /// Whether to list those that were retried, too.
    pub with_retried: bool,
}

impl JobFilter {
    /// All jobs of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            pipeline_id: None,
            statuses: None,
            with_retried: true,
        }
    }
}

/// Which statuses of a commit to list, in the order of their ids. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatusFilter {
    /// The project.
    pub project_id: ProjectId,
    /// The commit.
    pub sha: String,
    /// Only those on this branch or tag.
    pub reference: Option<String>,
    /// Only those of this stage.
    pub stage: Option<String>,
    /// Only those with this name.
    pub name: Option<String>,
    /// Only those of this pipeline.
    pub pipeline_id: Option<PipelineId>,
    /// Whether to list those that were retried, too.
    pub with_retried: bool,
}

impl CommitStatusFilter {
    /// The latest statuses of a commit.
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

/// What is written of a job, to be validated.
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
