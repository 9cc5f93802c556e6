//! Storage of events.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use error_tracking::grouping::GroupKey;
use error_tracking::model::{EventId, OutcomeCounter, SessionSum, UserMark};
use error_tracking::rules::status::Status;
use error_tracking::store::{
    CollectRepository, ErrorProgress, HourCount, KnownError, NewAttachment, NewComment, NewError,
    NewErrorEvent, TagProgress,
};
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::deletion;
use super::rows::attachments_and_comments::{
    NewAttachmentRow, NewCommentRow, error_attachments, error_comments,
};
use super::rows::events::{NewEventRow, error_events};
use super::rows::keys::group_key_of;
use super::rows::{event_id_of, terms};
use super::shared;
use super::statements::{
    ADD_COUNTERS, ADD_HOURS, ADD_SESSIONS, ADD_TAGS, ADVANCE_ERRORS, ADVANCE_KEYS, COUNT_STORED,
    INSERT_ERRORS, INSERT_KEYS, INSERT_RELEASES, INSERT_USERS, KNOWN_ERRORS, KNOWN_RELEASES,
    KnownColumns, RESERVE, SEEN_USERS, STORED_EVENTS,
};
use crate::bulk::{Bulk, Hex};
use crate::transaction::row_limit;

const INSERT: &str = "insert errors";

/// Row of [`KNOWN_ERRORS`].
type KnownRow = (
    i64,
    Vec<u8>,
    i64,
    i64,
    i64,
    i64,
    i16,
    Option<String>,
    i64,
    i64,
    i64,
    i64,
);

fn known(row: KnownRow) -> Result<KnownError, StoreError> {
    let (project, key, key_id, error, iid, keys, status, terms, events, users, of_key, kept) = row;
    let wrong = |what| StoreError::inconsistent("errors", error, what);
    Ok(KnownError {
        project_id: ProjectId::new(project),
        key: group_key_of(&key).ok_or_else(|| wrong("invalid key"))?,
        key_id: ErrorKeyId::new(key_id),
        error_id: ErrorId::new(error),
        iid: ErrorIid::new(iid),
        keys,
        status: terms::status(status, terms.as_deref()).ok_or_else(|| wrong("unknown state"))?,
        events,
        users,
        key_events: of_key,
        key_kept: kept,
    })
}

/// Returns the error for an inserted row that was not returned.
fn lost() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, INSERT)
        .with_detail("an inserted row was not returned")
}

fn json(explanation: &error_tracking::grouping::Explanation) -> Result<String, StoreError> {
    serde_json::to_string(explanation).map_err(|_| lost())
}

#[for_each_database(dialect = crate::errors)]
mod database {
    impl CollectRepository for WriteTx<'_> {
        fn lock_errors(&mut self, projects: &[ProjectId]) -> Result<(), StoreError> {
            let mut ids: Vec<i64> = projects.iter().map(|id| id.get()).collect();
            ids.sort_unstable();
            dialect::lock_errors(self, &ids)
        }

        fn list_stored_events(
            &mut self,
            events: &[(ProjectId, EventId)],
        ) -> Result<Vec<(ProjectId, EventId)>, StoreError> {
            let rows = events
                .iter()
                .map(|(project, id)| (project.get(), Hex(id.as_bytes())));
            let query = Bulk::<(BigInt, Binary)>::new(&STORED_EVENTS, rows);
            let found: Vec<(i64, Vec<u8>)> = self.values("find stored events", query)?;
            let found = found
                .into_iter()
                .filter_map(|(project, id)| Some((ProjectId::new(project), event_id_of(&id)?)));
            Ok(found.collect())
        }

        fn list_known_errors(
            &mut self,
            keys: &[(ProjectId, GroupKey)],
        ) -> Result<Vec<KnownError>, StoreError> {
            let rows = keys
                .iter()
                .map(|(project, key)| (project.get(), Hex(key.as_bytes())));
            let query = Bulk::<KnownColumns>::new(&KNOWN_ERRORS, rows);
            let found: Vec<KnownRow> = self.values("find errors by key", query)?;
            found.into_iter().map(known).collect()
        }

        fn reserve_error_numbers(
            &mut self,
            wanted: &[(ProjectId, i64)],
        ) -> Result<Vec<ErrorIid>, StoreError> {
            let rows = wanted
                .iter()
                .map(|(project, count)| (project.get(), *count));
            let reserve = Bulk::<(BigInt, BigInt)>::new(&RESERVE, rows);
            let next: Vec<(i64, i64)> = self.values("reserve error numbers", reserve)?;
            let next: BTreeMap<i64, i64> = next.into_iter().collect();
            let first = |(project, count): &(ProjectId, i64)| {
                let next = next.get(&project.get()).ok_or_else(lost)?;
                Ok(ErrorIid::new(next - count))
            };
            wanted.iter().map(first).collect()
        }

