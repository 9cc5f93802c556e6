//! Counters of requests: sums that are written once for all of them.

use std::collections::BTreeMap;

use api_conventions::ids::{ErrorKeyId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    CounterKey, EventDelivery, EventId, Outcome, OutcomeCounter, SessionSum, SessionSumKey,
};
use crate::protocol::item::Category;
use crate::store::{CollectRepository, HourCount, TagProgress};

/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;
/// Values that are counted per tag name and grouping key, among requests that are written together.
const MAX_VALUES: usize = 100;

/// Sums over a group of requests.
#[derive(Default)]
pub(super) struct Counts {
    counters: BTreeMap<CounterKey, i64>,
    sessions: BTreeMap<SessionSumKey, SessionSum>,
    hours: BTreeMap<(ErrorKeyId, i64), i64>,
    tags: BTreeMap<(ErrorKeyId, String), BTreeMap<String, TagProgress>>,
}

impl Counts {
    pub(super) fn add_counter(
        &mut self,
        delivery: &EventDelivery,
        category: Category,
        outcome: Outcome,
        quantity: i64,
    ) {
        let of = CounterKey {
            project_id: delivery.project_id,
            day: delivery.received_at.date(),
            key_id: delivery.key_id,
            category,
            outcome,
        };
        let sum = self.counters.entry(of).or_default();
        *sum = sum.saturating_add(quantity);
    }

    /// Counts the losses, comments and sessions of a request.
    pub(super) fn add_delivery(&mut self, delivery: &EventDelivery) {
        for (category, outcome, quantity) in &delivery.losses {
            self.add_counter(delivery, *category, *outcome, *quantity);
        }
        let comments = i64::try_from(delivery.comments.len()).unwrap_or(i64::MAX);
        self.add_counter(delivery, Category::Feedback, Outcome::Stored, comments);
        for session in &delivery.sessions {
            let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
            let of = SessionSumKey {
                project_id: delivery.project_id,
                release: session.release.clone(),
                environment: session.environment.clone().unwrap_or_default(),
                day: session.started_at.date(),
            };
            let sum = SessionSum {
                of: of.clone(),
                started: number(session.started),
                errored: number(session.errored),
                crashed: number(session.crashed),
                abnormal: number(session.abnormal),
            };
            self.add_counter(delivery, Category::Session, Outcome::Stored, sum.started);
            let none = || SessionSum::none(of.clone());
            self.sessions
                .entry(of.clone())
                .or_insert_with(none)
                .add(&sum);
        }
    }

    /// Counts the attachments of a request.
    /// An attachment counts as stored if its event is stored now, else with the outcome of its event. One whose event
    /// is not in the request counts as without an event.
    pub(super) fn add_files(
        &mut self,
        delivery: &EventDelivery,
        left_out: Outcome,
        is_stored: impl Fn(EventId) -> bool,
    ) {
        for file in &delivery.attachments {
            let of = file.event_id;
            let is_here = |id: &EventId| delivery.events.iter().any(|event| event.id == *id);
            let fate = match of.filter(is_here) {
                None => Outcome::WithoutEvent,
                Some(event) if is_stored(event) => Outcome::Stored,
                Some(_) => left_out,
            };
            self.add_counter(delivery, Category::Attachment, fate, 1);
        }
    }

    /// Counts a stored event.
    pub(super) fn add_event(
        &mut self,
        project_id: ProjectId,
        key_id: ErrorKeyId,
        event: &crate::model::ArrivingEvent,
    ) {
        let hour = event.received_at.as_micros().div_euclid(HOUR) * HOUR;
        *self.hours.entry((key_id, hour)).or_default() += 1;
        for (name, value) in &event.tags {
            let values = self.tags.entry((key_id, name.clone())).or_default();
            if values.len() >= MAX_VALUES && !values.contains_key(value) {
                continue;
            }
            let tag = values.entry(value.clone()).or_insert_with(|| TagProgress {
                project_id,
                key_id,
                name: name.clone(),
                value: value.clone(),
                events: 0,
                last_seen: event.received_at,
            });
            tag.events += 1;
            tag.last_seen = tag.last_seen.max(event.received_at);
        }
    }

    /// Writes all sums.
    pub(super) fn write<R: CollectRepository + ?Sized>(
        self,
        repos: &mut R,
    ) -> Result<(), StoreError> {
        let hours: Vec<(ErrorKeyId, HourCount)> = self
            .hours
            .into_iter()
            .filter_map(|((key, hour), events)| {
                let hour = Timestamp::from_micros(hour)?;
                Some((key, HourCount { hour, events }))
            })
            .collect();
        if !hours.is_empty() {
            repos.add_error_hours(&hours)?;
        }
        let tags: Vec<TagProgress> = self
            .tags
            .into_values()
            .flat_map(BTreeMap::into_values)
            .collect();
        if !tags.is_empty() {
            repos.add_error_tags(&tags)?;
        }
        let counters: Vec<OutcomeCounter> = self
            .counters
            .into_iter()
            .filter(|(_, quantity)| *quantity > 0)
            .map(|(of, quantity)| OutcomeCounter { of, quantity })
            .collect();
        if !counters.is_empty() {
            repos.add_counters(&counters)?;
        }
        let sessions: Vec<SessionSum> = self.sessions.into_values().collect();
        if !sessions.is_empty() {
            repos.add_session_sums(&sessions)?;
        }
        Ok(())
    }
}
