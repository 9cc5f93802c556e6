//! What people read of errors and their events.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use api_conventions::ids::{AttachmentId, ErrorEventId, ErrorId, ErrorIid, IssueId, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch, Total};
use api_conventions::time::Timestamp;
use error_tracking::model::{
    ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey, ErrorOrder, EventId,
    SessionSum, StatusName, StoredAttachment, TagCount, Tally, TrackedError,
};
use error_tracking::rules::life::Status;
use error_tracking::store::{
    ErrorQueries, EventPlace, EventPosition, FormerNumber, HourCount, SessionFilter, TallyFilter,
};
use storage::StoreError;

use super::Tables;
use crate::state::State;
use crate::store::MemoryTx;
use crate::table::{any_holds, page_of};

const fn name_of(status: &Status) -> StatusName {
    match status {
        Status::Unresolved => StatusName::Unresolved,
        Status::Resolved(_) => StatusName::Resolved,
        Status::Ignored(_) => StatusName::Ignored,
    }
}

impl Tables {
    /// The errors that have an event with a tag.
    fn with_tag(&self, tag: &(String, String)) -> BTreeSet<ErrorId> {
        let with_it = self.tags.keys();
        let with_it = with_it.filter(|(_, name, value)| (name, value) == (&tag.0, &tag.1));
        let keys = with_it.filter_map(|(key, ..)| self.keys.get(*key));
        keys.map(|row| row.key.error_id).collect()
    }

    /// The errors that match, in the order of their numbers.
    fn matching(&self, filter: &ErrorFilter) -> Vec<&TrackedError> {
        let tagged = filter.tags.iter().map(|tag| self.with_tag(tag));
        let tagged: Vec<BTreeSet<ErrorId>> = tagged.collect();
        let matches = |error: &TrackedError| {
            let texts = [&*error.facts.title, &*error.facts.culprit];
            let status = name_of(&error.state.status);
            let search = filter.search.as_ref();
            filter.status.is_none_or(|wanted| status == wanted)
                && filter
                    .level
                    .is_none_or(|wanted| error.facts.level == wanted)
                && tagged.iter().all(|ids| ids.contains(&error.id))
                && search.is_none_or(|part| any_holds(&texts, part))
                && (filter.assignee_id.is_none() || error.state.assignee_id == filter.assignee_id)
                && filter.seen_from.is_none_or(|from| error.last_seen >= from)
                && filter.seen_before.is_none_or(|end| error.first_seen < end)
        };
        let first = (filter.project_id, ErrorIid::new(i64::MIN));
        let last = (filter.project_id, ErrorIid::new(i64::MAX));
        let ids = self.errors_by_iid.range(first..=last);
        let errors = ids.filter_map(|(_, id)| self.errors.get(*id));
        errors.filter(|error| matches(error)).collect()
    }
}

/// Sorts by the column. What is the same in it stays as it is, in the order of the numbers.
fn sort(errors: &mut [&TrackedError], by: ErrorOrder) {
    match by {
        ErrorOrder::LastSeen => errors.sort_by_key(|error| error.last_seen),
        ErrorOrder::FirstSeen => errors.sort_by_key(|error| error.first_seen),
        ErrorOrder::Frequency => errors.sort_by_key(|error| error.events),
        ErrorOrder::Users => errors.sort_by_key(|error| error.users),
        ErrorOrder::Id => errors.sort_by_key(|error| error.id),
    }
}

impl<S: Deref<Target = State>> MemoryTx<S> {
    /// The error that an issue is about.
    pub(super) fn error_of_issue(&self, issue: IssueId) -> Option<&TrackedError> {
        let is_about = |error: &TrackedError| error.state.issue_id == Some(issue);
        self.0.errors.errors.find(is_about)
    }
}

impl<S: Deref<Target = State>> ErrorQueries for MemoryTx<S> {
    fn find_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<TrackedError>, StoreError> {
        Ok(self.0.errors.error_at(project, iid).cloned())
    }

    fn find_error_by_id(&mut self, id: ErrorId) -> Result<Option<TrackedError>, StoreError> {
        Ok(self.0.errors.errors.get(id).cloned())
    }

    fn find_merged_error(
        &mut self,
        merged: FormerNumber,
    ) -> Result<Option<TrackedError>, StoreError> {
        let tables = &self.0.errors;
        let redirect = match merged {
            FormerNumber::Iid(project, iid) => tables.redirects.get(&(project, iid)),
            FormerNumber::Id(id) => tables.redirects.values().find(|one| one.from == id),
        };
        Ok(redirect.and_then(|redirect| tables.errors.get(redirect.into).cloned()))
    }

    fn list_errors(
        &mut self,
        filter: &ErrorFilter,
        page: OffsetPage,
    ) -> Result<Page<TrackedError>, StoreError> {
        let mut matching = self.0.errors.matching(filter);
        matching.retain(|error| {
            let position = filter.order_by.position(error);
            let after = filter.after;
            after.is_none_or(|after| position.is_behind(after, filter.sort))
        });
        sort(&mut matching, filter.order_by);
        if filter.sort == SortOrder::Descending {
            matching.reverse();
        }
        Ok(page_of(matching, page))
    }

    fn walk_errors(
        &mut self,
        filter: &ErrorFilter,
        beyond: Option<ErrorId>,
        page: KeysetPage,
    ) -> Result<Stretch<TrackedError>, StoreError> {
        let mut matching = self.0.errors.matching(filter);
        matching.sort_by_key(|error| error.id);
        if page.sort() == SortOrder::Descending {
            matching.reverse();
        }
        let is_beyond = |error: &&&TrackedError| match (beyond, page.sort()) {
            (None, _) => true,
            (Some(last), SortOrder::Ascending) => error.id > last,
            (Some(last), SortOrder::Descending) => error.id < last,
        };
        let fetched = usize::try_from(page.fetch_limit()).unwrap_or(usize::MAX);
        let rows = matching.iter().filter(is_beyond).take(fetched);
        let rows = rows.map(|error| TrackedError::clone(error)).collect();
        Ok(Stretch::from_fetched(rows, page))
    }

