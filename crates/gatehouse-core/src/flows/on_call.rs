//! On-call schedules of projects: who is on call, changes, and their entries in the audit log.
//!
//! The caller must check that the actor may read or change schedules.

use std::collections::{BTreeMap, BTreeSet};

use accounts::{AuditEventName, User, UserState};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use notifications::flow::{self, ScheduleError, ScheduleInput};
use notifications::model::{
    NewOverride, NewSchedule, OnCallSchedule, OnCallShift, ScheduleOverride, ScheduleSettings,
};
use notifications::rules::Rota;
use projects::{MemberFilter, MemberScope, MemberSource};
use storage::StoreError;

use super::groups::Actor;
use super::hand_over::find_channel_of_schedule;
use super::projects::note;
use crate::database::{ReadTransaction, WriteTransaction};

/// Seconds in which the end of a shift is searched: two turns of the greatest length.
const HORIZON: i64 = 2 * 52 * 7 * 86_400;

/// A schedule with its overrides.
#[derive(Debug, Clone)]
pub struct ScheduleWithOverrides {
    /// The schedule.
    pub schedule: OnCallSchedule,
    /// Overrides, the newest first.
    pub overrides: Vec<ScheduleOverride>,
}

/// Users that schedules of a project name, and which of them can be on call.
#[derive(Debug, Clone)]
pub struct OnCallUsers {
    users: BTreeMap<UserId, User>,
    unavailable: BTreeSet<UserId>,
}

impl OnCallUsers {
    /// Returns the rules of a schedule whose users these are.
    pub fn rota<'a>(&'a self, of: &'a ScheduleWithOverrides) -> Rota<'a> {
        Rota {
            settings: &of.schedule.settings,
            overrides: &of.overrides,
            unavailable: &self.unavailable,
        }
    }

    /// Returns the shift of a schedule at a time, cut to begin then. `None` while nobody is on call. A shift that ends after
    /// more than a hundred weeks ends at [`Timestamp::MAX`].
    pub fn shift_at(&self, of: &ScheduleWithOverrides, at: Timestamp) -> Option<OnCallShift> {
        let horizon = at.plus_seconds(HORIZON);
        let shifts = self.rota(of).list_shifts(at, horizon, 1);
        let mut shift = shifts.into_iter().find(|shift| shift.from == at)?;
        if shift.until == horizon {
            shift.until = Timestamp::MAX;
        }
        Some(shift)
    }

    /// Returns a user that a schedule or an override names. `None` after the deletion of the account.
    pub fn get(&self, id: UserId) -> Option<&User> {
        self.users.get(&id)
    }

    /// True if the user can be on call: an active administrator, or an active member who is a Developer at least.
    pub fn is_available(&self, id: UserId) -> bool {
        !self.unavailable.contains(&id)
    }
}

/// Loads the schedules of a project with their overrides that are not over at `now`.
///
/// # Errors
/// Failures of the store.
pub fn load_schedules<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    now: Timestamp,
) -> Result<(Vec<ScheduleWithOverrides>, OnCallUsers), StoreError> {
    let schedules = flow::list_schedules(tx, project)?;
    let ids: Vec<ScheduleId> = schedules.iter().map(|schedule| schedule.id).collect();
    let limit = ScheduleOverride::MAX_UNEXPIRED * ids.len();
    let overrides = tx.list_overrides(&ids, now, limit)?;
    let with_overrides = |schedule: OnCallSchedule| {
        let of_it = |it: &&ScheduleOverride| it.content.schedule_id == schedule.id;
        ScheduleWithOverrides {
            overrides: overrides.iter().filter(of_it).copied().collect(),
            schedule,
        }
    };
    let schedules: Vec<_> = schedules.into_iter().map(with_overrides).collect();
    let users = load_users(tx, project, &schedules, now)?;
    Ok((schedules, users))
}

