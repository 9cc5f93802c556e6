//! Queries of errors and their events.

use std::collections::BTreeMap;

use api_conventions::ids::{AttachmentId, ErrorEventId, ErrorId, ErrorIid, ProjectId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use error_tracking::model::{
    ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey, EventId, OutcomeCounter,
    SessionSum, SessionSumKey, StatusName, StoredAttachment, TagCount, TrackedError,
};
use error_tracking::store::{
    CounterFilter, ErrorQueries, EventNeighbours, EventPosition, HourCount, MergedErrorRef,
    SessionFilter,
};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::part::ListStrategy;
use super::rows::attachments_and_comments::{
    AttachmentRow, AttachmentSummaryRow, CommentRow, error_attachments, error_comments,
};
use super::rows::errors::{ErrorRow, errors};
use super::rows::event_id_of;
use super::rows::events::{EventRow, EventSummaryRow, error_events};
use super::rows::keys::ErrorKeyRow;
use super::stored_values::{counter, day, time};
use super::tables::{error_keys, error_redirects};
use super::{EXAMINED, events, lists, too_much};
use crate::bulk::ComposedQuery;
use crate::transaction::{order_by, row_limit};
use crate::window::Window;

const LIST: &str = "list errors";

/// Maximum number of events with one id that are examined.
/// An id that several projects have is a coincidence, or was chosen on purpose.
const SAME_ID: i64 = 100;

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Lists the keys of an error, in the order of their ids.
        fn keys_of_error(&mut self, error: ErrorId) -> Result<Vec<i64>, StoreError> {
            let of_error = error_keys::table.filter(error_keys::error_id.eq(error.get()));
            let ids = of_error.order(error_keys::id).select(error_keys::id);
            self.values("list keys of error", ids)
        }

        /// Returns errors by their ids, in this order.
        pub(in crate::errors) fn errors_in_order(
            &mut self,
            ids: &[i64],
        ) -> Result<Vec<TrackedError>, StoreError> {
            let rows = errors::table.filter(errors::id.eq_any(ids.to_vec()));
            self.list_in_order::<ErrorRow>(LIST, ids, rows)
        }

        /// Refuses a list that would examine too many errors.
        fn bound_errors(&mut self, filter: &ErrorFilter) -> Result<(), StoreError> {
            if !lists::has_conditions(filter) {
                return Ok(());
            }
            let all = ErrorFilter::new(filter.project_id);
            let count: i64 = self.value(LIST, lists::count(&all, EXAMINED + 1))?;
            if count > EXAMINED {
                Err(too_much())
            } else {
                Ok(())
            }
        }
    }

    impl ::error_tracking::store::ErrorQueriesWrapper for WriteTx<'_> {}

    impl ErrorQueries for ReadTx<'_> {
        fn find_error(
            &mut self,
            project: ProjectId,
            iid: ErrorIid,
        ) -> Result<Option<TrackedError>, StoreError> {
            let error = errors::table
                .filter(errors::project_id.eq(project.get()))
                .filter(errors::iid.eq(iid.get()));
            self.find::<ErrorRow>("find error", error)
        }

        fn find_error_by_id(&mut self, id: ErrorId) -> Result<Option<TrackedError>, StoreError> {
            self.find::<ErrorRow>("find error by id", errors::table.find(id.get()))
        }

        fn find_merged_error(
            &mut self,
            merged: MergedErrorRef,
        ) -> Result<Option<TrackedError>, StoreError> {
            let mut redirect = error_redirects::table
                .select(error_redirects::error_id)
                .into_boxed();
            redirect = match merged {
                MergedErrorRef::Iid(project, iid) => redirect
                    .filter(error_redirects::project_id.eq(project.get()))
                    .filter(error_redirects::iid.eq(iid.get())),
                MergedErrorRef::Id(id) => redirect.filter(error_redirects::id.eq(id.get())),
            };
            match self.value_if::<i64>("find merged error", redirect)? {
                Some(into) => self.find_error_by_id(ErrorId::new(into)),
                None => Ok(None),
            }
        }

        fn list_recent_errors(
            &mut self,
            projects: &[ProjectId],
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<TrackedError>, StoreError> {
            self.recent_errors(projects, since, limit)
        }

        fn count_new_errors_by_environment(
            &mut self,
            project: ProjectId,
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<(String, i64)>, StoreError> {
            self.new_errors_by_environment(project, since, limit)
        }

        fn list_errors(
            &mut self,
            filter: &ErrorFilter,
            page: OffsetPage,
        ) -> Result<Page<TrackedError>, StoreError> {
            let reading = self.list_strategy(filter)?;
            if reading == ListStrategy::InParts {
                return self.errors_in_part(filter, page);
            }
            let count: i64 = self.value(LIST, lists::count(filter, Total::COUNT_LIMIT))?;
            let window = Window::of(page, count);
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let sort = window.direction(filter.sort);
            let is_few = count <= lists::FEW || reading == ListStrategy::ByTag;
            let ids = lists::ids_of(filter, is_few, sort, window.skip, window.take);
            let ids = window.in_order(self.values(LIST, ids)?);
            Ok(window.page(self.errors_in_order(&ids)?))
        }

        fn list_errors_after(
            &mut self,
            filter: &ErrorFilter,
            beyond: Option<ErrorId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<TrackedError>, StoreError> {
            self.bound_errors(filter)?;
            let ids = lists::walk(filter, beyond, page.sort(), page.fetch_limit());
            let ids: Vec<i64> = self.values(LIST, ids)?;
            Ok(KeysetSlice::from_fetched(self.errors_in_order(&ids)?, page))
        }

        fn count_errors(&mut self, project: ProjectId) -> Result<[i64; 3], StoreError> {
            let mut counts = [0; 3];
            for (status, count) in StatusName::ALL.iter().zip(&mut counts) {
                let filter = ErrorFilter {
                    status: Some(*status),
                    ..ErrorFilter::new(project)
                };
                *count = self.value("count errors", lists::count(&filter, Total::COUNT_LIMIT))?;
            }
            Ok(counts)
        }

        fn list_error_keys(&mut self, error: ErrorId) -> Result<Vec<ErrorKey>, StoreError> {
            let of_error = error_keys::table.filter(error_keys::error_id.eq(error.get()));
            self.list::<ErrorKeyRow>("list error keys", of_error.order(error_keys::id))
        }

        fn find_error_event(
            &mut self,
            error: ErrorId,
            position: EventPosition,
        ) -> Result<Option<ErrorEvent>, StoreError> {
            const FIND: &str = "find error event";
            let keys = self.keys_of_error(error)?;
            let kept = error_events::table
                .filter(error_events::key_id.eq_any(keys))
                .filter(error_events::body.is_not_null())
                .limit(1);
            let found = match position {
                EventPosition::Latest => {
                    self.find::<EventRow>(FIND, kept.order(error_events::id.desc()))?
                }
                EventPosition::Oldest => {
                    self.find::<EventRow>(FIND, kept.order(error_events::id))?
                }
                EventPosition::WithId(id) => {
                    let event = error_events::event_id.eq(id.as_bytes().to_vec());
                    let project = errors::table.find(error.get()).select(errors::project_id);
                    let Some(project) = self.value_if::<i64>(FIND, project)? else {
                        return Ok(None);
                    };
                    let of_project = error_events::project_id.eq(project);
                    self.find::<EventRow>(FIND, kept.filter(of_project).filter(event))?
                }
            };
            found.map(|found| self.with_shared(found)).transpose()
        }

        fn list_errors_of_event(
            &mut self,
            event: EventId,
            project: Option<ProjectId>,
        ) -> Result<Vec<(ProjectId, ErrorId)>, StoreError> {
            const FIND: &str = "find errors of event";
            let mut with_id = error_events::table
                .filter(error_events::event_id.eq(event.as_bytes().to_vec()))
                .select((error_events::project_id, error_events::key_id))
                .order(error_events::project_id)
                .limit(SAME_ID)
                .into_boxed();
            if let Some(project) = project {
                with_id = with_id.filter(error_events::project_id.eq(project.get()));
            }
            let places: Vec<(i64, i64)> = self.values(FIND, with_id)?;
            if places.is_empty() {
                return Ok(Vec::new());
            }
            let keys: Vec<i64> = places.iter().map(|(_, key)| *key).collect();
            let of_keys = error_keys::table
                .filter(error_keys::id.eq_any(keys))
                .select((error_keys::id, error_keys::error_id));
            let errors: Vec<(i64, i64)> = self.values(FIND, of_keys)?;
            let errors: BTreeMap<i64, i64> = errors.into_iter().collect();
            let found = places.into_iter().filter_map(|(project, key)| {
                Some((ProjectId::new(project), ErrorId::new(*errors.get(&key)?)))
            });
            Ok(found.collect())
        }

        fn find_event_neighbours(
            &mut self,
            error: ErrorId,
            event: ErrorEventId,
        ) -> Result<EventNeighbours, StoreError> {
            const FIND: &str = "find position of event";
            let keys = self.keys_of_error(error)?;
            let kept = error_events::table
                .filter(error_events::key_id.eq_any(keys))
                .filter(error_events::body.is_not_null())
                .select(error_events::event_id)
                .limit(1);
            let before = kept.clone().filter(error_events::id.lt(event.get()));
            let before = before.order(error_events::id.desc());
            let after = kept.filter(error_events::id.gt(event.get()));
            let after = after.order(error_events::id);
            let before: Option<Vec<u8>> = self.value_if(FIND, before)?;
            let after: Option<Vec<u8>> = self.value_if(FIND, after)?;
            Ok(EventNeighbours {
                previous: before.as_deref().and_then(event_id_of),
                next: after.as_deref().and_then(event_id_of),
            })
        }

        fn list_error_events(
            &mut self,
            error: ErrorId,
            page: OffsetPage,
        ) -> Result<Page<ErrorEventSummary>, StoreError> {
            let keys = self.keys_of_error(error)?;
            let ids = || {
                error_events::table
                    .filter(error_events::key_id.eq_any(keys.clone()))
                    .filter(error_events::body.is_not_null())
                    .select(error_events::id)
                    .into_boxed()
            };
            self.page::<EventSummaryRow, _, _, _>(
                "list events of error",
                page,
                SortOrder::Descending,
                ids,
                |ids, sort| order_by!(ids, sort, error_events::id),
                |ids| error_events::table.filter(error_events::id.eq_any(ids)),
            )
        }

        fn list_error_tags(
            &mut self,
            error: ErrorId,
            values: usize,
        ) -> Result<Vec<TagCount>, StoreError> {
            let rows: Vec<(String, String, i64, i64)> =
                self.values("list tags of error", events::tags(error))?;
            let mut tags: Vec<TagCount> = Vec::new();
            let mut of_name = 0;
            for (name, value, count, last_seen) in rows {
                let is_same = tags.last().is_some_and(|last| last.name == name);
                of_name = if is_same { of_name + 1 } else { 0 };
                if of_name < values {
                    tags.push(TagCount {
                        name,
                        value,
                        events: count,
                        last_seen: time("error_tags", last_seen)?,
                    });
                }
            }
            Ok(tags)
        }

        fn list_error_hours(
            &mut self,
            errors: &[ErrorId],
            from: Timestamp,
        ) -> Result<Vec<(ErrorId, HourCount)>, StoreError> {
            if errors.is_empty() {
                return Ok(Vec::new());
            }
            let rows: Vec<(i64, i64, i64)> =
                self.values("list hourly counts of errors", events::hours(errors, from))?;
            let hours = rows.into_iter().map(|(error, hour, events)| {
                let hour = time("error_hours", hour)?;
                Ok((ErrorId::new(error), HourCount { hour, events }))
            });
            hours.collect()
        }

        fn list_error_comments(
            &mut self,
            error: ErrorId,
            page: OffsetPage,
        ) -> Result<Page<ErrorComment>, StoreError> {
            const COMMENTS: &str = "list comments on error";
            let count = events::count_comments(error, Total::COUNT_LIMIT);
            let window = Window::of(page, self.value(COMMENTS, count)?);
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let direction = match window.direction(SortOrder::Descending) {
                SortOrder::Ascending => "ASC",
                SortOrder::Descending => "DESC",
            };
            let ids = events::comment_ids(error, direction, window.skip, window.take);
            let ids: Vec<i64> = window.in_order(self.values(COMMENTS, ids)?);
            let rows = error_comments::table.filter(error_comments::id.eq_any(ids.clone()));
            Ok(window.page(self.list_in_order::<CommentRow>(COMMENTS, &ids, rows)?))
        }

        fn list_attachments(
            &mut self,
            project: ProjectId,
            event: EventId,
        ) -> Result<Vec<StoredAttachment>, StoreError> {
            let files = error_attachments::table
                .filter(error_attachments::project_id.eq(project.get()))
                .filter(error_attachments::event_id.eq(event.as_bytes().to_vec()))
                .order(error_attachments::id);
            self.list::<AttachmentSummaryRow>("list attachments", files)
        }

        fn find_attachment(
            &mut self,
            project: ProjectId,
            event: EventId,
            id: AttachmentId,
        ) -> Result<Option<(StoredAttachment, Vec<u8>)>, StoreError> {
            let file = error_attachments::table
                .find(id.get())
                .filter(error_attachments::project_id.eq(project.get()))
                .filter(error_attachments::event_id.eq(event.as_bytes().to_vec()));
            self.find::<AttachmentRow>("find attachment", file)
        }

        fn list_counters(
            &mut self,
            filter: &CounterFilter,
        ) -> Result<Vec<OutcomeCounter>, StoreError> {
            let rows: Vec<(i64, i64, i16, i16, i64)> =
                self.values("list counters", events::counters(filter))?;
            let project = filter.project_id;
            rows.into_iter().map(|row| counter(project, row)).collect()
        }

        fn list_session_sums(
            &mut self,
            filter: &SessionFilter,
            limit: usize,
        ) -> Result<Vec<SessionSum>, StoreError> {
            type SessionRow = (i64, String, String, i64, i64, i64, i64);
            let query = events::sessions(filter, row_limit(limit));
            let rows: Vec<SessionRow> = self.values("list session counts", query)?;
            let sums = rows.into_iter().map(|row| {
                let (days, release, environment, started, errored, crashed, abnormal) = row;
                Ok(SessionSum {
                    of: SessionSumKey {
                        project_id: filter.project_id,
                        release,
                        environment,
                        day: day("error_sessions", days)?,
                    },
                    started,
                    errored,
                    crashed,
                    abnormal,
                })
            });
            sums.collect()
        }

        fn list_releases(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<Vec<(String, Timestamp)>, StoreError> {
            let query = ComposedQuery::<(diesel::sql_types::Text, BigInt)>::new(format!(
                "SELECT release, first_seen FROM error_releases WHERE project_id = {project} \
                     ORDER BY first_seen DESC, release DESC LIMIT {}",
                row_limit(limit)
            ));
            let rows: Vec<(String, i64)> = self.values("list releases", query)?;
            let releases = rows
                .into_iter()
                .map(|(release, at)| Ok((release, time("error_releases", at)?)));
            releases.collect()
        }
    }
}
