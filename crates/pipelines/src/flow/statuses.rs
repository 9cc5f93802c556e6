//! Reporting of commit statuses.

use api_conventions::ids::{PipelineId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::Locked;

use super::error::{CiError, check};
use crate::model::{
    CiStatus, Coverage, Job, JobChange, JobDetails, JobText, NewJob, NewPipeline, Pipeline,
    PipelineChange, PipelineSource, commit_name,
};
use crate::rules::{may_follow_job, status_of};
use crate::store::{JobRepository, PipelineRepository};

/// Branch of an unknown commit in a project without a default branch.
const DEFAULT_REF: &str = "main";

/// Reported status of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedStatus {
    /// The commit.
    pub sha: String,
    /// The branch or tag; `None` for that of the existing pipeline.
    pub reference: Option<String>,
    /// Default branch of the project, used for an unknown commit; `None` for `main`.
    pub default_branch: Option<String>,
    /// Name of the job.
    pub name: String,
    /// Stage of the job.
    pub stage: String,
    /// Status of the job.
    pub status: CiStatus,
    /// URL of a page about the job; `None` keeps the reported value, as for the following fields.
    pub target_url: Option<String>,
    /// Short description.
    pub description: Option<String>,
    /// Test coverage.
    pub coverage: Option<Coverage>,
    /// Pipeline of the job; `None` for the newest one of the commit and the ref, or a new one.
    pub pipeline_id: Option<PipelineId>,
    /// User who reports the status.
    pub user_id: Option<UserId>,
}

/// Stores a reported status and returns the job. Updates the current job of this name if it is unfinished; otherwise
/// creates a new one and marks the earlier one as retried. The status of the pipeline is derived from its jobs.
///
/// Reports may arrive twice or late: reporting the current status only updates the details, and `pending` leaves a
/// finished job unchanged.
///
/// # Errors
/// See [`CiError`]: [`CiError::Impossible`] if the status cannot follow the current status of the job.
pub fn set_commit_status<R>(
    repos: &mut R,
    project: ProjectId,
    report: &ReportedStatus,
    now: Timestamp,
) -> Result<Job, CiError>
where
    R: PipelineRepository + JobRepository + ?Sized,
{
    let sha = commit_name(&report.sha).unwrap_or_default();
    let reference = report.reference.as_deref().map(short_name);
    check(&JobText {
        sha: &sha,
        name: &report.name,
        stage: &report.stage,
        r#ref: reference,
        target_url: report.target_url.as_deref(),
        description: report.description.as_deref(),
    })?;
    let at = repos.lock_reports(project)?;
    let pipeline = find_or_create_pipeline(repos, &at, report, &sha, reference, now)?;
    let current = repos.find_current_job(pipeline.id, &report.name)?;
    let job = match current {
        Some(job) if job.status.is_finished() && report.status == CiStatus::Pending => {
            return Ok(job);
        }
        Some(job) if job.status == report.status => {
            return update_details(repos, &at, job, report, now);
        }
        Some(job) if !job.status.is_finished() => advance(repos, &at, job, report, now)?,
        _ => begin(repos, &at, &pipeline, report, sha, now)?,
    };
    recompute_pipeline_status(repos, &at, pipeline, &job, now)?;
    Ok(job)
}

/// Strips `refs/heads/` or `refs/tags/` from a branch or tag.
fn short_name(reference: &str) -> &str {
    let name = reference.strip_prefix("refs/heads/");
    name.or_else(|| reference.strip_prefix("refs/tags/"))
        .unwrap_or(reference)
}

/// Returns the pipeline of a report; creates it if there is none.
fn find_or_create_pipeline<R: PipelineRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    report: &ReportedStatus,
    sha: &str,
    reference: Option<&str>,
    now: Timestamp,
) -> Result<Pipeline, CiError> {
    if let Some(id) = report.pipeline_id {
        let found = repos.find_pipeline(**at, id)?;
        let is_of = |pipeline: &Pipeline| {
            let is_of_commit = pipeline.sha.as_deref().is_none_or(|other| other == sha);
            is_of_commit && reference.is_none_or(|reference| pipeline.reference == reference)
        };
        return found.filter(is_of).ok_or(CiError::Unknown("Pipeline"));
    }
    if let Some(found) = repos.find_latest_pipeline(**at, sha, reference)? {
        return Ok(found);
    }
    let is_tag = |reference: &String| reference.starts_with("refs/tags/");
    let default_branch = report.default_branch.as_deref().unwrap_or(DEFAULT_REF);
    let new = NewPipeline {
        project_id: **at,
        sha: Some(sha.to_owned()),
        reference: reference.unwrap_or(default_branch).to_owned(),
        tag: report.reference.as_ref().is_some_and(is_tag),
        source: PipelineSource::External,
        user_id: report.user_id,
        created_at: now,
        variables: Vec::new(),
    };
    Ok(repos.insert_pipeline(at, &new)?)
}

