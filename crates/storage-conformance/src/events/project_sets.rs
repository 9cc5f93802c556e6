//! The entries of a set of projects.

use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::SortOrder;
use api_conventions::time::CalendarDate;
use events::{Audience, AuthoredEvent, Days, EventIdRange, NewEvent, ProjectSetFilter};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};
use crate::samples::timestamp;

const DAY: i64 = 86_400;

/// Number of entries.
/// They are numbered by their authors, ten a day.
const COUNT: i64 = 60;

/// The project of an entry: one of seven, of which some have many entries and some have few.
fn project_of(number: i64) -> ProjectId {
    ProjectId::new(1 + (number * number / 3) % 7)
}

fn audience_of(number: i64) -> Audience {
    match number % 3 {
        0 => Audience::Everyone,
        1 => Audience::Reporters,
        _ => Audience::Developers,
    }
}

fn write(store: &Events) {
    let entries = (0..COUNT).map(|number| NewEvent {
        audience: audience_of(number),
        created_at: timestamp(number / 10 * DAY),
        ..entry(project_of(number), number)
    });
    let entries: Vec<NewEvent> = entries.collect();
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
}

fn list(store: &Events, filter: &ProjectSetFilter, limit: usize) -> Vec<AuthoredEvent> {
    let filter = filter.clone();
    let listed = store.query(move |tx| tx.list_events_of_projects(&filter, limit));
    listed.wait().unwrap()
}

fn filter(project_ids: &[i64], sort: SortOrder) -> ProjectSetFilter {
    ProjectSetFilter {
        project_ids: project_ids.iter().map(|id| ProjectId::new(*id)).collect(),
        days: Days::default(),
        ids: EventIdRange::default(),
        sort,
        after_id: None,
    }
}

/// Numbers of entries, each with its audience.
fn numbers(entries: &[AuthoredEvent]) -> Vec<(i64, Audience)> {
    let entries = entries.iter();
    entries
        .map(|one| (one.event.author_id.get(), one.audience))
        .collect()
}

/// Numbers of the entries that a list contains.
fn expected(filter: &ProjectSetFilter) -> Vec<(i64, Audience)> {
    let is_listed = |number: &i64| {
        filter.project_ids.contains(&project_of(*number))
            && filter.days.contains(timestamp(number / 10 * DAY))
    };
    let mut all: Vec<_> = (0..COUNT)
        .filter(is_listed)
        .map(|number| (number, audience_of(number)))
        .collect();
    if filter.sort == SortOrder::Descending {
        all.reverse();
    }
    all
}

/// Sets of projects: some, all with an unknown one, one, and none.
const SETS: [&[i64]; 4] = [&[5, 2, 1, 4], &[1, 2, 3, 4, 5, 6, 7, 99], &[3], &[]];

pub(super) fn e15_the_entries_of_a_set_of_projects_are_listed_in_one_order(
    harness: &mut AreaHarness<Events>,
) {
    let store = harness.store();
    write(store);
    for set in SETS {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            for limit in [1, 2, 7, 100] {
                let mut filter = filter(set, sort);
                let mut all = Vec::new();
                loop {
                    let batch = list(store, &filter, limit);
                    assert!(batch.len() <= limit, "{filter:?}");
                    all.extend(numbers(&batch));
                    let Some(last) = batch.last() else { break };
                    assert_eq!(
                        last.event.project_id,
                        project_of(last.event.author_id.get())
                    );
                    filter.after_id = Some(last.event.id);
                }
                assert_eq!(all, expected(&filter), "{filter:?} {limit}");
            }
        }
    }
}

pub(super) fn e16_days_limit_the_entries_of_a_set_of_projects(harness: &mut AreaHarness<Events>) {
    let store = harness.store();
    write(store);
    let day = |number: i64| timestamp(number * DAY).date();
    let ranges = [
        (None, Some(day(3))),
        (Some(day(3)), None),
        (Some(day(1)), Some(day(4))),
        (Some(day(2)), Some(day(3))),
        (Some(day(9)), None),
        (CalendarDate::parse("9999-12-31"), None),
        (None, Some(day(0))),
    ];
    for set in SETS {
        for (after, before) in ranges {
            let days = Days { before, after };
            let project_ids = filter(set, SortOrder::Ascending).project_ids;
            let found = store.query(move |tx| tx.find_event_ids(&project_ids, days));
            let found = found.wait().unwrap();
            for sort in [SortOrder::Ascending, SortOrder::Descending] {
                // A store that is given no range lists the same.
                for ids in [found, EventIdRange::default()] {
                    let filter = ProjectSetFilter {
                        days,
                        ids,
                        ..filter(set, sort)
                    };
                    let all = list(store, &filter, 100);
                    assert_eq!(numbers(&all), expected(&filter), "{filter:?}");
                    let first = list(store, &filter, 3);
                    assert_eq!(first, all[..all.len().min(3)], "{filter:?}");
                }
            }
        }
    }
    let all = list(store, &filter(&[1, 2], SortOrder::Ascending), 100);
    let ids = |range: std::ops::Range<usize>| EventIdRange {
        first: Some(all[range.start].event.id),
        end: Some(EventId::new(all[range.end - 1].event.id.get() + 1)),
    };
    for sort in [SortOrder::Ascending, SortOrder::Descending] {
        let some = ProjectSetFilter {
            ids: ids(2..5),
            ..filter(&[1, 2], sort)
        };
        let mut listed = list(store, &some, 100);
        listed.sort_unstable_by_key(|one| one.event.id);
        assert_eq!(listed, all[2..5]);
    }
    // Ranges with fewer ids than there are projects.
    let many: Vec<i64> = (1..100).collect();
    let all = list(store, &filter(&many, SortOrder::Ascending), 100);
    for (place, one) in all.iter().enumerate() {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            let some = ProjectSetFilter {
                ids: EventIdRange {
                    first: Some(one.event.id),
                    end: Some(EventId::new(one.event.id.get() + 2)),
                },
                ..filter(&many, sort)
            };
            let mut listed = list(store, &some, 100);
            listed.sort_unstable_by_key(|one| one.event.id);
            assert_eq!(listed, all[place..all.len().min(place + 2)]);
        }
    }
}
