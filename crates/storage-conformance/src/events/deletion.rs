//! Deletion of the entries of a project, and of old ones.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::SortOrder;
use events::{Audience, AuthorFilter, Days, EventFilter, FeedRights, NewEvent};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};
use crate::samples::{page, timestamp};

/// The number of entries of a project, and of its author in all projects.
fn counts(store: &Events, project: ProjectId) -> [usize; 2] {
    let counted = store.query(move |tx| {
        let everything = EventFilter::new(project, FeedRights::ALL);
        let of_author = AuthorFilter {
            author_id: UserId::new(1),
            days: Days::default(),
            sort: SortOrder::Ascending,
            after_id: None,
        };
        Ok([
            tx.list_project_events(&everything, page(1, 100))?
                .items
                .len(),
            tx.list_author_events(&of_author, 100)?.len(),
        ])
    });
    counted.wait().unwrap()
}

pub(super) fn e14_a_project_that_goes_takes_its_entries_step_by_step(
    harness: &mut AreaHarness<Events>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let audiences = [
        Audience::Everyone,
        Audience::Reporters,
        Audience::Developers,
    ];
    let entries = (0..8).map(|number| NewEvent {
        audience: audiences[number % 3],
        ..entry(if number < 5 { project } else { other }, 1)
    });
    let entries: Vec<NewEvent> = entries.collect();
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
    assert_eq!(counts(store, project), [5, 8]);
    for (count, remaining) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
        let deleted = store.change(move |tx| tx.delete_events_of(project, 2));
        assert_eq!(deleted.wait().unwrap(), count, "number of deleted entries");
        assert_eq!(counts(store, project), [remaining, remaining + 3]);
    }
    assert_eq!(counts(store, other), [3, 3]);
}

/// The project and the author of the oldest entry of each project, with the projects in the order of their ids.
fn oldest(store: &Events) -> Vec<(ProjectId, UserId)> {
    let walked = store.query(|tx| {
        let (mut found, mut after) = (Vec::new(), None);
        while let Some(event) = tx.find_oldest_event(after)? {
            after = Some(event.project_id);
            found.push((event.project_id, event.author_id));
        }
        Ok(found)
    });
    walked.wait().unwrap()
}

pub(super) fn e17_old_entries_are_deleted_step_by_step(harness: &mut AreaHarness<Events>) {
    let mut projects = harness.places();
    projects.sort();
    let [project, other] = projects;
    let store = harness.store();
    assert_eq!(oldest(store), []);
    // The authors number the entries. The fifth is not older than the time; that of the other project is.
    let before = timestamp(5);
    let entries = (1..=5).map(|number| NewEvent {
        created_at: if number < 5 {
            timestamp(number)
        } else {
            before
        },
        ..entry(project, number)
    });
    let mut entries: Vec<NewEvent> = entries.collect();
    entries.push(NewEvent {
        created_at: timestamp(1),
        ..entry(other, 6)
    });
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
    let authors = |first: i64| [(project, UserId::new(first)), (other, UserId::new(6))];
    assert_eq!(oldest(store), authors(1));
    for (count, first) in [(3, 4), (1, 5), (0, 5)] {
        let deleted = store.change(move |tx| tx.delete_events_before(project, before, 3));
        assert_eq!(deleted.wait().unwrap(), count, "number of deleted entries");
        assert_eq!(oldest(store), authors(first));
    }
}