/// Updates an unfinished job.
fn advance<R: JobRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    mut job: Job,
    report: &ReportedStatus,
    now: Timestamp,
) -> Result<Job, CiError> {
    if !may_follow_job(job.status, report.status) {
        return Err(cannot_follow(job.status, report.status));
    }
    let (started_at, finished_at) = times(report.status, job.started_at, now);
    let change = JobChange {
        status: report.status,
        details: details(&job, report),
        started_at,
        finished_at,
        updated_at: now,
    };
    repos.update_job(at, job.id, &change)?;
    change.apply(&mut job);
    Ok(job)
}

/// Updates the details of a job that already has the reported status.
fn update_details<R: JobRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    mut job: Job,
    report: &ReportedStatus,
    now: Timestamp,
) -> Result<Job, CiError> {
    let details = details(&job, report);
    if details == job.details {
        return Ok(job);
    }
    let change = JobChange {
        status: job.status,
        details,
        started_at: job.started_at,
        finished_at: job.finished_at,
        updated_at: now,
    };
    repos.update_job(at, job.id, &change)?;
    change.apply(&mut job);
    Ok(job)
}

/// Returns the details of a job after a report. Fields missing from the report stay unchanged.
fn details(job: &Job, report: &ReportedStatus) -> JobDetails {
    let before = job.details.clone();
    JobDetails {
        target_url: report.target_url.clone().or(before.target_url),
        description: report.description.clone().or(before.description),
        coverage: report.coverage.or(before.coverage),
    }
}

/// Creates the refusal of a status, in the words that clients look for.
fn cannot_follow(now: CiStatus, next: CiStatus) -> CiError {
    let event = match next {
        CiStatus::Created | CiStatus::Pending => "enqueue",
        CiStatus::Running => "run",
        CiStatus::Success => "success",
        CiStatus::Failed => "drop",
        CiStatus::Canceled => "cancel",
        CiStatus::Skipped => "skip",
    };
    let now = now.as_str();
    CiError::Impossible(format!(
        "Cannot transition status via :{event} from :{now} (Reason(s): Status cannot transition via \"{event}\")"
    ))
}

/// Returns the start and end of a job that gets this status at `now`.
fn times(
    status: CiStatus,
    started_at: Option<Timestamp>,
    now: Timestamp,
) -> (Option<Timestamp>, Option<Timestamp>) {
    let begins = (status == CiStatus::Running).then_some(now);
    (started_at.or(begins), status.is_finished().then_some(now))
}

/// Creates a job.
fn begin<R: JobRepository + ?Sized>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    pipeline: &Pipeline,
    report: &ReportedStatus,
    sha: String,
    now: Timestamp,
) -> Result<Job, CiError> {
    let (started_at, finished_at) = times(report.status, None, now);
    let new = NewJob {
        project_id: **at,
        pipeline_id: pipeline.id,
        sha,
        reference: pipeline.reference.clone(),
        tag: pipeline.tag,
        name: report.name.clone(),
        stage: report.stage.clone(),
        status: report.status,
        details: JobDetails {
            target_url: report.target_url.clone(),
            description: report.description.clone(),
            coverage: report.coverage,
        },
        user_id: report.user_id,
        created_at: now,
        started_at,
        finished_at,
    };
    Ok(repos.insert_job(at, &new)?)
}

/// Updates a pipeline to the status derived from its jobs.
fn recompute_pipeline_status<R>(
    repos: &mut R,
    at: &Locked<ProjectId>,
    pipeline: Pipeline,
    job: &Job,
    now: Timestamp,
) -> Result<(), CiError>
where
    R: PipelineRepository + JobRepository + ?Sized,
{
    let statuses = repos.list_statuses_of(pipeline.id)?;
    let status = status_of(&statuses).unwrap_or(pipeline.status);
    let ended = pipeline.finished_at.filter(|_| pipeline.status == status);
    let change = PipelineChange {
        sha: pipeline.sha.or_else(|| Some(job.sha.clone())),
        status,
        started_at: pipeline.started_at.or(job.started_at),
        finished_at: status.is_finished().then(|| ended.unwrap_or(now)),
        updated_at: now,
    };
    repos.update_pipeline(at, pipeline.id, &change)?;
    Ok(())
}
