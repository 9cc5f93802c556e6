//! How events are stored.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use api_conventions::ids::{ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::grouping::GroupKey;
use error_tracking::model::{ErrorComment, EventId, SessionSum, Tally, UserMark};
use error_tracking::rules::life::Status;
use error_tracking::store::{
    CollectRepository, ErrorProgress, HourCount, KnownError, NewAttachment, NewComment, NewError,
    NewErrorEvent, TagProgress,
};
use storage::StoreError;

use super::{AttachmentRow, TagRow};
use crate::store::MemoryWriteTx;

impl CollectRepository for MemoryWriteTx<'_> {
    /// Write transactions run one after the other, so there is nothing to lock.
    fn lock_errors(&mut self, _: &[ProjectId]) -> Result<(), StoreError> {
        Ok(())
    }

    fn list_stored_events(
        &mut self,
        events: &[(ProjectId, EventId)],
    ) -> Result<Vec<(ProjectId, EventId)>, StoreError> {
        let stored = &self.0.errors.events_by_id;
        let found = events.iter().filter(|event| stored.contains_key(event));
        Ok(found.copied().collect())
    }

    fn list_known_errors(
        &mut self,
        keys: &[(ProjectId, GroupKey)],
    ) -> Result<Vec<KnownError>, StoreError> {
        let tables = &self.0.errors;
        let mut counts: BTreeMap<ErrorId, i64> = BTreeMap::new();
        for row in tables.keys.rows() {
            *counts.entry(row.key.error_id).or_default() += 1;
        }
        let ids = keys.iter().filter_map(|key| tables.keys_by_digest.get(key));
        let rows = ids.filter_map(|id| tables.keys.get(*id));
        let known = rows.filter_map(|row| {
            let keys = counts.get(&row.key.error_id)?;
            tables.known(row, *keys)
        });
        Ok(known.collect())
    }

    fn reserve_error_numbers(
        &mut self,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<ErrorIid>, StoreError> {
        let tables = &mut self.0.errors;
        let wanted = wanted.iter();
        Ok(wanted
            .map(|(project, count)| tables.reserve(*project, *count))
            .collect())
    }

    fn insert_errors(&mut self, errors: &[NewError]) -> Result<Vec<KnownError>, StoreError> {
        let tables = &mut self.0.errors;
        let mut inserted = Vec::with_capacity(errors.len());
        for new in errors {
            let key = tables.insert_error(new)?;
            let row = tables.keys.get(key);
            inserted.extend(row.and_then(|row| tables.known(row, 1)));
        }
        Ok(inserted)
    }

    fn insert_error_users(
        &mut self,
        seen: &[(ErrorKeyId, UserMark)],
    ) -> Result<Vec<(ErrorKeyId, UserMark)>, StoreError> {
        let tables = &mut self.0.errors;
        let is_new = |(key, user): &&(ErrorKeyId, UserMark)| !tables.has_seen(*key, *user);
        let new = seen.iter().filter(is_new).copied().collect();
        tables.users.extend(seen);
        Ok(new)
    }

    fn insert_releases(
        &mut self,
        seen: &[(ProjectId, String, Timestamp)],
    ) -> Result<Vec<Timestamp>, StoreError> {
        let releases = &mut self.0.errors.releases;
        let first_seen = seen.iter().map(|(project, release, at)| {
            let key = (*project, release.clone());
            *releases.entry(key).or_insert(*at)
        });
        Ok(first_seen.collect())
    }

    fn find_release(
        &mut self,
        project: ProjectId,
        release: &str,
    ) -> Result<Option<Timestamp>, StoreError> {
        let key = (project, release.to_owned());
        Ok(self.0.errors.releases.get(&key).copied())
    }

    fn insert_error_events(&mut self, events: &[NewErrorEvent<'_>]) -> Result<(), StoreError> {
        let tables = &mut self.0.errors;
        events
            .iter()
            .try_for_each(|event| tables.insert_event(event))
    }

    fn advance_errors(&mut self, progress: &[ErrorProgress]) -> Result<(), StoreError> {
        for step in progress {
            let Some(error) = self.0.errors.errors.get_mut(step.error_id) else {
                continue;
            };
            error.events += step.events;
            error.users += step.users;
            error.facts = step.facts.clone();
            error.last_seen = error.last_seen.max(step.last_seen);
            if error.first_release.is_none() {
                error.first_release.clone_from(&step.first_release);
            }
            if step.release.is_some() {
                error.last_release.clone_from(&step.release);
            }
            if step.reopens {
                error.state.status = Status::Unresolved;
            }
            error.regressed_at = step.regressed_at.or(error.regressed_at);
        }
        Ok(())
    }

    fn advance_error_keys(&mut self, events: &[(ErrorKeyId, i64)]) -> Result<(), StoreError> {
        for (key, more) in events {
            self.0.errors.keys.update(*key, |row| {
                row.events += more;
                row.kept += more;
            });
        }
        Ok(())
    }

    fn thin_error_events(
        &mut self,
        key: ErrorKeyId,
        numbers: Range<i64>,
        worth: u32,
    ) -> Result<usize, StoreError> {
        let tables = &mut self.0.errors;
        let going = tables.events.rows_mut().filter(|row| {
            row.summary.key_id == key
                && row.kept.is_some()
                && numbers.contains(&row.number)
                && row.number.trailing_zeros() < worth
        });
        let mut count = 0;
        let mut thinned = BTreeSet::new();
        for row in going {
            row.kept = None;
            thinned.insert((row.project_id, row.summary.event_id));
            count += 1;
        }
        let is_its = |row: &AttachmentRow| thinned.contains(&(row.project_id, row.event_id));
        tables.attachments.remove_where(usize::MAX, is_its);
        let fewer = i64::try_from(count).unwrap_or(i64::MAX);
        tables.keys.update(key, |row| row.kept -= fewer);
        Ok(count)
    }

    fn forget_error_events(
        &mut self,
        key: ErrorKeyId,
        below: i64,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let tables = &mut self.0.errors;
        let spent = tables
            .events
            .rows()
            .filter(|row| row.summary.key_id == key && row.kept.is_none() && row.number < below);
        let mut spent: Vec<_> = spent
            .map(|row| {
                (
                    row.number,
                    row.summary.id,
                    (row.project_id, row.summary.event_id),
                )
            })
            .collect();
        spent.sort_unstable_by_key(|(number, ..)| *number);
        spent.truncate(limit);
        for (_, id, (project, event)) in &spent {
            tables.forget_event(*id);
            let is_its = |row: &AttachmentRow| (row.project_id, row.event_id) == (*project, *event);
            tables.attachments.remove_where(usize::MAX, is_its);
            let is_its =
                |row: &ErrorComment| row.project_id == *project && row.event_id == Some(*event);
            tables.comments.remove_where(usize::MAX, is_its);
        }
        Ok(spent.len())
    }

    fn count_stored_events(
        &mut self,
        days: &[(ProjectId, CalendarDate)],
    ) -> Result<Vec<i64>, StoreError> {
        let tables = &self.0.errors;
        let days = days.iter();
        Ok(days
            .map(|(project, day)| tables.stored_on(*project, *day))
            .collect())
    }

    fn delete_old_events(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let tables = &mut self.0.errors;
        let is_old = |of: ProjectId, at: Timestamp| of == project && at < before;
        let rows = tables.events.rows();
        let old = rows.filter(|row| is_old(row.project_id, row.summary.received_at));
        let old: Vec<ErrorEventId> = old.map(|row| row.summary.id).take(limit).collect();
        for id in &old {
            tables.forget_event(*id);
        }
        let mut left = limit - old.len();
        let is_old_comment = |row: &ErrorComment| is_old(row.project_id, row.received_at);
        left -= tables.comments.remove_where(left, is_old_comment).len();
        let is_old_file = |row: &AttachmentRow| is_old(row.project_id, row.received_at);
        left -= tables.attachments.remove_where(left, is_old_file).len();
        Ok(limit - left)
    }

    fn add_error_hours(&mut self, hours: &[(ErrorKeyId, HourCount)]) -> Result<(), StoreError> {
        let sums = &mut self.0.errors.hours;
        for (key, count) in hours {
            *sums.entry((*key, count.hour)).or_default() += count.events;
        }
        Ok(())
    }

    fn add_error_tags(&mut self, tags: &[TagProgress]) -> Result<(), StoreError> {
        for tag in tags {
            let key = (tag.key_id, tag.name.clone(), tag.value.clone());
            let row = self.0.errors.tags.entry(key).or_insert(TagRow {
                events: 0,
                last_seen: tag.last_seen,
            });
            row.events += tag.events;
            row.last_seen = row.last_seen.max(tag.last_seen);
        }
        Ok(())
    }

    fn add_tallies(&mut self, tallies: &[Tally]) -> Result<(), StoreError> {
        for tally in tallies {
            let sum = self.0.errors.tallies.entry(tally.of).or_default();
            *sum = sum.saturating_add(tally.quantity);
        }
        Ok(())
    }

    fn add_session_sums(&mut self, sums: &[SessionSum]) -> Result<(), StoreError> {
        for sum in sums {
            let none = || SessionSum::none(sum.of.clone());
            let stored = self.0.errors.sessions.entry(sum.of.clone());
            stored.or_insert_with(none).add(sum);
        }
        Ok(())
    }

    fn insert_error_comments(&mut self, comments: &[NewComment<'_>]) -> Result<(), StoreError> {
        let tables = &mut self.0.errors;
        for new in comments {
            tables.insert_comment(new);
        }
        Ok(())
    }

    fn insert_attachments(&mut self, files: &[NewAttachment<'_>]) -> Result<(), StoreError> {
        let tables = &mut self.0.errors;
        for new in files {
            tables.insert_attachment(new);
        }
        Ok(())
    }
}