    fn count_errors(&mut self, project: ProjectId) -> Result<[i64; 3], StoreError> {
        let mut counts = [0_i64; 3];
        for error in self.0.errors.matching(&ErrorFilter::new(project)) {
            let [unresolved, resolved, ignored] = &mut counts;
            let count = match name_of(&error.state.status) {
                StatusName::Unresolved => unresolved,
                StatusName::Resolved => resolved,
                StatusName::Ignored => ignored,
            };
            *count = (*count + 1).min(Total::COUNT_LIMIT);
        }
        Ok(counts)
    }

    fn list_error_keys(&mut self, error: ErrorId) -> Result<Vec<ErrorKey>, StoreError> {
        let keys = self.0.errors.keys_of(error);
        Ok(keys.map(|row| row.key.clone()).collect())
    }

    fn find_error_event(
        &mut self,
        error: ErrorId,
        position: EventPosition,
    ) -> Result<Option<ErrorEvent>, StoreError> {
        let tables = &self.0.errors;
        let mut kept = tables.kept_of(tables.key_ids_of(error));
        let found = match position {
            EventPosition::Latest => kept.next_back(),
            EventPosition::Oldest => kept.next(),
            EventPosition::WithId(id) => kept.find(|row| row.summary.event_id == id),
        };
        Ok(found.and_then(super::EventRow::event))
    }

    fn list_errors_of_event(
        &mut self,
        event: EventId,
        project: Option<ProjectId>,
    ) -> Result<Vec<(ProjectId, ErrorId)>, StoreError> {
        let tables = &self.0.errors;
        let events = tables.events_by_id.iter();
        let found =
            events.filter(|((of, id), _)| *id == event && project.is_none_or(|only| only == *of));
        let errors = found.filter_map(|((of, _), id)| {
            let row = tables.events.get(*id)?;
            let key = tables.keys.get(row.summary.key_id)?;
            Some((*of, key.key.error_id))
        });
        Ok(errors.take(100).collect())
    }

    fn find_event_place(
        &mut self,
        error: ErrorId,
        event: ErrorEventId,
    ) -> Result<EventPlace, StoreError> {
        let tables = &self.0.errors;
        let mut place = EventPlace::default();
        for row in tables.kept_of(tables.key_ids_of(error)) {
            if row.summary.id < event {
                place.previous = Some(row.summary.event_id);
            } else if row.summary.id > event && place.next.is_none() {
                place.next = Some(row.summary.event_id);
            }
        }
        Ok(place)
    }

    fn list_error_events(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorEventSummary>, StoreError> {
        let tables = &self.0.errors;
        let kept = tables.kept_of(tables.key_ids_of(error)).rev();
        Ok(page_of(kept.map(|row| &row.summary).collect(), page))
    }

    fn list_error_tags(
        &mut self,
        error: ErrorId,
        values: usize,
    ) -> Result<Vec<TagCount>, StoreError> {
        Ok(self.0.errors.tags_of(error, values))
    }

    fn list_error_hours(
        &mut self,
        errors: &[ErrorId],
        from: Timestamp,
    ) -> Result<Vec<(ErrorId, HourCount)>, StoreError> {
        let tables = &self.0.errors;
        let mut sums: BTreeMap<(ErrorId, Timestamp), i64> = BTreeMap::new();
        for ((key, hour), events) in tables.hours.iter().filter(|((_, hour), _)| *hour >= from) {
            let error = tables.keys.get(*key).map(|row| row.key.error_id);
            if let Some(error) = error.filter(|id| errors.contains(id)) {
                *sums.entry((error, *hour)).or_default() += events;
            }
        }
        let sums = sums.into_iter();
        Ok(sums
            .map(|((error, hour), events)| (error, HourCount { hour, events }))
            .collect())
    }

    fn list_error_comments(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorComment>, StoreError> {
        let tables = &self.0.errors;
        let kept = tables.kept_of(tables.key_ids_of(error));
        let kept: BTreeSet<(ProjectId, EventId)> = kept
            .map(|row| (row.project_id, row.summary.event_id))
            .collect();
        let is_its = |comment: &ErrorComment| {
            let event = comment.event_id;
            event.is_some_and(|event| kept.contains(&(comment.project_id, event)))
        };
        let comments = &tables.comments;
        Ok(comments.page(is_its, |_| (), SortOrder::Descending, page))
    }

    fn list_attachments(
        &mut self,
        project: ProjectId,
        event: EventId,
    ) -> Result<Vec<StoredAttachment>, StoreError> {
        Ok(self.0.errors.attachments_of(project, event))
    }

    fn find_attachment(
        &mut self,
        project: ProjectId,
        event: EventId,
        id: AttachmentId,
    ) -> Result<Option<(StoredAttachment, Vec<u8>)>, StoreError> {
        Ok(self.0.errors.attachment(project, event, id))
    }

    fn list_tallies(&mut self, filter: &TallyFilter) -> Result<Vec<Tally>, StoreError> {
        Ok(self.0.errors.tallies_of(filter))
    }

    fn list_session_sums(
        &mut self,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSum>, StoreError> {
        Ok(self.0.errors.session_sums_of(filter, limit))
    }

    fn list_releases(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<(String, Timestamp)>, StoreError> {
        Ok(self.0.errors.releases_of(project, limit))
    }
}
