//! Saboteurs of errors and their events.

use std::collections::BTreeSet;

use api_conventions::ids::{ClientKeyId, ErrorIid, ErrorKeyId, IssueId, ProjectId};
use api_conventions::page::OffsetPage;
use error_tracking::model::{
    ClientKey, ClientKeyChange, CounterKey, ErrorFilter, EventId, OutcomeCounter, Settings,
    TrackedError, UserMark,
};
use error_tracking::store::{CounterFilter, ErrorProgress, EventPosition};
use storage::{Locked, StoreError};

use crate::fault_injection::{Saboteur, WriteHook};

/// Finds no stored event, so each duplicate is stored again.
pub(crate) struct ForgetsEvents;

impl Saboteur for ForgetsEvents {
    fn list_stored_events(
        &self,
        _: &mut WriteHook<'_>,
        _: &[(ProjectId, EventId)],
    ) -> Result<Vec<(ProjectId, EventId)>, StoreError> {
        Ok(Vec::new())
    }
}

/// Finds only those stored events that still have their content.
pub(crate) struct ForgetsPrunedEvents;

impl Saboteur for ForgetsPrunedEvents {
    fn list_stored_events(
        &self,
        at: &mut WriteHook<'_>,
        events: &[(ProjectId, EventId)],
    ) -> Result<Vec<(ProjectId, EventId)>, StoreError> {
        let mut found = at.tx.list_stored_events(events)?;
        let mut kept = BTreeSet::new();
        for (project, event) in &found {
            let filter = ErrorFilter::new(*project);
            let page = OffsetPage::new(1, 100);
            for error in at.tx.list_errors(&filter, page)?.items {
                let position = EventPosition::WithId(*event);
                if at.tx.find_error_event(error.id, position)?.is_some() {
                    kept.insert((*project, *event));
                }
            }
        }
        found.retain(|event| kept.contains(event));
        Ok(found)
    }
}

/// Reports every user of a key other than the first one as new, as if each key counted its users separately.
pub(crate) struct CountsUsersByKey;

impl Saboteur for CountsUsersByKey {
    fn insert_error_users(
        &self,
        at: &mut WriteHook<'_>,
        seen: &[(ErrorKeyId, UserMark)],
    ) -> Result<Vec<(ErrorKeyId, UserMark)>, StoreError> {
        let mut new = at.tx.insert_error_users(seen)?;
        let later = seen.iter().filter(|(key, _)| key.get() > 1);
        let known: Vec<_> = later.filter(|one| !new.contains(one)).copied().collect();
        new.extend(known);
        Ok(new)
    }
}

/// Moves the keys of an error to another one, which counts only its own events.
pub(crate) struct LosesEventsOfMerged;

impl Saboteur for LosesEventsOfMerged {
    fn merge_errors(
        &self,
        at: &mut WriteHook<'_>,
        from: Locked<TrackedError>,
        to: Locked<TrackedError>,
    ) -> Result<TrackedError, StoreError> {
        let lost = from.events;
        let both = at.tx.merge_errors(from, to)?;
        let step = ErrorProgress {
            error_id: both.id,
            events: -lost,
            users: 0,
            facts: both.facts.clone(),
            first_release: None,
            release: None,
            last_seen: both.last_seen,
            reopens: false,
            regressed_at: None,
        };
        at.tx.advance_errors(&[step])?;
        Ok(TrackedError {
            events: both.events - lost,
            ..both
        })
    }
}

/// Disables a key instead of deleting it.
pub(crate) struct KeepsTheKey;

impl Saboteur for KeepsTheKey {
    fn delete_client_key(
        &self,
        at: &mut WriteHook<'_>,
        project: ProjectId,
        id: ClientKeyId,
    ) -> Result<Option<ClientKey>, StoreError> {
        let off = ClientKeyChange::Active(false);
        at.tx.update_client_key(project, id, off)
    }
}

/// Never removes the link between an issue and an error of an external tracker.
pub(crate) struct KeepsTheLink;

impl Saboteur for KeepsTheLink {
    fn put_external_link(
        &self,
        at: &mut WriteHook<'_>,
        locked: &Locked<Settings>,
        error: ErrorIid,
        issue: Option<IssueId>,
    ) -> Result<(), StoreError> {
        match issue {
            Some(_) => at.tx.put_external_link(locked, error, issue),
            None => Ok(()),
        }
    }
}

/// Overwrites a number of the accounting instead of adding to it.
pub(crate) struct OverwritesCounters;

impl Saboteur for OverwritesCounters {
    fn add_counters(
        &self,
        at: &mut WriteHook<'_>,
        counters: &[OutcomeCounter],
    ) -> Result<(), StoreError> {
        for counter in counters {
            let filter = CounterFilter {
                project_id: counter.of.project_id,
                from: counter.of.day,
                to: counter.of.day,
            };
            let stored = at.tx.list_counters(&filter)?;
            let same = |of: &CounterKey| stored.iter().find(|one| one.of == *of);
            let before = same(&counter.of).map_or(0, |one| one.quantity);
            at.tx.add_counters(&[OutcomeCounter {
                quantity: counter.quantity - before,
                ..*counter
            }])?;
        }
        Ok(())
    }
}

/// Gives a split error all events of the error that it was part of.
pub(crate) struct CountsBothTogether;

impl Saboteur for CountsBothTogether {
    fn split_error_key(
        &self,
        at: &mut WriteHook<'_>,
        error: Locked<TrackedError>,
        key: ErrorKeyId,
    ) -> Result<TrackedError, StoreError> {
        let events = error.events;
        let made = at.tx.split_error_key(error, key)?;
        Ok(TrackedError { events, ..made })
    }
}

/// Locks an error of another project if its own has none with this number.
pub(crate) struct MixesUpErrors;

impl Saboteur for MixesUpErrors {
    fn lock_error(
        &self,
        at: &mut WriteHook<'_>,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<Locked<TrackedError>>, StoreError> {
        let own = at.tx.lock_error(project, iid)?;
        if own.is_some() {
            return Ok(own);
        }
        at.tx.lock_error(ProjectId::new(3 - project.get()), iid)
    }
}
