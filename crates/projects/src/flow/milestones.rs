//! Making, changing and deleting milestones. Whether the caller may do so is the caller's question.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{MilestoneId, ProjectId};
use api_conventions::time::Timestamp;
use api_conventions::validation;
use storage::StoreError;

use crate::milestone_store::{MilestoneRepository, SaveMilestone};
use crate::model::{Milestone, MilestoneContent, MilestoneEdit, NewMilestone};

/// Why a milestone is not written. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MilestoneError {
    /// Attributes are wrong, or the title is taken; each is named with what is wrong.
    #[error("the milestone is not valid")]
    Invalid(ValidationFailures),
    /// The project has no such milestone.
    #[error("there is no such milestone")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<MilestoneError> for ApiError {
    fn from(error: MilestoneError) -> Self {
        match error {
            MilestoneError::Invalid(failures) => Self::validation(&failures),
            MilestoneError::NotFound => Self::not_found("Milestone"),
            MilestoneError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Makes a milestone.
///
/// # Errors
/// See [`MilestoneError`].
pub fn create_milestone<R: MilestoneRepository + ?Sized>(
    repos: &mut R,
    new: &NewMilestone,
) -> Result<Milestone, MilestoneError> {
    check(&new.content)?;
    saved(repos.insert_milestone(new)?)
}

/// Edits a milestone, and gives it as it was and as it is.
///
/// # Errors
/// See [`MilestoneError`].
pub fn update_milestone<R: MilestoneRepository + ?Sized>(
    repos: &mut R,
    (project, id): (ProjectId, MilestoneId),
    edits: &[MilestoneEdit],
    now: Timestamp,
) -> Result<(Milestone, Milestone), MilestoneError> {
    let before = repos
        .find_milestone(project, id)?
        .ok_or(MilestoneError::NotFound)?;
    let content = before.content.clone().edited(edits);
    check(&content)?;
    Ok((
        before,
        saved(repos.update_milestone(project, id, &content, now)?)?,
    ))
}

/// Deletes a milestone, and gives it as it was.
///
/// # Errors
/// See [`MilestoneError`].
pub fn delete_milestone<R: MilestoneRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: MilestoneId,
) -> Result<Milestone, MilestoneError> {
    let found = repos
        .find_milestone(project, id)?
        .ok_or(MilestoneError::NotFound)?;
    let is_deleted = repos.delete_milestone(project, id)?;
    is_deleted.then_some(found).ok_or(MilestoneError::NotFound)
}

fn check(content: &MilestoneContent) -> Result<(), MilestoneError> {
    let failures = validation::check(content);
    failures
        .is_empty()
        .then_some(())
        .ok_or(MilestoneError::Invalid(failures))
}

fn saved(outcome: SaveMilestone) -> Result<Milestone, MilestoneError> {
    match outcome {
        SaveMilestone::Saved(milestone) => Ok(milestone),
        SaveMilestone::NotFound => Err(MilestoneError::NotFound),
        SaveMilestone::TitleTaken => {
            let mut failures = ValidationFailures::default();
            failures.add(
                "title",
                "already being used for another group or project milestone.",
            );
            Err(MilestoneError::Invalid(failures))
        }
    }
}
