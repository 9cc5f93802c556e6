//! On-call schedules of a project: creation, changes and deletion, and those of their overrides.

use api_conventions::error::ApiError;
use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use chrono_tz::Tz;
use storage::StoreError;

use crate::model::{
    LocalTime, NewOverride, NewSchedule, OnCallSchedule, OverrideError, ScheduleOverride,
    ScheduleSettings, ScheduleSettingsError,
};
use crate::store::{OnCallQueries, OnCallRepository, SaveSchedule};

/// Largest number of on-call schedules of a project.
pub const MAX_SCHEDULES: usize = 20;

/// Reasons to refuse a change of schedules. Nothing is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// There is no such schedule.
    #[error("the on-call schedule does not exist")]
    NotFound,
    /// The schedule has no such override.
    #[error("the override does not exist")]
    NoOverride,
    /// The project has too many schedules.
    #[error("a project has at most {MAX_SCHEDULES} on-call schedules; delete one first")]
    TooMany,
    /// The schedule has too many overrides.
    #[error(
        "the schedule has {} overrides that are not over; delete some of them first",
        ScheduleOverride::MAX_UNEXPIRED
    )]
    TooManyOverrides,
    /// Another schedule of the project has the name.
    #[error("name has already been taken")]
    NameTaken,
    /// A notification channel uses the schedule; this is its name.
    #[error("the notification channel {0} uses the schedule; delete the channel first")]
    InUse(String),
    /// The user cannot be on call.
    #[error(
        "{0} cannot be on call; name active members of the project with at least the Developer role"
    )]
    User(String),
    /// The settings are not valid.
    #[error(transparent)]
    Settings(#[from] ScheduleSettingsError),
    /// The times of an override are not valid.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ScheduleError> for ApiError {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::NotFound => Self::not_found("On-call Schedule"),
            ScheduleError::NoOverride => Self::not_found("Override"),
            ScheduleError::NameTaken | ScheduleError::InUse(_) => {
                Self::conflict(&error.to_string())
            }
            ScheduleError::Store(store) => Self::storage_failure(store.is_retryable()),
            ScheduleError::TooMany
            | ScheduleError::TooManyOverrides
            | ScheduleError::User(_)
            | ScheduleError::Settings(_)
            | ScheduleError::Override(_) => Self::bad_request(&error.to_string()),
        }
    }
}

/// New values of a schedule. A value that is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduleInput {
    /// Display name.
    pub name: Option<String>,
    /// Time zone.
    pub time_zone: Option<Tz>,
    /// Local time of handoffs.
    pub handoff_time: Option<LocalTime>,
    /// Date of the first handoff.
    pub first_handoff: Option<CalendarDate>,
    /// Length of a turn in weeks.
    pub turn_weeks: Option<u32>,
    /// Participants in the order of their turns.
    pub participants: Option<Vec<UserId>>,
}

impl From<ScheduleSettings> for ScheduleInput {
    fn from(settings: ScheduleSettings) -> Self {
        Self {
            name: Some(settings.name),
            time_zone: Some(settings.time_zone),
            handoff_time: Some(settings.handoff_time),
            first_handoff: Some(settings.first_handoff),
            turn_weeks: Some(settings.turn_weeks),
            participants: Some(settings.participants),
        }
    }
}

impl ScheduleInput {
    /// Returns these settings with the new values.
    #[must_use]
    pub fn settings(&self, before: ScheduleSettings) -> ScheduleSettings {
        let name = self.name.as_deref().map(|name| name.trim().to_owned());
        ScheduleSettings {
            name: name.unwrap_or(before.name),
            time_zone: self.time_zone.unwrap_or(before.time_zone),
            handoff_time: self.handoff_time.unwrap_or(before.handoff_time),
            first_handoff: self.first_handoff.unwrap_or(before.first_handoff),
            turn_weeks: self.turn_weeks.unwrap_or(before.turn_weeks),
            participants: self.participants.clone().unwrap_or(before.participants),
        }
    }
}

/// Lists the schedules of a project in the order of their creation.
///
/// # Errors
/// Failures of the store.
pub fn list_schedules<R: OnCallQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
) -> Result<Vec<OnCallSchedule>, StoreError> {
    repos.list_schedules(project, MAX_SCHEDULES)
}

