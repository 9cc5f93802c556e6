//! What comes beside events: files, tags, the accounting, sessions and releases.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use api_conventions::ids::{AttachmentId, ErrorId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::model::{
    ErrorComment, EventId, Outcome, SessionSum, StoredAttachment, TagCount, Tally,
};
use error_tracking::protocol::item::Category;
use error_tracking::store::{NewAttachment, NewComment, SessionFilter, TallyFilter};

use super::{AttachmentRow, Tables, TagRow};

impl Tables {
    pub(super) fn attachments_of(
        &self,
        project: ProjectId,
        event: EventId,
    ) -> Vec<StoredAttachment> {
        let rows = self.attachments.rows();
        let its = rows.filter(|row| row.project_id == project && row.event_id == event);
        its.map(|row| row.file.clone()).collect()
    }

    pub(super) fn attachment(
        &self,
        project: ProjectId,
        event: EventId,
        id: AttachmentId,
    ) -> Option<(StoredAttachment, Vec<u8>)> {
        let row = self.attachments.get(id)?;
        let is_its = row.project_id == project && row.event_id == event;
        is_its.then(|| (row.file.clone(), row.bytes.clone()))
    }

    pub(super) fn insert_attachment(&mut self, new: &NewAttachment<'_>) {
        let sent = new.attachment;
        self.attachments.insert(|id| AttachmentRow {
            project_id: new.project_id,
            event_id: new.event_id,
            received_at: new.received_at,
            file: StoredAttachment {
                id,
                filename: sent.filename.clone(),
                content_type: sent.content_type.clone(),
                kind: sent.kind.clone(),
                size: i64::try_from(sent.bytes.len()).unwrap_or(i64::MAX),
            },
            bytes: sent.bytes.clone(),
        });
    }

    pub(super) fn insert_comment(&mut self, new: &NewComment<'_>) {
        let written = new.comment;
        self.comments.insert(|id| ErrorComment {
            id,
            project_id: new.project_id,
            event_id: written.event_id,
            received_at: new.received_at,
            name: written.name.clone(),
            email: written.email.clone(),
            text: written.text.clone(),
            url: written.url.clone(),
        });
    }

    /// The tags of an error, each name with the values that most events have first.
    pub(super) fn tags_of(&self, error: ErrorId, values: usize) -> Vec<TagCount> {
        let keys = self.key_ids_of(error);
        let mut sums: BTreeMap<(&str, &str), TagRow> = BTreeMap::new();
        let tags = self.tags.iter();
        for ((_, name, value), row) in tags.filter(|((key, ..), _)| keys.contains(key)) {
            let none = TagRow {
                events: 0,
                last_seen: row.last_seen,
            };
            let sum = sums.entry((name, value)).or_insert(none);
            sum.events += row.events;
            sum.last_seen = sum.last_seen.max(row.last_seen);
        }
        let mut counts: Vec<TagCount> = sums
            .into_iter()
            .map(|((name, value), sum)| TagCount {
                name: name.to_owned(),
                value: value.to_owned(),
                events: sum.events,
                last_seen: sum.last_seen,
            })
            .collect();
        counts.sort_by(|one, next| {
            let key = |tag: &TagCount| Reverse(tag.events);
            (&one.name, key(one), &one.value).cmp(&(&next.name, key(next), &next.value))
        });
        let mut of_name: BTreeMap<String, usize> = BTreeMap::new();
        counts.retain(|tag| {
            let count = of_name.entry(tag.name.clone()).or_default();
            *count += 1;
            *count <= values
        });
        counts
    }

    pub(super) fn tallies_of(&self, filter: &TallyFilter) -> Vec<Tally> {
        let days = filter.from..=filter.to;
        let tallies = self.tallies.iter();
        let tallies = tallies.map(|(of, quantity)| Tally {
            of: *of,
            quantity: *quantity,
        });
        tallies
            .filter(|one| one.of.project_id == filter.project_id && days.contains(&one.of.day))
            .collect()
    }

    /// The events of a project that were stored on a day, as the accounting says.
    pub(super) fn stored_on(&self, project: ProjectId, day: CalendarDate) -> i64 {
        let stored = self.tallies.iter().filter(|(of, _)| {
            let is_stored_event = (of.category, of.outcome) == (Category::Error, Outcome::Stored);
            is_stored_event && (of.project_id, of.day) == (project, day)
        });
        stored.map(|(_, quantity)| quantity).sum()
    }

    pub(super) fn session_sums_of(&self, filter: &SessionFilter, limit: usize) -> Vec<SessionSum> {
        let days = filter.from..=filter.to;
        let release = filter.release.as_ref();
        let sums = self.sessions.values();
        let mut sums: Vec<&SessionSum> = sums
            .filter(|sum| sum.of.project_id == filter.project_id && days.contains(&sum.of.day))
            .filter(|sum| release.is_none_or(|release| sum.of.release == *release))
            .collect();
        // They come in the order of releases and environments, and the sort keeps that where the day is the same.
        sums.sort_by_key(|sum| Reverse(sum.of.day));
        sums.into_iter().take(limit).cloned().collect()
    }

    pub(super) fn releases_of(&self, project: ProjectId, limit: usize) -> Vec<(String, Timestamp)> {
        let releases = self.releases.iter().filter(|((of, _), _)| *of == project);
        let releases = releases.map(|((_, release), at)| (release.clone(), *at));
        let mut releases: Vec<(String, Timestamp)> = releases.collect();
        releases.sort_by_key(|(_, at)| Reverse(*at));
        releases.truncate(limit);
        releases
    }
}
