//! Recording and listing of events (`EVT-03`, `EVT-04`).

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, SortOrder, Total};
use api_conventions::time::CalendarDate;
use events::flow::record::record_project_created;
use events::{Action, Audience, EventFilter, FeedRights, NewEvent, TargetType};
use storage::Store as _;

use crate::support::{DEPLOYED, FeedStore, HERE, RELEASE, VOCABULARY, at, entry};

fn all() -> EventFilter {
    EventFilter::new(HERE, FeedRights::ALL)
}

#[test]
fn a_new_project_is_an_entry_without_a_target_for_everyone() {
    let feed = FeedStore::default();
    let now = at("2024-03-01T12:00:00Z");
    let done = feed
        .0
        .write(move |tx| record_project_created(tx, HERE, UserId::new(9), now));
    done.wait().unwrap();
    let page = feed.page(
        EventFilter::new(HERE, FeedRights::LEAST),
        OffsetPage::default(),
    );
    assert_eq!((page.total, page.has_next), (Total::Exact(1), false));
    let event = page.items.first().unwrap();
    assert_eq!((event.project_id, event.author_id), (HERE, UserId::new(9)));
    assert_eq!(
        (event.action, &event.target, event.created_at),
        (Action::Created, &None, now)
    );
}

#[test]
fn entries_are_listed_newest_first_by_id_whatever_their_timestamps_say() {
    let feed = FeedStore::default();
    let timestamps = [
        "2024-03-03T00:00:00Z",
        "2024-03-01T00:00:00Z",
        "2024-03-02T00:00:00Z",
    ];
    feed.insert(
        timestamps
            .map(|timestamp| entry(Action::Created, None, timestamp))
            .to_vec(),
    );
    assert_eq!(feed.ids(all()), [3, 2, 1]);
    let ascending = EventFilter {
        sort: SortOrder::Ascending,
        ..all()
    };
    assert_eq!(feed.ids(ascending), [1, 2, 3]);
}

/// EVT-03.
#[test]
fn the_audience_is_part_of_the_query_so_pages_are_full() {
    let feed = FeedStore::default();
    for number in 0..30 {
        let audience = if number % 3 == 0 {
            Audience::Everyone
        } else {
            Audience::Developers
        };
        let event = entry(Action::Created, None, "2024-03-01T00:00:00Z");
        feed.insert(vec![NewEvent { audience, ..event }]);
    }
    let page = feed.page(
        EventFilter::new(HERE, FeedRights::LEAST),
        OffsetPage::new(1, 5),
    );
    assert_eq!(
        (page.items.len(), page.has_next, page.total),
        (5, true, Total::Exact(10))
    );
    assert_eq!(
        feed.ids(EventFilter::new(HERE, FeedRights::LEAST)).len(),
        10
    );
    assert_eq!(feed.ids(all()).len(), 30);
}

#[test]
fn projects_have_feeds_of_their_own() {
    let feed = FeedStore::default();
    let there = ProjectId::new(2);
    let event = entry(Action::Created, None, "2024-03-01T00:00:00Z");
    feed.insert(vec![
        NewEvent {
            project_id: there,
            ..event.clone()
        },
        event,
    ]);
    assert_eq!(feed.ids(all()), [2]);
    assert_eq!(feed.ids(EventFilter::new(there, FeedRights::LEAST)), [1]);
}

/// EVT-04.
#[test]
fn actions_and_kinds_of_targets_are_filtered_exactly() {
    let feed = FeedStore::default();
    let timestamp = "2024-03-01T00:00:00Z";
    feed.insert(vec![
        entry(Action::Created, Some(TargetType::Alert), timestamp),
        entry(Action::Closed, Some(TargetType::Alert), timestamp),
        entry(Action::Created, Some(TargetType::Issue), timestamp),
        entry(Action::Created, None, timestamp),
        entry(
            Action::Custom(DEPLOYED),
            Some(TargetType::Custom(RELEASE)),
            timestamp,
        ),
        entry(Action::Custom(DEPLOYED), None, timestamp),
    ]);
    let cases = [
        (Some(Action::Created), None, vec![4, 3, 1]),
        (None, Some(TargetType::Alert), vec![2, 1]),
        (Some(Action::Closed), Some(TargetType::Alert), vec![2]),
        (Some(Action::Closed), Some(TargetType::Issue), vec![]),
        (Some(Action::Reopened), None, vec![]),
        (None, Some(TargetType::Project), vec![]),
        (VOCABULARY.parse_action("deployed"), None, vec![6, 5]),
        (None, VOCABULARY.parse_target("release"), vec![5]),
    ];
    for (action, target_type, expected) in cases {
        let filter = EventFilter {
            action,
            target_type,
            ..all()
        };
        assert_eq!(feed.ids(filter), expected, "{action:?} {target_type:?}");
    }
}

/// EVT-04.
#[test]
fn both_days_are_left_out_to_the_microsecond() {
    let feed = FeedStore::default();
    let timestamps = [
        "2024-02-28T23:59:59.999999Z",
        "2024-02-29T00:00:00Z",
        "2024-02-29T23:59:59.999999Z",
        "2024-03-01T00:00:00Z",
        "2024-03-01T23:59:59.999999Z",
        "2024-03-02T00:00:00Z",
    ];
    feed.insert(
        timestamps
            .map(|timestamp| entry(Action::Created, None, timestamp))
            .to_vec(),
    );
    let cases = [
        (Some("2024-02-28"), Some("2024-03-01"), vec![3, 2]),
        (Some("2024-02-29"), None, vec![6, 5, 4]),
        (None, Some("2024-02-29"), vec![1]),
        (Some("2024-03-01"), Some("2024-03-01"), vec![]),
        (Some("2024-02-29"), Some("2024-03-01"), vec![]),
        (Some("9999-12-31"), None, vec![]),
        (None, Some("0001-01-01"), vec![]),
        (
            Some("0001-01-01"),
            Some("9999-12-31"),
            vec![6, 5, 4, 3, 2, 1],
        ),
    ];
    for (after, before, expected) in cases {
        let filter = EventFilter {
            after: after.and_then(CalendarDate::parse),
            before: before.and_then(CalendarDate::parse),
            ..all()
        };
        assert_eq!(
            feed.ids(filter),
            expected,
            "after {after:?} before {before:?}"
        );
    }
}

#[test]
fn ten_thousand_entries_are_counted_and_more_are_not() {
    let feed = FeedStore::default();
    let event = entry(Action::Created, None, "2024-03-01T00:00:00Z");
    feed.insert(vec![event.clone(); 10_000]);
    let total = || feed.page(all(), OffsetPage::default()).total;
    assert_eq!(total(), Total::Exact(10_000));
    feed.insert(vec![event]);
    assert_eq!(total(), Total::Beyond);
}
