//! Entries, and pages of them.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::{CalendarDate, Timestamp};
use events::{
    Action, Audience, CustomAction, CustomTarget, EventFilter, EventTarget, FeedEvent, FeedRights,
    NewEvent, TargetType,
};
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Events};
use crate::samples::{page, timestamp};

pub(super) fn entry(project_id: ProjectId, author: i64) -> NewEvent {
    NewEvent {
        project_id,
        author_id: UserId::new(author),
        action: Action::Created,
        target: None,
        push: None,
        audience: Audience::Everyone,
        created_at: timestamp(0),
    }
}

fn write(store: &Events, entries: Vec<NewEvent>) {
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
}

fn list_page(store: &Events, filter: EventFilter, requested: OffsetPage) -> Page<FeedEvent> {
    let listed = store.query(move |tx| tx.list_project_events(&filter, requested));
    listed.wait().unwrap()
}

/// Lists the matching entries by their authors.
fn list(store: &Events, filter: EventFilter) -> Vec<i64> {
    let listed = list_page(store, filter, page(1, 100));
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    listed
        .items
        .iter()
        .map(|event| event.author_id.get())
        .collect()
}

fn upwards(project: ProjectId) -> EventFilter {
    EventFilter {
        sort: SortOrder::Ascending,
        ..EventFilter::new(project, FeedRights::ALL)
    }
}