        fn insert_errors(&mut self, errors: &[NewError]) -> Result<Vec<KnownError>, StoreError> {
            let rows = errors.iter().map(|new| {
                let facts = &new.facts;
                (
                    new.project_id.get(),
                    new.iid.get(),
                    &facts.title,
                    &facts.culprit,
                    &facts.location,
                    facts.level.number(),
                    &facts.platform,
                    new.first_seen.as_micros(),
                    &new.release,
                )
            });
            let insert = Bulk::<(BigInt, BigInt, BigInt)>::new(&INSERT_ERRORS, rows);
            let ids: Vec<(i64, i64, i64)> = self.values(INSERT, insert)?;
            let ids: BTreeMap<(i64, i64), i64> = ids
                .into_iter()
                .map(|(id, project, iid)| ((project, iid), id))
                .collect();
            let id_of = |new: &NewError| {
                let id = ids.get(&(new.project_id.get(), new.iid.get()));
                id.copied().ok_or_else(lost)
            };
            let mut rows = Vec::with_capacity(errors.len());
            for new in errors {
                rows.push((
                    new.project_id.get(),
                    Hex(new.key.key.as_bytes()),
                    id_of(new)?,
                    json(&new.key.explanation)?,
                    new.first_seen.as_micros(),
                ));
            }
            let insert = Bulk::<(BigInt, BigInt, Binary)>::new(&INSERT_KEYS, rows);
            let keys: Vec<(i64, i64, Vec<u8>)> = self.values("insert error keys", insert)?;
            let keys: BTreeMap<(i64, Vec<u8>), i64> = keys
                .into_iter()
                .map(|(id, project, key)| ((project, key), id))
                .collect();
            let inserted = errors.iter().map(|new| {
                let place = (new.project_id.get(), new.key.key.as_bytes().to_vec());
                Ok(KnownError {
                    project_id: new.project_id,
                    key: new.key.key,
                    key_id: ErrorKeyId::new(*keys.get(&place).ok_or_else(lost)?),
                    error_id: ErrorId::new(id_of(new)?),
                    iid: new.iid,
                    keys: 1,
                    status: Status::Unresolved,
                    events: 0,
                    users: 0,
                    key_events: 0,
                    key_kept: 0,
                })
            });
            inserted.collect()
        }

        fn insert_error_users(
            &mut self,
            seen: &[(ErrorKeyId, UserMark)],
        ) -> Result<Vec<(ErrorKeyId, UserMark)>, StoreError> {
            let rows = || {
                seen.iter()
                    .map(|(key, user)| (key.get(), Hex(user.as_bytes())))
            };
            let query = Bulk::<(BigInt, Binary)>::new(&SEEN_USERS, rows());
            let known: Vec<(i64, Vec<u8>)> = self.values("find users of errors", query)?;
            let known: BTreeSet<(i64, Vec<u8>)> = known.into_iter().collect();
            let insert = Bulk::new(&INSERT_USERS, rows());
            dialect::write(self, "insert users of errors", "error_users", insert)?;
            let is_new = |(key, user): &&(ErrorKeyId, UserMark)| {
                !known.contains(&(key.get(), user.as_bytes().to_vec()))
            };
            Ok(seen.iter().filter(is_new).copied().collect())
        }

        fn insert_releases(
            &mut self,
            seen: &[(ProjectId, String, Timestamp)],
        ) -> Result<Vec<Timestamp>, StoreError> {
            let rows = seen
                .iter()
                .map(|(project, release, _)| (project.get(), release));
            let query = Bulk::<(BigInt, Text, BigInt)>::new(&KNOWN_RELEASES, rows);
            let known: Vec<(i64, String, i64)> = self.values("find releases", query)?;
            let known: BTreeMap<(i64, String), i64> = known
                .into_iter()
                .map(|(project, release, at)| ((project, release), at))
                .collect();
            let first_seen = |(project, release, at): &(ProjectId, String, Timestamp)| {
                let known = known.get(&(project.get(), release.clone()));
                known
                    .and_then(|micros| Timestamp::from_micros(*micros))
                    .unwrap_or(*at)
            };
            let new: Vec<_> = seen
                .iter()
                .filter(|(project, release, _)| {
                    !known.contains_key(&(project.get(), release.clone()))
                })
                .map(|(project, release, at)| (project.get(), release, at.as_micros()))
                .collect();
            if !new.is_empty() {
                let insert = Bulk::new(&INSERT_RELEASES, new);
                dialect::write(self, "insert releases", "error_releases", insert)?;
            }
            Ok(seen.iter().map(first_seen).collect())
        }