/// Loads the overrides of a schedule that end after `since`, and the users who can be on call at `now`.
///
/// # Errors
/// Failures of the store.
pub fn load_overrides<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    schedule: OnCallSchedule,
    since: Timestamp,
    now: Timestamp,
) -> Result<(ScheduleWithOverrides, OnCallUsers), StoreError> {
    let overrides = tx.list_overrides(&[schedule.id], since, ScheduleOverride::MAX_LISTED)?;
    let project = schedule.project_id;
    let of = ScheduleWithOverrides {
        schedule,
        overrides,
    };
    let users = load_users(tx, project, std::slice::from_ref(&of), now)?;
    Ok((of, users))
}

fn load_users<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    schedules: &[ScheduleWithOverrides],
    now: Timestamp,
) -> Result<OnCallUsers, StoreError> {
    let mut named: BTreeSet<UserId> = BTreeSet::new();
    for of in schedules {
        named.extend(&of.schedule.settings.participants);
        let users = of.overrides.iter().map(|it| it.content);
        named.extend(users.flat_map(|it| [it.user_id, it.created_by]));
    }
    let named: Vec<UserId> = named.into_iter().collect();
    let users = tx.list_users_by_id(&named)?.into_iter();
    let users: BTreeMap<UserId, User> = users.map(|user| (user.id, user)).collect();
    let unavailable = unavailable_users(tx, project, &named, &users, now)?;
    Ok(OnCallUsers { users, unavailable })
}

/// Returns the user who is on call at a time. `None` if there is no such schedule, before its first handoff, and if nobody
/// who takes part in it is available.
///
/// # Errors
/// Failures of the store.
pub fn find_on_call<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    schedule: ScheduleId,
    at: Timestamp,
) -> Result<Option<User>, StoreError> {
    let Some(schedule) = tx.find_schedule(project, schedule)? else {
        return Ok(None);
    };
    let (of, users) = load_overrides(tx, schedule, at, at)?;
    let on_call = users.rota(&of).on_call_at(at);
    Ok(on_call.and_then(|id| users.get(id)).cloned())
}

/// Returns which of these users cannot be on call.
fn unavailable_users<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
    named: &[UserId],
    users: &BTreeMap<UserId, User>,
    now: Timestamp,
) -> Result<BTreeSet<UserId>, StoreError> {
    let place = MemberSource::Project(project);
    let mut developers = BTreeSet::new();
    for some in named.chunks(OffsetPage::MAX_SIZE.into()) {
        let filter = MemberFilter {
            users: Some(some.to_vec()),
            ..MemberFilter::default()
        };
        let all = OffsetPage::new(1, OffsetPage::MAX_SIZE.into());
        let members = tx.list_members(place, MemberScope::All, &filter, now.date(), all)?;
        let members = members.items.iter();
        let members = members.filter(|member| member.level >= AccessLevel::Developer);
        developers.extend(members.map(|member| member.user_id));
    }
    let is_available = |id: &UserId| {
        users.get(id).is_some_and(|user| {
            user.state == UserState::Active && (user.is_admin || developers.contains(id))
        })
    };
    let unavailable = named.iter().filter(|id| !is_available(id));
    Ok(unavailable.copied().collect())
}

/// Refuses users who cannot be on call.
fn check_users(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    named: &[UserId],
    now: Timestamp,
) -> Result<(), ScheduleError> {
    let users = tx.list_users_by_id(named)?.into_iter();
    let users: BTreeMap<UserId, User> = users.map(|user| (user.id, user)).collect();
    let unavailable = unavailable_users(tx, project, named, &users, now)?;
    let Some(first) = named.iter().find(|id| unavailable.contains(id)) else {
        return Ok(());
    };
    Err(ScheduleError::User(match users.get(first) {
        Some(user) => user.username.as_str().to_owned(),
        None => format!("user {first}"),
    }))
}

