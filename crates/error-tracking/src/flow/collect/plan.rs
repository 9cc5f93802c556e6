//! Effects of events on errors: which are new, which regress, and what is added to each.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, ProjectId};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use super::counts::Counts;
use super::{AcceptedEvent, CollectOutcome, ErrorChange, ErrorChangeKind};
use crate::grouping::GroupKey;
use crate::model::UserMark;
use crate::rules::retention::{KEPT_AT_ENDS, deletable_records, min_priority};
use crate::rules::status::{Arrival, Resolution, Status, StatusEffect, effect};
use crate::store::{
    CollectRepository, ErrorProgress, KnownError, NewError, NewErrorEvent, NewErrorKey,
};

/// Grouping key of an event in its project.
type Key = (ProjectId, GroupKey);

/// Events to be stored, with the known state of their errors.
pub(super) struct CollectPlan<'f, 'd> {
    fresh: &'f [AcceptedEvent<'d>],
    known: BTreeMap<Key, KnownError>,
    /// Errors that one of the events creates.
    appeared: BTreeSet<Key>,
    /// Users who are new to an error.
    new_users: BTreeSet<(ErrorId, UserMark)>,
    /// Time at which each release was first seen.
    releases: BTreeMap<(ProjectId, String), Timestamp>,
}

impl<'f, 'd> CollectPlan<'f, 'd> {
    /// Loads what is known, and inserts the errors, users and releases that are new.
    pub(super) fn prepare<R: CollectRepository + ?Sized>(
        repos: &mut R,
        fresh: &'f [AcceptedEvent<'d>],
    ) -> Result<Self, StoreError> {
        let keys: BTreeSet<Key> = fresh.iter().map(AcceptedEvent::key).collect();
        let keys: Vec<Key> = keys.into_iter().collect();
        let known = repos.list_known_errors(&keys)?;
        let known = known
            .into_iter()
            .map(|one| ((one.project_id, one.key), one));
        let mut plan = Self {
            fresh,
            known: known.collect(),
            appeared: BTreeSet::new(),
            new_users: BTreeSet::new(),
            releases: BTreeMap::new(),
        };
        plan.insert_errors(repos)?;
        plan.insert_users(repos)?;
        plan.insert_releases(repos)?;
        Ok(plan)
    }

    fn insert_errors<R: CollectRepository + ?Sized>(
        &mut self,
        repos: &mut R,
    ) -> Result<(), StoreError> {
        let mut first: Vec<&AcceptedEvent<'_>> = Vec::new();
        for one in self.fresh {
            if !self.known.contains_key(&one.key()) && self.appeared.insert(one.key()) {
                first.push(one);
            }
        }
        if first.is_empty() {
            return Ok(());
        }
        let mut wanted: BTreeMap<ProjectId, i64> = BTreeMap::new();
        for one in &first {
            *wanted.entry(one.delivery.project_id).or_default() += 1;
        }
        let wanted: Vec<(ProjectId, i64)> = wanted.into_iter().collect();
        let numbers = repos.reserve_error_numbers(&wanted)?;
        let projects = wanted.iter().map(|(project, _)| *project);
        let mut next: BTreeMap<ProjectId, i64> = projects
            .zip(numbers.iter().map(|number| number.get()))
            .collect();
        let mut errors = Vec::with_capacity(first.len());
        for one in first {
            let too_few = || StoreError::new(StoreErrorKind::Internal, "too few error numbers");
            let number = next.get_mut(&one.delivery.project_id).ok_or_else(too_few)?;
            errors.push(NewError {
                project_id: one.delivery.project_id,
                iid: ErrorIid::new(*number),
                facts: one.event.facts.clone(),
                release: one.event.release.clone(),
                first_seen: one.event.received_at,
                key: NewErrorKey {
                    key: one.event.grouping.key,
                    explanation: one.event.grouping.explanation.clone(),
                },
            });
            *number += 1;
        }
        let inserted = repos.insert_errors(&errors)?;
        let inserted = inserted
            .into_iter()
            .map(|one| ((one.project_id, one.key), one));
        self.known.extend(inserted);
        Ok(())
    }

    fn insert_users<R: CollectRepository + ?Sized>(
        &mut self,
        repos: &mut R,
    ) -> Result<(), StoreError> {
        let seen: BTreeSet<(ErrorKeyId, UserMark)> = self
            .fresh
            .iter()
            .filter_map(|one| Some((self.known.get(&one.key())?.key_id, one.event.user?)))
            .collect();
        if seen.is_empty() {
            return Ok(());
        }
        let seen: Vec<_> = seen.into_iter().collect();
        let known = self.known.values();
        let errors: BTreeMap<ErrorKeyId, ErrorId> =
            known.map(|one| (one.key_id, one.error_id)).collect();
        // A user who saw an error by two of its keys at once is one user.
        let new = repos.insert_error_users(&seen)?.into_iter();
        self.new_users = new
            .filter_map(|(key, user)| Some((*errors.get(&key)?, user)))
            .collect();
        Ok(())
    }

    fn insert_releases<R: CollectRepository + ?Sized>(
        &mut self,
        repos: &mut R,
    ) -> Result<(), StoreError> {
        let mut seen: BTreeMap<(ProjectId, String), Timestamp> = BTreeMap::new();
        for one in self.fresh {
            if let Some(release) = &one.event.release {
                let key = (one.delivery.project_id, release.clone());
                seen.entry(key).or_insert(one.event.received_at);
            }
        }
        if seen.is_empty() {
            return Ok(());
        }
        let rows: Vec<(ProjectId, String, Timestamp)> = seen
            .into_iter()
            .map(|((project, release), at)| (project, release, at))
            .collect();
        let first_seen = repos.insert_releases(&rows)?;
        let keys = rows
            .into_iter()
            .map(|(project, release, _)| (project, release));
        self.releases = keys.zip(first_seen).collect();
        Ok(())
    }

    /// Writes the events and their effects on errors.
    pub(super) fn write<R: CollectRepository + ?Sized>(
        mut self,
        repos: &mut R,
        counts: &mut Counts,
        outcomes: &mut [CollectOutcome],
    ) -> Result<(), StoreError> {
        let mut progress: BTreeMap<_, ErrorProgress> = BTreeMap::new();
        let mut added: BTreeMap<ErrorKeyId, KeyGrowth> = BTreeMap::new();
        let mut rows = Vec::with_capacity(self.fresh.len());
        for one in self.fresh {
            let key = one.key();
            let appears = self.appeared.remove(&key);
            let (step, change) = self.apply(repos, one, appears)?;
            rows.push(step.row);
            counts.add_event(one.delivery.project_id, step.row.key_id, one.event);
            let entry = added.entry(step.row.key_id);
            let added = entry.or_insert_with(|| KeyGrowth::to(&step));
            added.events += 1;
            added.room = one.delivery.limits.events_per_error;
            match progress.get_mut(&step.progress.error_id) {
                Some(known) => join(known, step.progress),
                None => {
                    progress.insert(step.progress.error_id, step.progress);
                }
            }
            if let (Some(change), Some(outcome)) = (change, outcomes.get_mut(one.index)) {
                outcome.changes.push(change);
            }
        }
        repos.insert_error_events(&rows)?;
        let progress: Vec<ErrorProgress> = progress.into_values().collect();
        repos.advance_errors(&progress)?;
        let of_keys: Vec<(ErrorKeyId, i64)> = added
            .iter()
            .map(|(key, added)| (*key, added.events))
            .collect();
        repos.advance_error_keys(&of_keys)?;
        for (key, added) in &added {
            added.prune(repos, *key)?;
            added.delete_records(repos, *key)?;
        }
        Ok(())
    }

    /// Effect of one event, after all events before it.
    fn apply<R: CollectRepository + ?Sized>(
        &mut self,
        repos: &mut R,
        one: &AcceptedEvent<'d>,
        appears: bool,
    ) -> Result<(EventEffect<'d>, Option<ErrorChange>), StoreError> {
        let not_known = || StoreError::new(StoreErrorKind::Internal, "an error was not inserted");
        let event = one.event;
        let error = self.known.get(&one.key()).ok_or_else(not_known)?.clone();
        let is_new_user = event
            .user
            .is_some_and(|user| self.new_users.remove(&(error.error_id, user)));
        let arrival = Arrival {
            at: event.received_at,
            release: event.release.as_deref(),
            events: count(error.events + 1),
            users: count(error.users + i64::from(is_new_user)),
            is_of_newer_release: self.is_of_newer_release(repos, one, &error.status)?,
        };
        let effect = effect(&error.status, &arrival);
        let kind = match effect {
            _ if appears => Some(ErrorChangeKind::Appeared),
            StatusEffect::Nothing => None,
            StatusEffect::Regression => Some(ErrorChangeKind::Regressed),
            StatusEffect::IgnoreEnded => Some(ErrorChangeKind::Unignored),
        };
        let change = kind.map(|kind| ErrorChange {
            project_id: one.delivery.project_id,
            error_id: error.error_id,
            iid: error.iid,
            kind,
            title: event.facts.title.clone(),
            culprit: event.facts.culprit.clone(),
            level: event.facts.level,
            environment: event.environment.clone(),
            at: event.received_at,
        });
        let reopens = effect != StatusEffect::Nothing;
        self.record(&error, is_new_user, reopens);
        let step = EventEffect {
            row: NewErrorEvent {
                project_id: one.delivery.project_id,
                key_id: error.key_id,
                number: error.key_events,
                event,
            },
            kept: error.key_kept,
            progress: ErrorProgress {
                error_id: error.error_id,
                events: 1,
                users: is_new_user.into(),
                facts: event.facts.clone(),
                first_release: event.release.clone(),
                release: event.release.clone(),
                last_seen: event.received_at,
                reopens,
                regressed_at: (effect == StatusEffect::Regression).then_some(event.received_at),
            },
        };
        Ok((step, change))
    }

    /// Records the effect of an event for those after it: under its own key, and under the other keys of its error.
    fn record(&mut self, error: &KnownError, is_new_user: bool, reopens: bool) {
        let same = self.known.values_mut();
        for known in same.filter(|known| known.error_id == error.error_id) {
            known.events += 1;
            known.users += i64::from(is_new_user);
            if known.key_id == error.key_id {
                known.key_events += 1;
                known.key_kept += 1;
            }
            if reopens {
                known.status = Status::Unresolved;
            }
        }
    }

    fn is_of_newer_release<R: CollectRepository + ?Sized>(
        &mut self,
        repos: &mut R,
        one: &AcceptedEvent<'_>,
        status: &Status,
    ) -> Result<bool, StoreError> {
        let named = match status {
            Status::Resolved(Resolution::InRelease(named) | Resolution::AfterRelease(named)) => {
                named
            }
            Status::Resolved(Resolution::Now) | Status::Unresolved | Status::Ignored(_) => {
                return Ok(false);
            }
        };
        let Some(release) = &one.event.release else {
            return Ok(false);
        };
        let project = one.delivery.project_id;
        let named = (project, named.clone());
        let first_seen = match self.releases.get(&named) {
            Some(at) => Some(*at),
            None => repos.find_release(project, &named.1)?,
        };
        let own = self.releases.get(&(project, release.clone()));
        Ok(first_seen.zip(own).is_some_and(|(named, own)| *own > named))
    }
}

