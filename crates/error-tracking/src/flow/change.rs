//! Edits of errors: resolve, ignore, assign, link, merge and split.
//! The host authorizes the caller.

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreError};

use crate::model::{ErrorState, TrackedError};
use crate::rules::status::{IgnoreLimits, Resolution, Status};
use crate::store::ErrorRepository;

/// Edit of an error.
/// `None` leaves a value unchanged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorEdit {
    /// New status.
    pub status: Option<StatusEdit>,
    /// New assignee; `Some(None)` removes the assignee.
    pub assignee_id: Option<Option<UserId>>,
    /// New linked issue; `Some(None)` removes the link.
    pub issue_id: Option<Option<IssueId>>,
}

/// New status of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusEdit {
    /// The error is unresolved.
    Unresolve,
    /// The error is resolved.
    Resolve,
    /// The error is resolved in this release and later ones.
    ResolveInRelease(String),
    /// The error is resolved in the release after the latest one that is known.
    ResolveInNextRelease,
    /// The error is ignored, for a time or forever.
    Ignore(IgnoreDuration),
}

/// Duration for which an error is ignored; forever if nothing is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IgnoreDuration {
    /// Until this time.
    pub until: Option<Timestamp>,
    /// For this many more events.
    pub events: Option<u64>,
    /// For this many more users.
    pub users: Option<u64>,
}

/// Updates an error and returns it.
///
/// # Errors
/// Failures of the store.
pub fn change_error<R: ErrorRepository + ?Sized>(
    repos: &mut R,
    error: Locked<TrackedError>,
    edit: &ErrorEdit,
) -> Result<TrackedError, StoreError> {
    let status = match &edit.status {
        None => error.state.status.clone(),
        Some(StatusEdit::Unresolve) => Status::Unresolved,
        Some(StatusEdit::Resolve) => Status::Resolved(Resolution::Now),
        Some(StatusEdit::ResolveInRelease(release)) => {
            Status::Resolved(Resolution::InRelease(release.clone()))
        }
        Some(StatusEdit::ResolveInNextRelease) => {
            let latest = repos.list_releases(error.project_id, 1)?.into_iter().next();
            // Without a known release, no later one can be recognised.
            Status::Resolved(latest.map_or(Resolution::Now, |(release, _)| {
                Resolution::AfterRelease(release)
            }))
        }
        Some(StatusEdit::Ignore(ignoring)) => Status::Ignored(until(&error, *ignoring)),
    };
    let state = ErrorState {
        status,
        assignee_id: edit.assignee_id.unwrap_or(error.state.assignee_id),
        issue_id: edit.issue_id.unwrap_or(error.state.issue_id),
    };
    if state == error.state {
        return Ok(error.into_inner());
    }
    repos.update_error(error, &state)
}

fn until(error: &TrackedError, ignoring: IgnoreDuration) -> IgnoreLimits {
    let more = |so_far: i64, more: u64| u64::try_from(so_far).unwrap_or_default() + more;
    IgnoreLimits {
        time: ignoring.until,
        events: ignoring.events.map(|events| more(error.events, events)),
        users: ignoring.users.map(|users| more(error.users, users)),
    }
}

/// Result of a merge or a split.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MoveOutcome {
    /// The error that has the keys now.
    To(Box<TrackedError>),
    /// There is no such error, or no such key of it.
    NotFound,
    /// An error cannot be merged into itself.
    Itself,
    /// An error must keep one key.
    LastKey,
}

impl MoveOutcome {
    /// Returns the error that has the keys now.
    ///
    /// # Errors
    /// 404 for an error or a key that does not exist, 400 for an error that is merged into itself, 409 for the last
    /// key.
    pub fn into_result(self) -> Result<TrackedError, ApiError> {
        match self {
            Self::To(error) => Ok(*error),
            Self::NotFound => Err(ApiError::not_found("Error")),
            Self::Itself => Err(ApiError::bad_request(
                "an error cannot be merged into itself",
            )),
            Self::LastKey => Err(ApiError::conflict("an error must keep at least one key")),
        }
    }
}

/// Merges `from` into `into`: moves all its keys with all their events, and deletes it.
///
/// # Errors
/// Failures of the store.
pub fn merge<R: ErrorRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    from: ErrorIid,
    into: ErrorIid,
) -> Result<MoveOutcome, StoreError> {
    if from == into {
        return Ok(MoveOutcome::Itself);
    }
    let (Some(from), Some(to)) = (
        repos.lock_error(project, from)?,
        repos.lock_error(project, into)?,
    ) else {
        return Ok(MoveOutcome::NotFound);
    };
    Ok(MoveOutcome::To(Box::new(repos.merge_errors(from, to)?)))
}

/// Splits a key off a merged error: its events become an error of their own again.
///
/// # Errors
/// Failures of the store.
pub fn split_error<R: ErrorRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    error: ErrorIid,
    key: ErrorKeyId,
) -> Result<MoveOutcome, StoreError> {
    let Some(locked) = repos.lock_error(project, error)? else {
        return Ok(MoveOutcome::NotFound);
    };
    let keys = repos.list_error_keys(locked.id)?;
    if keys.iter().all(|one| one.id != key) {
        return Ok(MoveOutcome::NotFound);
    }
    if keys.len() == 1 {
        return Ok(MoveOutcome::LastKey);
    }
    Ok(MoveOutcome::To(Box::new(
        repos.split_error_key(locked, key)?,
    )))
}
