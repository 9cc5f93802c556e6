//! Page of a pipeline and its jobs, the target of the `web_url` of both in the API.

use ::pipelines::model::{Job, JobFilter, Pipeline};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{JobId, PipelineId};
use api_conventions::page::{OffsetPage, Page};
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::rules::features::Feature;
use url::Url;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use super::runs;
use super::shared::People;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::total;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, Need, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Most jobs that the page shows.
/// The API returns all of them.
const MAX_JOBS: u64 = 100;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("pipelinePage", "/{project}/-/pipelines/{pipeline_id}", show),
        get("jobPage", "/{project}/-/jobs/{job_id}", show_job),
    ]
}

/// Job as the page shows it.
struct JobRow {
    id: String,
    name: DisplayName,
    stage: DisplayName,
    status: Pill,
    description: String,
    link: Option<String>,
    changed: DisplayTime,
    is_current: bool,
}

#[derive(Template)]
#[template(path = "areas/pipelines/pipeline.html")]
struct PipelinePage {
    shell: Shell,
    id: String,
    status: Pill,
    reference: DisplayName,
    is_tag: bool,
    sha: String,
    reporter: Option<DisplayName>,
    created: DisplayTime,
    changed: DisplayTime,
    shows_jobs: bool,
    job_count: String,
    jobs: Vec<JobRow>,
    api: String,
}

/// Pipeline with the data of its page.
struct PipelineView {
    pipeline: Pipeline,
    people: People,
    /// `None` if the visitor may not see jobs.
    jobs: Option<Page<Job>>,
}

impl PipelineView {
    fn read(
        tx: &mut dyn ReadTransaction,
        found: &ProjectContext,
        id: PipelineId,
    ) -> Result<Self, Failure> {
        if !found.shows(Feature::Pipelines) {
            return Err(ApiError::not_found("Pipeline").into());
        }
        let pipeline = runs::find(tx, found.project.id, id)?;
        let filter = JobFilter {
            pipeline_id: Some(id),
            with_retried: false,
            ..JobFilter::new(found.project.id)
        };
        let jobs = if found.shows(Feature::Jobs) {
            Some(tx.list_jobs(&filter, OffsetPage::new(1, MAX_JOBS))?)
        } else {
            None
        };
        Ok(Self {
            people: People::load(tx, [pipeline.user_id])?,
            pipeline,
            jobs,
        })
    }
}

/// Responds with the page of a pipeline.
async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let id = PipelineId::new(page.number("pipeline_id")?);
    let read = page.read(move |tx, found| PipelineView::read(tx, found, id));
    let (view, found) = read.await?;
    answer(&page, &found, view, None)
}

/// Responds with the page of the pipeline to which a job belongs.
async fn show_job(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let id = JobId::new(page.number("job_id")?);
    let read = page.read(move |tx, found| {
        let job = tx.find_job(found.project.id, id)?;
        let job = job.filter(|_| found.shows(Feature::Jobs));
        let job = job.ok_or_else(|| ApiError::not_found("Job"))?;
        PipelineView::read(tx, found, job.pipeline_id)
    });
    let (view, found) = read.await?;
    answer(&page, &found, view, Some(id))
}

fn answer<N: Need>(
    page: &ProjectPage<N>,
    found: &ProjectContext,
    view: PipelineView,
    current: Option<JobId>,
) -> Result<HttpResponse, PageFailure> {
    let PipelineView {
        pipeline,
        people,
        jobs,
    } = view;
    let now = page.now();
    let row = |job: Job| JobRow {
        id: job.id.to_string(),
        name: DisplayName::of(&job.name),
        stage: DisplayName::of(&job.stage),
        status: job.status.into(),
        description: job.details.description.unwrap_or_default(),
        link: job.details.target_url.filter(|link| is_web_link(link)),
        changed: DisplayTime::at(job.updated_at, now),
        is_current: Some(job.id) == current,
    };
    let reporter = people.summary(pipeline.user_id, &page.state().base_url);
    page.show(&PipelinePage {
        shell: page.shell(
            found,
            Section::Overview,
            &format!("Pipeline #{}", pipeline.id),
        ),
        api: format!(
            "/api/v4/projects/{}/pipelines/{}",
            found.project.id, pipeline.id
        ),
        id: pipeline.id.to_string(),
        status: pipeline.status.into(),
        reference: DisplayName::of(&pipeline.reference),
        is_tag: pipeline.tag,
        sha: pipeline.sha.unwrap_or_default(),
        reporter: reporter.map(|user| DisplayName::of(&user.name)),
        created: DisplayTime::at(pipeline.created_at, now),
        changed: DisplayTime::at(pipeline.updated_at, now),
        shows_jobs: jobs.is_some(),
        job_count: jobs
            .as_ref()
            .map(|jobs| total(jobs.total, "job", "jobs"))
            .unwrap_or_default(),
        jobs: jobs.map_or_else(Vec::new, |jobs| jobs.items.into_iter().map(row).collect()),
    })
}

/// True if a page may link to this URL: an absolute `http` or `https` URL.
fn is_web_link(link: &str) -> bool {
    Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