/// Returns the schedule of a project with this id.
///
/// # Errors
/// [`ScheduleError::NotFound`], or failures of the store.
pub fn find_schedule<R: OnCallQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: ScheduleId,
) -> Result<OnCallSchedule, ScheduleError> {
    repos
        .find_schedule(project, id)?
        .ok_or(ScheduleError::NotFound)
}

/// Creates a schedule. The caller has checked that the participants can be on call.
///
/// # Errors
/// See [`ScheduleError`].
pub fn create_schedule<R: OnCallRepository + ?Sized>(
    repos: &mut R,
    new: &NewSchedule,
) -> Result<OnCallSchedule, ScheduleError> {
    new.settings.check()?;
    if list_schedules(repos, new.project_id)?.len() >= MAX_SCHEDULES {
        return Err(ScheduleError::TooMany);
    }
    saved(repos.insert_schedule(new)?)
}

/// Replaces the settings of a schedule at `now`. The caller has checked that new participants can be on call.
///
/// # Errors
/// See [`ScheduleError`].
pub fn update_schedule<R: OnCallRepository + ?Sized>(
    repos: &mut R,
    before: &OnCallSchedule,
    settings: &ScheduleSettings,
    now: Timestamp,
) -> Result<OnCallSchedule, ScheduleError> {
    settings.check()?;
    saved(repos.update_schedule(before.project_id, before.id, settings, now)?)
}

/// Deletes a schedule and its overrides.
///
/// # Errors
/// [`ScheduleError::NotFound`], or failures of the store.
pub fn delete_schedule<R: OnCallRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    id: ScheduleId,
) -> Result<(), ScheduleError> {
    if repos.delete_schedule(project, id)? {
        Ok(())
    } else {
        Err(ScheduleError::NotFound)
    }
}

/// Lists the overrides of a schedule that are not over at `now`, the newest first.
///
/// # Errors
/// Failures of the store.
pub fn list_overrides<R: OnCallQueries + ?Sized>(
    repos: &mut R,
    schedule: ScheduleId,
    now: Timestamp,
) -> Result<Vec<ScheduleOverride>, StoreError> {
    repos.list_overrides(&[schedule], now, ScheduleOverride::MAX_UNEXPIRED)
}

/// Creates an override of a schedule of this project. The caller has checked that the user can be on call. A start in the
/// past is now: an override does not change who was on call.
///
/// # Errors
/// See [`ScheduleError`].
pub fn create_override<R: OnCallRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    new: NewOverride,
) -> Result<ScheduleOverride, ScheduleError> {
    let content = NewOverride {
        from: new.from.max(new.created_at),
        ..new
    };
    content.check()?;
    let schedule = repos.lock_schedule(project, new.schedule_id)?;
    schedule.ok_or(ScheduleError::NotFound)?;
    let unexpired = list_overrides(repos, new.schedule_id, new.created_at)?;
    if unexpired.len() >= ScheduleOverride::MAX_UNEXPIRED {
        return Err(ScheduleError::TooManyOverrides);
    }
    let id = repos.insert_override(&content)?;
    Ok(ScheduleOverride { id, content })
}

/// Deletes an override of a schedule, and returns it.
///
/// # Errors
/// [`ScheduleError::NoOverride`], or failures of the store.
pub fn delete_override<R: OnCallRepository + ?Sized>(
    repos: &mut R,
    schedule: ScheduleId,
    id: OverrideId,
) -> Result<ScheduleOverride, ScheduleError> {
    let found = repos.find_override(schedule, id)?;
    let found = found.ok_or(ScheduleError::NoOverride)?;
    if !repos.delete_override(schedule, id)? {
        return Err(ScheduleError::NoOverride);
    }
    Ok(found)
}

fn saved(outcome: SaveSchedule) -> Result<OnCallSchedule, ScheduleError> {
    match outcome {
        SaveSchedule::Saved(schedule) => Ok(schedule),
        SaveSchedule::NameTaken => Err(ScheduleError::NameTaken),
        SaveSchedule::NotFound => Err(ScheduleError::NotFound),
    }
}
