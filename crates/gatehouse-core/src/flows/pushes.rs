//! Pushes that a Git front end reports, in the feed (`EVT-08`).

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use events::rules::push::fold_pushes;
use events::{Action, Audience, AuthorFilter, Days, FeedEvent, NewEvent, PushData};
use storage::StoreError;

use crate::database::{ReadTransaction, WriteTransaction};

/// Events that are read at a time.
const BATCH_SIZE: usize = 100;

/// Push to the repository of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// Project of the repository.
    pub project_id: ProjectId,
    /// User who pushed.
    pub author_id: UserId,
    /// Changed refs, in the order of the report.
    pub changes: Vec<PushData>,
    /// Refs of one kind with the same action that have an event each; one event replaces more.
    pub events_limit: u32,
    /// Current time.
    pub now: Timestamp,
}

/// Records a push in the feed. Returns its events, in order.
///
/// The events are for everyone who may fetch from the repository, which is decided when they are read: see
/// [`may_fetch`](super::git_access::may_fetch).
///
/// # Errors
/// Failures of the store.
pub fn record_push(
    tx: &mut dyn WriteTransaction,
    push: &Push,
) -> Result<Vec<FeedEvent>, StoreError> {
    let changes = fold_pushes(push.changes.clone(), push.events_limit);
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let new = changes.into_iter().map(|change| NewEvent {
        project_id: push.project_id,
        author_id: push.author_id,
        action: Action::Pushed,
        target: None,
        push: Some(change),
        audience: Audience::Everyone,
        created_at: push.now,
    });
    let new: Vec<NewEvent> = new.collect();
    tx.touch_projects(&[(push.project_id, push.now)])?;
    tx.insert_events(&new)?;
    find_recorded(tx, push, new.len())
}

/// Finds the newest push events of the author in the project at the time of the push, in order.
/// Events that others commit in the meantime are skipped.
fn find_recorded(
    tx: &mut dyn ReadTransaction,
    push: &Push,
    count: usize,
) -> Result<Vec<FeedEvent>, StoreError> {
    let mut filter = AuthorFilter {
        author_id: push.author_id,
        days: Days::default(),
        sort: SortOrder::Descending,
        after_id: None,
    };
    let is_its = |event: &FeedEvent| {
        event.project_id == push.project_id && event.created_at == push.now && event.push.is_some()
    };
    let mut found: Vec<FeedEvent> = Vec::with_capacity(count);
    while found.len() < count {
        let batch = tx.list_author_events(&filter, BATCH_SIZE)?;
        let Some(last) = batch.last() else {
            break;
        };
        filter.after_id = Some(last.event.id);
        let events = batch.into_iter().map(|one| one.event);
        let missing = count - found.len();
        found.extend(events.filter(is_its).take(missing));
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use events::{CommitRange, PushedRef, PushedRefs, RefKind};
    use storage::Store as _;
    use storage_diesel::SqliteStore;

    use super::*;

    /// Push that creates branches with the numbers of a range as names.
    fn push(project: i64, numbers: std::ops::Range<u32>) -> Push {
        let changes = numbers.map(|number| PushData {
            ref_kind: RefKind::Branch,
            refs: PushedRefs::One(PushedRef {
                name: number.to_string(),
                commits: CommitRange::Created { to: "a".repeat(40) },
                commit_count: 1,
                commit_title: None,
            }),
        });
        Push {
            project_id: ProjectId::new(project),
            author_id: UserId::new(1),
            changes: changes.collect(),
            events_limit: 1000,
            now: Timestamp::MIN,
        }
    }

    fn record(store: &SqliteStore, push: &Push) -> Vec<FeedEvent> {
        let push = push.clone();
        let recorded = store.write(move |tx| record_push(tx, &push));
        let recorded: Result<_, StoreError> = recorded.wait();
        recorded.unwrap()
    }

    #[test]
    fn the_events_of_a_push_are_returned_in_its_order() {
        let store = SqliteStore::in_memory().unwrap();
        // Other pushes of the author at the same time.
        assert_eq!(record(&store, &push(1, 0..2)).len(), 2);
        assert_eq!(record(&store, &push(2, 0..2)).len(), 2);
        let many = push(1, 0..250);
        let recorded = record(&store, &many);
        let pushes: Vec<PushData> = recorded
            .iter()
            .filter_map(|event| event.push.clone())
            .collect();
        assert_eq!(pushes, many.changes);
        let is_its = |event: &FeedEvent| event.project_id == many.project_id;
        assert!(recorded.iter().all(is_its));
        assert_eq!(record(&store, &push(1, 0..0)), []);
    }

    #[test]
    fn many_refs_have_one_event() {
        let store = SqliteStore::in_memory().unwrap();
        let many = Push {
            events_limit: 3,
            ..push(1, 0..4)
        };
        let recorded = record(&store, &many);
        let refs: Vec<u32> = recorded
            .iter()
            .filter_map(|event| event.push.as_ref().map(PushData::ref_count))
            .collect();
        assert_eq!(refs, [4]);
    }
}
