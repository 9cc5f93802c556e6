//! Creating, updating and assigning runners.

use api_conventions::error::ValidationFailures;
use api_conventions::ids::{ProjectId, RunnerId, UserId};
use api_conventions::page::{OffsetPage, Total};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::error::CiError;
use crate::model::{
    NewRunner, Runner, RunnerAccess, RunnerFilter, RunnerInfo, RunnerPlace, RunnerSettings,
    RunnerType, RunnersOf,
};
use crate::store::{RunnerQueries, RunnerRepository};

/// Most runners of a group or project, and most projects of a runner.
pub const MAX_RUNNERS: u64 = 1000;

/// Longest description and maintenance note, in characters.
const MAX_DESCRIPTION: usize = 1024;
/// Longest tag, in characters.
const MAX_TAG: usize = 255;
/// Most tags of a runner.
const MAX_TAGS: usize = 50;
/// Shortest value of the longest run time, in seconds.
const MIN_TIMEOUT: i32 = 600;
/// Resource name of a runner in refusals.
const RUNNER: &str = "Runner";

/// Request to create or update a runner. Fields that are `None` keep their value, or get the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunnerEdit {
    /// Description.
    pub description: Option<String>,
    /// Note for those who maintain the runner; an empty one clears it.
    pub maintenance_note: Option<String>,
    /// True to give the runner no jobs.
    pub paused: Option<bool>,
    /// True to keep the runner from being assigned to further projects.
    pub locked: Option<bool>,
    /// True to accept jobs without tags.
    pub run_untagged: Option<bool>,
    /// Branches and tags whose jobs the runner accepts.
    pub access_level: Option<RunnerAccess>,
    /// Longest run time of a job, in seconds; `Some(None)` clears it.
    pub maximum_timeout: Option<Option<i32>>,
    /// Tags.
    pub tags: Option<Vec<String>>,
}

impl RunnerEdit {
    /// Applies the edit to settings.
    fn apply(&self, settings: &mut RunnerSettings) {
        if let Some(description) = &self.description {
            settings.description.clone_from(description);
        }
        if let Some(note) = &self.maintenance_note {
            settings.maintenance_note = Some(note.clone()).filter(|note| !note.is_empty());
        }
        settings.paused = self.paused.unwrap_or(settings.paused);
        settings.locked = self.locked.unwrap_or(settings.locked);
        settings.run_untagged = self.run_untagged.unwrap_or(settings.run_untagged);
        settings.access_level = self.access_level.unwrap_or(settings.access_level);
        settings.maximum_timeout = self.maximum_timeout.unwrap_or(settings.maximum_timeout);
        if let Some(tags) = &self.tags {
            settings.tags = distinct(tags);
        }
    }
}

