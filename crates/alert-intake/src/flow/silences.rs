//! Silences: creation, update, end, and the steps that time brings.
//!
//! The rules are those of Alertmanager: a silence whose matchers or start change is another one, an old silence ends when
//! its successor is stored, and one that is over never begins again.

use api_conventions::error::ApiError;
use api_conventions::ids::{ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{LabelMatcher, NewSilence, Silence, SilenceState};
use crate::rules::matcher::{MatcherError, MatcherSet};
use crate::store::SilenceRepository;

/// Silence that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedSilence {
    /// Silence to update; `None` for a new one.
    pub id: Option<SilenceId>,
    /// Conditions on the labels of alerts.
    pub matchers: Vec<LabelMatcher>,
    /// Start; one in the past is now.
    pub starts_at: Timestamp,
    /// End.
    pub ends_at: Timestamp,
    /// Author.
    pub created_by: String,
    /// Reason.
    pub comment: String,
}

/// Reason why a silence is not stored. Nothing is written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SilenceError {
    /// The matchers are not valid.
    #[error(transparent)]
    Matchers(#[from] MatcherError),
    /// The silence does not end after its start.
    #[error("the silence must end after its start")]
    Order,
    /// The end is past.
    #[error("the end of the silence is past")]
    Past,
    /// The silence is too long.
    #[error("a silence lasts at most ten years")]
    Long,
    /// The author or the comment is too long.
    #[error(
        "createdBy has at most {} characters, and comment {}",
        Silence::MAX_AUTHOR,
        Silence::MAX_COMMENT
    )]
    Text,
    /// The project has too many silences.
    #[error(
        "the project has {} silences that are not over; end some of them first",
        Silence::MAX_UNEXPIRED
    )]
    TooMany,
    /// There is no such silence.
    #[error("silence not found")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SilenceError> for ApiError {
    fn from(error: SilenceError) -> Self {
        match error {
            SilenceError::NotFound => Self::not_found("Silence"),
            SilenceError::Store(error) => Self::storage_failure(error.is_retryable()),
            invalid => Self::bad_request(&invalid.to_string()),
        }
    }
}

/// A stored silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSilence {
    /// The silence.
    pub silence: Silence,
    /// Silence that ended for it, as it was before.
    pub replaced: Option<Silence>,
}

/// Stores a silence: a new one, an update in place if only its end and its texts change, or a successor of one that ends
/// now. The caller has locked the alerts of the project.
///
/// # Errors
/// See [`SilenceError`].
pub fn put<R: SilenceRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    wanted: WantedSilence,
    now: Timestamp,
) -> Result<StoredSilence, SilenceError> {
    let before = match wanted.id {
        Some(id) => Some(
            repos
                .find_silence(project, id)?
                .ok_or(SilenceError::NotFound)?,
        ),
        None => None,
    };
    let content = check(project, wanted, now)?;
    match before {
        Some(before) if is_same(&before, &content, now) => {
            let silence = Silence {
                id: before.id,
                content: NewSilence {
                    // An active silence keeps its start.
                    starts_at: match before.state(now) {
                        SilenceState::Active => before.content.starts_at,
                        SilenceState::Pending | SilenceState::Expired => content.starts_at,
                    },
                    ..content
                },
            };
            let silence = due(silence, now);
            repos.update_silence(&silence)?;
            Ok(StoredSilence {
                silence,
                replaced: None,
            })
        }
        before => {
            check_room(repos, project, now)?;
            let replaced = before.filter(|before| before.state(now) != SilenceState::Expired);
            if let Some(replaced) = &replaced {
                repos.update_silence(&ended(replaced, now))?;
            }
            let mut silence = due(
                Silence {
                    id: SilenceId::new(0),
                    content,
                },
                now,
            );
            silence.id = repos.insert_silence(&silence.content)?;
            Ok(StoredSilence { silence, replaced })
        }
    }
}