impl AcceptedEvent<'_> {
    fn key(&self) -> Key {
        (self.delivery.project_id, self.key)
    }
}

/// Effect of one event.
struct EventEffect<'d> {
    row: NewErrorEvent<'d>,
    /// Number of events of its key that were kept before it.
    kept: i64,
    progress: ErrorProgress,
}

/// Events added to a key.
struct KeyGrowth {
    /// Number of events before.
    before: i64,
    /// Number of events before that are kept.
    kept: i64,
    /// Number of added events.
    events: i64,
    /// Number of events that may be kept.
    room: u32,
}

impl KeyGrowth {
    fn to(step: &EventEffect<'_>) -> Self {
        Self {
            before: step.row.number,
            kept: step.kept,
            events: 0,
            room: 0,
        }
    }

    /// Prunes events if there are too many.
    /// Waits for a quarter more than the limit, so that most requests need not prune.
    fn prune<R: CollectRepository + ?Sized>(
        &self,
        repos: &mut R,
        key: ErrorKeyId,
    ) -> Result<(), StoreError> {
        let room = i64::from(self.room);
        let kept = self.kept + self.events;
        if kept <= room + room / 4 {
            return Ok(());
        }
        let total = self.before + self.events;
        let min_priority = min_priority(count(total), count(room));
        let ends = i64::try_from(KEPT_AT_ENDS).unwrap_or(i64::MAX);
        repos.prune_samples(key, ends..total - ends, min_priority)?;
        Ok(())
    }

    /// Deletes the records of events that are no longer kept, except for the latest ones.
    fn delete_records<R: CollectRepository + ?Sized>(
        &self,
        repos: &mut R,
        key: ErrorKeyId,
    ) -> Result<(), StoreError> {
        if let Some((below, most)) = deletable_records(count(self.before), count(self.events)) {
            let below = i64::try_from(below).unwrap_or(i64::MAX);
            repos.delete_event_records(key, below, most)?;
        }
        Ok(())
    }
}

/// Adds the effect of a later event to that of earlier ones.
fn join(known: &mut ErrorProgress, later: ErrorProgress) {
    known.events += later.events;
    known.users += later.users;
    known.facts = later.facts;
    known.first_release = known.first_release.take().or(later.first_release);
    known.release = later.release.or(known.release.take());
    known.last_seen = known.last_seen.max(later.last_seen);
    known.reopens |= later.reopens;
    known.regressed_at = later.regressed_at.or(known.regressed_at);
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