/// Runner to create.
#[derive(Debug, Clone)]
pub struct RunnerInput {
    /// First place of the runner.
    pub place: RunnerPlace,
    /// Settings.
    pub edit: RunnerEdit,
    /// Facts that the program reports.
    pub info: RunnerInfo,
    /// Digest of the authentication token.
    pub digest: SecretDigest,
    /// User who creates the runner, or who created its registration token.
    pub creator_id: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Creates a runner.
///
/// # Errors
/// See [`CiError`]: [`CiError::Impossible`] if the group or project has [`MAX_RUNNERS`].
pub fn create_runner<R: RunnerRepository + ?Sized>(
    repos: &mut R,
    input: &RunnerInput,
) -> Result<Runner, CiError> {
    let mut settings = RunnerSettings::default();
    input.edit.apply(&mut settings);
    check(&settings)?;
    check_room(repos, input.place)?;
    let new = NewRunner {
        place: input.place,
        settings,
        info: input.info.clone(),
        digest: input.digest,
        creator_id: input.creator_id,
        created_at: input.now,
    };
    Ok(repos.insert_runner(&new)?)
}

/// Updates the settings of a runner. Returns it as it was before, and as it is now.
///
/// # Errors
/// See [`CiError`].
pub fn update_runner<R: RunnerRepository + ?Sized>(
    repos: &mut R,
    id: RunnerId,
    edit: &RunnerEdit,
) -> Result<(Runner, Runner), CiError> {
    let before = repos.lock_runner(id)?.ok_or(CiError::Unknown(RUNNER))?;
    let mut after = before.clone();
    edit.apply(&mut after.settings);
    check(&after.settings)?;
    if after != before {
        repos.update_runner(id, &after.settings)?;
    }
    Ok((before, after))
}

/// Assigns a runner to a project and returns the runner.
///
/// # Errors
/// See [`CiError`]: [`CiError::Impossible`] if the runner is not one of projects, or was assigned before.
pub fn assign_runner<R: RunnerRepository + ?Sized>(
    repos: &mut R,
    id: RunnerId,
    project: ProjectId,
) -> Result<Runner, CiError> {
    let runner = repos.lock_runner(id)?.ok_or(CiError::Unknown(RUNNER))?;
    let impossible = |reason: &str| Err(CiError::Impossible(reason.to_owned()));
    if runner.runner_type != RunnerType::Project {
        return impossible("only a runner with the type project_type can be assigned to a project");
    }
    let count = u64::try_from(repos.list_runner_places(id)?.len()).unwrap_or(u64::MAX);
    if count >= MAX_RUNNERS {
        let reason = format!("the runner is assigned to {MAX_RUNNERS} projects, the most possible");
        return impossible(&reason);
    }
    check_room(repos, RunnerPlace::Project(project))?;
    if !repos.assign_runner(id, project)? {
        return impossible("the runner is already assigned to the project");
    }
    Ok(runner)
}

/// Ends the assignment of a runner to a project and returns the runner.
///
/// # Errors
/// See [`CiError`]: [`CiError::Impossible`] for the only project of the runner.
pub fn unassign_runner<R: RunnerRepository + ?Sized>(
    repos: &mut R,
    id: RunnerId,
    project: ProjectId,
) -> Result<Runner, CiError> {
    let runner = repos.lock_runner(id)?.ok_or(CiError::Unknown(RUNNER))?;
    let places = repos.list_runner_places(id)?;
    if !places.contains(&RunnerPlace::Project(project)) {
        return Err(CiError::Unknown(RUNNER));
    }
    if places.len() < 2 {
        let reason = "this is the only project of the runner; delete the runner instead";
        return Err(CiError::Impossible(reason.to_owned()));
    }
    repos.unassign_runner(id, project)?;
    Ok(runner)
}

/// Refuses a further runner of a group or project that has too many.
fn check_room<R: RunnerQueries + ?Sized>(repos: &mut R, place: RunnerPlace) -> Result<(), CiError> {
    if place == RunnerPlace::Instance {
        return Ok(());
    }
    let filter = RunnerFilter::new(RunnersOf::Places(vec![place]));
    let total = repos.list_runners(&filter, OffsetPage::new(1, 1))?.total;
    match total {
        Total::Exact(count) if count < MAX_RUNNERS => Ok(()),
        _ => Err(CiError::Impossible(format!(
            "there are already {MAX_RUNNERS} runners here; delete some first"
        ))),
    }
}

fn check(settings: &RunnerSettings) -> Result<(), CiError> {
    let mut failures = ValidationFailures::default();
    let note = settings.maintenance_note.as_deref().unwrap_or_default();
    for (name, text) in [
        ("description", settings.description.as_str()),
        ("maintenance_note", note),
    ] {
        if text.chars().count() > MAX_DESCRIPTION {
            let problem = format!("is too long (maximum is {MAX_DESCRIPTION} characters)");
            failures.add(name, problem);
        }
    }
    if settings
        .maximum_timeout
        .is_some_and(|seconds| seconds < MIN_TIMEOUT)
    {
        failures.add("maximum_timeout", "needs to be at least 10 minutes");
    }
    if settings.tags.len() > MAX_TAGS {
        let problem =
            format!("Too many tags specified. Please limit the number of tags to {MAX_TAGS}");
        failures.add("tags_list", problem);
    }
    if settings.tags.iter().any(|tag| !is_tag(tag)) {
        let problem = format!("must be tags of at most {MAX_TAG} characters, without line breaks");
        failures.add("tags_list", problem);
    }
    if settings.tags.is_empty() && !settings.run_untagged {
        let problem = "can not be empty when runner is not allowed to pick untagged jobs";
        failures.add("tags_list", problem);
    }
    let is_sound = failures.is_empty();
    is_sound.then_some(()).ok_or(CiError::Invalid(failures))
}

fn is_tag(tag: &str) -> bool {
    tag.chars().count() <= MAX_TAG && !tag.chars().any(char::is_control)
}

/// Returns the tags without white space around them, empty ones and duplicates.
fn distinct(tags: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().map(|tag| tag.trim()) {
        if !tag.is_empty() && !kept.iter().any(|other| other == tag) {
            kept.push(tag.to_owned());
        }
    }
    kept
}