        fn find_release(
            &mut self,
            project: ProjectId,
            release: &str,
        ) -> Result<Option<Timestamp>, StoreError> {
            let rows = [(project.get(), release)];
            let query = Bulk::<(BigInt, Text, BigInt)>::new(&KNOWN_RELEASES, rows);
            let known: Option<(i64, String, i64)> = self.value_if("find release", query)?;
            Ok(known.and_then(|(_, _, at)| Timestamp::from_micros(at)))
        }

        fn insert_error_events(&mut self, events: &[NewErrorEvent<'_>]) -> Result<(), StoreError> {
            let places = self.share(events)?;
            let rows = events.iter().zip(&places).map(|(event, place)| {
                let mut row = NewEventRow::from(event);
                place.note(&mut row);
                row
            });
            dialect::insert_events(self, rows.collect())
        }

        fn advance_errors(&mut self, progress: &[ErrorProgress]) -> Result<(), StoreError> {
            let rows = progress.iter().map(|step| {
                let facts = &step.facts;
                (
                    step.error_id.get(),
                    step.events,
                    step.users,
                    &facts.title,
                    &facts.culprit,
                    &facts.location,
                    facts.level.number(),
                    &facts.platform,
                    &step.first_release,
                    &step.release,
                    step.last_seen.as_micros(),
                    i16::from(step.reopens),
                    step.regressed_at.map(Timestamp::as_micros),
                )
            });
            let advance = Bulk::new(&ADVANCE_ERRORS, rows);
            dialect::write(self, "update errors", "errors", advance)
        }

        fn advance_error_keys(&mut self, events: &[(ErrorKeyId, i64)]) -> Result<(), StoreError> {
            let rows = events
                .iter()
                .map(|(key, events)| (key.get(), events, events));
            let advance = Bulk::new(&ADVANCE_KEYS, rows);
            dialect::write(self, "update error keys", "error_keys", advance)
        }

        fn prune_samples(
            &mut self,
            key: ErrorKeyId,
            numbers: Range<i64>,
            min_priority: u32,
        ) -> Result<usize, StoreError> {
            const THIN: &str = "prune error events";
            let step = 1_i64 << min_priority.min(62);
            // A number that is not a multiple of the step can be halved less often than `min_priority`.
            let going = format!(
                "key_id = {key} AND body IS NOT NULL AND number >= {} AND number < {} AND number % {step} <> 0",
                numbers.start, numbers.end
            );
            // The attachments of a pruned event can no longer be reached.
            let files = deletion::rows_of_events("error_attachments", &going);
            self.execute(THIN, diesel::sql_query(files))?;
            let thin = format!(
                "UPDATE error_events SET body = NULL, shared_digest = NULL, shared = NULL, title = '', release = NULL, \
                     environment = NULL WHERE {going}"
            );
            let thinned = self.execute(THIN, diesel::sql_query(thin))?;
            let rows = [(key.get(), 0, -row_limit(thinned))];
            dialect::write(self, THIN, "error_keys", Bulk::new(&ADVANCE_KEYS, rows))?;
            Ok(thinned)
        }

        fn delete_event_records(
            &mut self,
            key: ErrorKeyId,
            below: i64,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const FORGET: &str = "delete pruned error events";
            let spent = error_events::table
                .filter(error_events::key_id.eq(key.get()))
                .filter(error_events::body.is_null())
                .filter(error_events::number.lt(below))
                .order(error_events::number)
                .limit(row_limit(limit))
                .select(error_events::id);
            let spent: Vec<i64> = self.values(FORGET, spent)?;
            if spent.is_empty() {
                return Ok(0);
            }
            let ids: Vec<String> = spent.iter().map(i64::to_string).collect();
            let spent = format!("id IN ({})", ids.join(", "));
            for table in ["error_comments", "error_attachments"] {
                let delete = deletion::rows_of_events(table, &spent);
                self.execute(FORGET, diesel::sql_query(delete))?;
            }
            let delete = format!("DELETE FROM error_events WHERE {spent}");
            self.execute(FORGET, diesel::sql_query(delete))
        }

        fn count_stored_events(
            &mut self,
            days: &[(ProjectId, CalendarDate)],
        ) -> Result<Vec<i64>, StoreError> {
            let place = |(project, day): &(ProjectId, CalendarDate)| (project.get(), day.as_days());
            let query =
                Bulk::<(BigInt, BigInt, BigInt)>::new(&COUNT_STORED, days.iter().map(place));
            let counted: Vec<(i64, i64, i64)> = self.values("count stored events", query)?;
            let counted: BTreeMap<(i64, i64), i64> = counted
                .into_iter()
                .map(|(project, day, count)| ((project, day), count))
                .collect();
            let count = |day: &(ProjectId, CalendarDate)| {
                let (project, day) = place(day);
                counted
                    .get(&(project, day.into()))
                    .copied()
                    .unwrap_or_default()
            };
            Ok(days.iter().map(count).collect())
        }

        fn delete_old_events(
            &mut self,
            project: ProjectId,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete old error events";
            // Locked, so that no event is deleted that a request is about to use.
            dialect::lock_errors(self, &[project.get()])?;
            let old = error_events::table
                .filter(error_events::project_id.eq(project.get()))
                .filter(error_events::received_at.lt(before.as_micros()))
                .order(error_events::received_at)
                .limit(row_limit(limit))
                .select((
                    error_events::id,
                    error_events::key_id,
                    error_events::body.is_not_null(),
                ));
            let old: Vec<(i64, i64, bool)> = self.values(DELETE, old)?;
            let mut kept: BTreeMap<i64, i64> = BTreeMap::new();
            for (_, key, is_kept) in &old {
                *kept.entry(*key).or_default() -= i64::from(*is_kept);
            }
            let ids: Vec<i64> = old.iter().map(|(id, _, _)| *id).collect();
            let mut left = limit;
            if !ids.is_empty() {
                let rows = error_events::table.filter(error_events::id.eq_any(ids));
                left -= self.execute(DELETE, diesel::delete(rows))?;
                let rows = kept.into_iter().map(|(key, kept)| (key, 0, kept));
                dialect::write(self, DELETE, "error_keys", Bulk::new(&ADVANCE_KEYS, rows))?;
            }
            for table in ["error_comments", "error_attachments"] {
                let delete = format!(
                    "DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE project_id = {project} \
                         AND received_at < {} ORDER BY received_at LIMIT {left})",
                    before.as_micros()
                );
                left -= self.execute(DELETE, diesel::sql_query(delete))?;
            }
            left -= self.execute(DELETE, shared::delete_unused(project, before, left))?;
            Ok(limit - left)
        }

        fn add_error_hours(&mut self, hours: &[(ErrorKeyId, HourCount)]) -> Result<(), StoreError> {
            let rows = hours
                .iter()
                .map(|(key, one)| (key.get(), one.hour.as_micros(), one.events));
            let add = Bulk::new(&ADD_HOURS, rows);
            dialect::write(self, "add hourly counts of errors", "error_hours", add)
        }

        fn add_error_tags(&mut self, tags: &[TagProgress]) -> Result<(), StoreError> {
            let rows = tags.iter().map(|tag| {
                (
                    tag.key_id.get(),
                    &tag.name,
                    &tag.value,
                    tag.project_id.get(),
                    tag.events,
                    tag.last_seen.as_micros(),
                )
            });
            let add = Bulk::new(&ADD_TAGS, rows);
            dialect::write(self, "add tags of errors", "error_tags", add)
        }

        fn add_counters(&mut self, counters: &[OutcomeCounter]) -> Result<(), StoreError> {
            let rows = counters.iter().map(|counter| {
                (
                    counter.of.project_id.get(),
                    counter.of.day.as_days(),
                    counter.of.key_id.get(),
                    counter.of.category.number(),
                    counter.of.outcome.number(),
                    counter.quantity,
                )
            });
            let add = Bulk::new(&ADD_COUNTERS, rows);
            dialect::write(self, "add to counters", "error_tallies", add)
        }

        fn add_session_sums(&mut self, sums: &[SessionSum]) -> Result<(), StoreError> {
            let rows = sums.iter().map(|sum| {
                (
                    sum.of.project_id.get(),
                    sum.of.day.as_days(),
                    &sum.of.release,
                    &sum.of.environment,
                    sum.started,
                    sum.errored,
                    sum.crashed,
                    sum.abnormal,
                )
            });
            let add = Bulk::new(&ADD_SESSIONS, rows);
            dialect::write(self, "add session counts", "error_sessions", add)
        }

        fn insert_error_comments(&mut self, comments: &[NewComment<'_>]) -> Result<(), StoreError> {
            self.run("insert comments on errors", |connection| {
                for comment in comments {
                    diesel::insert_into(error_comments::table)
                        .values(NewCommentRow::from(comment))
                        .execute(connection)?;
                }
                Ok(())
            })
        }

        fn insert_attachments(&mut self, files: &[NewAttachment<'_>]) -> Result<(), StoreError> {
            self.run("insert attachments", |connection| {
                for file in files {
                    diesel::insert_into(error_attachments::table)
                        .values(NewAttachmentRow::from(file))
                        .execute(connection)?;
                }
                Ok(())
            })
        }
    }
}