/// Ends a silence now. Returns it as it was before; `None` if it was over already. The caller has locked the alerts of the
/// project.
///
/// # Errors
/// [`SilenceError::NotFound`], and failures of the store.
pub fn end<R: SilenceRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: SilenceId,
    now: Timestamp,
) -> Result<Option<Silence>, SilenceError> {
    let before = repos.find_silence(project, id)?;
    let before = before.ok_or(SilenceError::NotFound)?;
    if before.state(now) == SilenceState::Expired {
        return Ok(None);
    }
    repos.update_silence(&ended(&before, now))?;
    Ok(Some(before))
}

/// Takes the step of a silence that is due at `now`, and returns it; `None` if none is due any more. The caller has locked
/// the alerts of the project.
///
/// # Errors
/// Failures of the store.
pub fn advance<R: SilenceRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: SilenceId,
    now: Timestamp,
) -> Result<Option<Silence>, StoreError> {
    let found = repos.find_silence(project, id)?;
    let is_due = |it: &Silence| it.content.due_at.is_some_and(|due| due <= now);
    let Some(silence) = found.filter(is_due) else {
        return Ok(None);
    };
    let silence = due(silence, now);
    repos.update_silence(&silence)?;
    Ok(Some(silence))
}

/// Returns the content of a silence that may be stored.
fn check(
    project: ProjectId,
    wanted: WantedSilence,
    now: Timestamp,
) -> Result<NewSilence, SilenceError> {
    MatcherSet::of_silence(&wanted.matchers)?;
    let starts_at = wanted.starts_at.max(now);
    if wanted.ends_at <= now {
        return Err(SilenceError::Past);
    }
    if wanted.ends_at <= starts_at {
        return Err(SilenceError::Order);
    }
    if wanted.ends_at > now.plus_seconds(Silence::MAX_SECONDS) {
        return Err(SilenceError::Long);
    }
    let is_within = |text: &str, max| text.chars().count() <= max;
    if !is_within(&wanted.created_by, Silence::MAX_AUTHOR)
        || !is_within(&wanted.comment, Silence::MAX_COMMENT)
    {
        return Err(SilenceError::Text);
    }
    Ok(NewSilence {
        project_id: project,
        matchers: wanted.matchers,
        starts_at,
        ends_at: wanted.ends_at,
        created_by: wanted.created_by,
        comment: wanted.comment,
        updated_at: now,
        due_at: None,
    })
}

/// True if `content` is the silence itself with another end or other texts, and not another silence.
fn is_same(before: &Silence, content: &NewSilence, now: Timestamp) -> bool {
    let sorted = |matchers: &[LabelMatcher]| {
        let mut matchers = matchers.to_vec();
        matchers.sort();
        matchers
    };
    let has_begun = content.starts_at <= now;
    sorted(&before.content.matchers) == sorted(&content.matchers)
        && match before.state(now) {
            SilenceState::Active => has_begun,
            SilenceState::Pending => true,
            SilenceState::Expired => false,
        }
}

fn check_room<R: SilenceRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    now: Timestamp,
) -> Result<(), SilenceError> {
    let unexpired = repos.list_silences(&[project], now, Silence::MAX_UNEXPIRED)?;
    if unexpired.len() >= Silence::MAX_UNEXPIRED {
        return Err(SilenceError::TooMany);
    }
    Ok(())
}

/// Returns a silence with the time of its next step after `now`.
fn due(mut silence: Silence, now: Timestamp) -> Silence {
    silence.content.due_at = match silence.state(now) {
        SilenceState::Pending => Some(silence.content.starts_at),
        SilenceState::Active => Some(silence.content.ends_at),
        SilenceState::Expired => None,
    };
    silence
}

/// Returns a silence that ends now.
fn ended(silence: &Silence, now: Timestamp) -> Silence {
    let content = &silence.content;
    Silence {
        id: silence.id,
        content: NewSilence {
            starts_at: content.starts_at.min(now),
            ends_at: now,
            updated_at: now,
            due_at: None,
            ..content.clone()
        },
    }
}