pub(super) fn e02_entries_keep_the_order_in_which_they_were_written(
    harness: &mut AreaHarness<Events>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    // The clock may be set back between two entries: the order is still that of writing.
    for (first, seconds) in [(1, 90), (4, 10), (7, 50)] {
        let entries = (first..first + 3).map(|author| NewEvent {
            created_at: timestamp(seconds),
            ..entry(project, author)
        });
        write(store, entries.collect());
    }
    assert_eq!(list(store, upwards(project)), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let newest_first = EventFilter::new(project, FeedRights::ALL);
    assert_eq!(list(store, newest_first), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let ids = list_page(store, upwards(project), page(1, 100)).items;
    assert!(ids.is_sorted_by_key(|event| event.id.get()), "{ids:?}");
}

pub(super) fn e04_a_viewer_gets_full_pages_of_visible_entries(harness: &mut AreaHarness<Events>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let entries = (1..=30).map(|author| NewEvent {
        audience: if author % 3 == 0 {
            Audience::Everyone
        } else {
            Audience::Developers
        },
        ..entry(project, author)
    });
    write(store, entries.collect());
    let everyone = EventFilter {
        rights: FeedRights {
            audience: Audience::Everyone,
            ..FeedRights::ALL
        },
        ..upwards(project)
    };
    let first = list_page(store, everyone, page(1, 4));
    let authors: Vec<i64> = first
        .items
        .iter()
        .map(|event| event.author_id.get())
        .collect();
    assert_eq!(authors, [3, 6, 9, 12]);
    assert_eq!((first.has_next, first.total), (true, Total::Exact(10)));
    assert_eq!(
        list(store, upwards(project)).len(),
        30,
        "a Developer reads both"
    );
}

pub(super) fn e05_each_filter_holds(harness: &mut AreaHarness<Events>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let target = |kind| {
        Some(EventTarget {
            kind,
            id: 1,
            iid: 1,
            title: None,
        })
    };
    let [one_kind, other_kind] = [TargetType::Issue, TargetType::Milestone];
    let [one, other] = [Action::Updated, Action::Closed];
    let mut entries = Vec::new();
    for (author, (action, target)) in (1..).zip([
        (one, None),
        (one, target(one_kind)),
        (other, target(one_kind)),
        (other, target(other_kind)),
    ]) {
        entries.push(NewEvent {
            action,
            target,
            ..entry(project, author)
        });
    }
    write(store, entries);
    let filter = |action, target_type| EventFilter {
        action,
        target_type,
        ..upwards(project)
    };
    assert_eq!(list(store, filter(Some(one), None)), [1, 2]);
    assert_eq!(list(store, filter(None, Some(one_kind))), [2, 3]);
    assert_eq!(list(store, filter(Some(other), Some(other_kind))), [4]);
    assert_eq!(list(store, filter(Some(one), Some(other_kind))), [0; 0]);
    let new = NewEvent {
        action: Action::Pushed,
        ..entry(project, 5)
    };
    write(store, vec![new]);
    let pushes = filter(Some(Action::Pushed), None);
    assert_eq!(list(store, pushes), [5]);
    let without = |filter| EventFilter {
        rights: FeedRights {
            reads_pushes: false,
            ..FeedRights::ALL
        },
        ..filter
    };
    assert_eq!(list(store, without(pushes)), [0; 0]);
    assert_eq!(list(store, without(filter(None, None))), [1, 2, 3, 4]);
    let snippet = NewEvent {
        action: one,
        target: target(TargetType::Snippet),
        ..entry(project, 6)
    };
    write(store, vec![snippet]);
    let without = |filter| EventFilter {
        rights: FeedRights {
            reads_snippets: false,
            ..FeedRights::ALL
        },
        ..filter
    };
    let snippets = filter(None, Some(TargetType::Snippet));
    assert_eq!(list(store, snippets), [6]);
    assert_eq!(list(store, without(snippets)), [0; 0]);
    assert_eq!(list(store, without(filter(None, None))), [1, 2, 3, 4, 5]);
}

pub(super) fn e33_a_list_begins_after_any_entry(harness: &mut AreaHarness<Events>) {
    let [project, other] = harness.places();
    let store = harness.store();
    write(store, vec![entry(other, 9)]);
    let entries = (1..=6).map(|author| NewEvent {
        action: if author % 2 == 0 {
            Action::Closed
        } else {
            Action::Created
        },
        ..entry(project, author)
    });
    write(store, entries.collect());
    write(store, vec![entry(other, 9)]);
    let all = list_page(store, upwards(project), page(1, 100)).items;
    for (place, event) in (1..).zip(&all) {
        let after = |sort, action| EventFilter {
            sort,
            action,
            after_id: Some(event.id),
            ..upwards(project)
        };
        let later: Vec<i64> = (place + 1..=6).collect();
        assert_eq!(list(store, after(SortOrder::Ascending, None)), later);
        let earlier: Vec<i64> = (1..place).rev().collect();
        assert_eq!(list(store, after(SortOrder::Descending, None)), earlier);
        let closed: Vec<i64> = earlier.into_iter().filter(|one| one % 2 == 0).collect();
        let of_action = after(SortOrder::Descending, Some(Action::Closed));
        assert_eq!(list(store, of_action), closed);
    }
}

pub(super) fn e06_days_are_cut_at_midnight(harness: &mut AreaHarness<Events>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let day = |text| CalendarDate::parse(text).unwrap();
    let midnight = day("2024-02-29").start();
    let entries = (1..).zip([-1, 0, 1]).map(|(author, micros)| NewEvent {
        created_at: Timestamp::from_micros(midnight.as_micros() + micros).unwrap(),
        ..entry(project, author)
    });
    write(store, entries.collect());
    let filter = |after, before| EventFilter {
        after,
        before,
        ..upwards(project)
    };
    assert_eq!(list(store, filter(None, Some(day("2024-02-29")))), [1]);
    assert_eq!(list(store, filter(Some(day("2024-02-28")), None)), [2, 3]);
    let around = filter(Some(day("2024-02-27")), Some(day("2024-03-01")));
    assert_eq!(list(store, around), [1, 2, 3]);
    let nothing = filter(Some(day("2024-02-29")), Some(day("2024-02-28")));
    assert_eq!(list(store, nothing), [0; 0]);
    assert_eq!(list(store, filter(Some(day("9999-12-31")), None)), [0; 0]);
}

pub(super) fn e11_entries_about_a_thing_follow_it_to_another_audience(
    harness: &mut AreaHarness<Events>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let about = |kind, id| {
        Some(EventTarget {
            kind,
            id,
            iid: id,
            title: None,
        })
    };
    let entries = (1..).zip([
        (about(TargetType::Issue, 5), Audience::Everyone),
        (about(TargetType::Issue, 6), Audience::Reporters),
        (about(TargetType::Issue, 7), Audience::Everyone),
        (about(TargetType::Note, 5), Audience::Everyone),
        (about(TargetType::Issue, 5), Audience::Developers),
        (None, Audience::Everyone),
    ]);
    let entries = entries.map(|(author, (target, audience))| NewEvent {
        target,
        audience,
        ..entry(project, author)
    });
    let elsewhere = NewEvent {
        target: about(TargetType::Issue, 5),
        ..entry(other, 1)
    };
    write(store, entries.chain([elsewhere]).collect());
    let seen = |project, audience| {
        let filter = EventFilter {
            rights: FeedRights {
                audience,
                ..FeedRights::ALL
            },
            ..upwards(project)
        };
        list(store, filter)
    };
    let everyone = || seen(project, Audience::Everyone);
    assert_eq!(everyone(), [1, 3, 4, 6]);
    assert_eq!(seen(project, Audience::Reporters), [1, 2, 3, 4, 6]);
    for (audience, expected) in [
        (Audience::Reporters, &[3, 4, 6][..]),
        (Audience::Everyone, &[1, 2, 3, 4, 6]),
    ] {
        let moved = store
            .change(move |tx| tx.change_audience(project, TargetType::Issue, &[5, 6], audience));
        moved.wait().unwrap();
        assert_eq!(everyone(), expected);
        assert_eq!(seen(project, Audience::Reporters), [1, 2, 3, 4, 6]);
        assert_eq!(seen(project, Audience::Developers), [1, 2, 3, 4, 5, 6]);
        assert_eq!(seen(other, Audience::Everyone), [1]);
    }
}

pub(super) fn e13_actions_and_targets_of_a_host_are_filtered_and_follow(
    harness: &mut AreaHarness<Events>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let actions = [1000, 1001].map(|number| Action::Custom(CustomAction::new(number)));
    let kinds = [1000, 1001].map(|number| TargetType::Custom(CustomTarget::new(number)));
    let about = |kind| {
        Some(EventTarget {
            kind,
            id: 5,
            iid: 5,
            title: None,
        })
    };
    let entries = (1..).zip([
        (actions[0], about(kinds[0])),
        (actions[0], about(kinds[1])),
        (actions[1], about(TargetType::Issue)),
        (Action::Created, about(kinds[0])),
        (actions[1], None),
    ]);
    let entries = entries.map(|(author, (action, target))| NewEvent {
        action,
        target,
        ..entry(project, author)
    });
    write(store, entries.collect());
    let filter = |action, target_type| EventFilter {
        action,
        target_type,
        ..upwards(project)
    };
    assert_eq!(list(store, filter(Some(actions[0]), None)), [1, 2]);
    assert_eq!(list(store, filter(Some(actions[1]), None)), [3, 5]);
    assert_eq!(list(store, filter(None, Some(kinds[0]))), [1, 4]);
    assert_eq!(list(store, filter(Some(actions[0]), Some(kinds[1]))), [2]);
    assert_eq!(list(store, filter(Some(Action::Created), None)), [4]);
    let of_kind = kinds[0];
    let moved =
        store.change(move |tx| tx.change_audience(project, of_kind, &[5], Audience::Reporters));
    moved.wait().unwrap();
    let everyone = EventFilter {
        rights: FeedRights {
            audience: Audience::Everyone,
            ..FeedRights::ALL
        },
        ..upwards(project)
    };
    assert_eq!(list(store, everyone), [2, 3, 5]);
}