/// Creates a schedule of a project, and returns it.
///
/// # Errors
/// See [`ScheduleError`].
pub fn create_schedule(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    settings: ScheduleSettings,
    actor: Actor,
) -> Result<OnCallSchedule, ScheduleError> {
    settings.check()?;
    // Without the lock, two concurrent requests could both create the last schedule.
    tx.lock_project(project, &[])?;
    check_users(tx, project, &settings.participants, actor.now)?;
    let new = NewSchedule {
        project_id: project,
        settings,
        created_at: actor.now,
    };
    let created = flow::create_schedule(tx, &new)?;
    note_change(tx, &created, "created", actor)?;
    Ok(created)
}

/// Changes a schedule, and returns it. Participants may stay although they cannot be on call any more.
///
/// # Errors
/// See [`ScheduleError`].
pub fn update_schedule(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ScheduleId),
    input: &ScheduleInput,
    actor: Actor,
) -> Result<OnCallSchedule, ScheduleError> {
    let before = tx.lock_schedule(project, id)?;
    let before = before.ok_or(ScheduleError::NotFound)?;
    let settings = input.settings(before.settings.clone());
    settings.check()?;
    let mut new = settings.participants.clone();
    new.retain(|user| !before.settings.participants.contains(user));
    check_users(tx, project, &new, actor.now)?;
    let changed = flow::update_schedule(tx, &before, &settings, actor.now)?;
    note_change(tx, &changed, "other settings", actor)?;
    Ok(changed)
}

/// Deletes a schedule and its overrides, and returns it as it was.
///
/// # Errors
/// See [`ScheduleError`].
pub fn delete_schedule(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ScheduleId),
    actor: Actor,
) -> Result<OnCallSchedule, ScheduleError> {
    let schedule = tx.lock_schedule(project, id)?;
    let schedule = schedule.ok_or(ScheduleError::NotFound)?;
    if let Some(channel) = find_channel_of_schedule(tx, project, id)? {
        return Err(ScheduleError::InUse(channel));
    }
    flow::delete_schedule(tx, project, id)?;
    note_change(tx, &schedule, "deleted", actor)?;
    Ok(schedule)
}

/// User and times of an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverrideValues {
    /// User who is on call.
    pub user_id: UserId,
    /// First instant; one in the past is now.
    pub from: Timestamp,
    /// First instant after the override.
    pub until: Timestamp,
}

/// Creates an override of a schedule, and returns it.
///
/// # Errors
/// See [`ScheduleError`].
pub fn create_override(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ScheduleId),
    values: OverrideValues,
    actor: Actor,
) -> Result<ScheduleOverride, ScheduleError> {
    let schedule = flow::find_schedule(tx, project, id)?;
    check_users(tx, project, &[values.user_id], actor.now)?;
    let new = NewOverride {
        schedule_id: id,
        user_id: values.user_id,
        from: values.from,
        until: values.until,
        created_by: actor.id,
        created_at: actor.now,
    };
    let created = flow::create_override(tx, project, new)?;
    note_change(tx, &schedule, "new override", actor)?;
    Ok(created)
}

/// Deletes an override of a schedule, and returns it as it was.
///
/// # Errors
/// See [`ScheduleError`].
pub fn delete_override(
    tx: &mut dyn WriteTransaction,
    (project, id): (ProjectId, ScheduleId),
    override_id: OverrideId,
    actor: Actor,
) -> Result<ScheduleOverride, ScheduleError> {
    let schedule = flow::find_schedule(tx, project, id)?;
    let deleted = flow::delete_override(tx, id, override_id)?;
    note_change(tx, &schedule, "override deleted", actor)?;
    Ok(deleted)
}

fn note_change(
    tx: &mut dyn WriteTransaction,
    schedule: &OnCallSchedule,
    to: &str,
    actor: Actor,
) -> Result<(), StoreError> {
    let name = schedule.settings.name.as_str();
    let fields = [("on_call_schedule", name), ("to", to)];
    note(
        tx,
        schedule.project_id,
        AuditEventName::SettingChanged,
        &fields,
        actor,
    )
}

#[cfg(test)]
mod tests;
