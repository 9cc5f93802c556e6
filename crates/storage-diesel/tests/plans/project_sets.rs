//! Events of a set of very many projects, among the events of others.

use api_conventions::ids::{EventId, ProjectId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use events::{AuthoredEvent, Days, EventQueries, ProjectSetFilter};
use storage::{Store, StoreError};

use crate::recorder::{Turn, statements_of};
use crate::stores::{
    fill_postgres, fill_sqlite, pages_touched, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Number of projects in the set.
const PROJECTS: i64 = 5000;

/// Number of events: one a minute, of which every tenth is of the set, and 100,001 are of other projects.
const EVENTS: i64 = 111_112;

/// Half of the events of the set are of its first project.
const INSERT: &str = "INSERT INTO events (id, project_id, author_id, action, target_type, target_id, target_iid, audience, created_at) \
    SELECT value, CASE WHEN value % 20 = 0 THEN 1 WHEN value % 10 = 0 THEN 1 + value / 10 % 5000 ELSE 5001 + value % 300 END, \
    1, 1, 1, value, value, 0, value * CAST(60000000 AS BIGINT) FROM NUMBERS;";

fn is_in_set(number: i64) -> bool {
    number % 10 == 0
}

fn time_of(number: i64) -> Timestamp {
    Timestamp::from_micros(number * 60_000_000).unwrap()
}

/// Ranges of days: none, and one that ends and begins long before the ends of the feed.
fn ranges() -> [Days; 2] {
    let days = Days {
        after: Some(time_of(30_000).date()),
        before: Some(time_of(80_000).date()),
    };
    [Days::default(), days]
}

fn list<S>(store: &S, days: Days, sort: SortOrder, after: Option<i64>) -> Vec<AuthoredEvent>
where
    S: Store,
    for<'t> S::ReadTx<'t>: EventQueries,
{
    let project_ids: Vec<ProjectId> = (1..=PROJECTS).map(ProjectId::new).collect();
    let listed = store.read(move |tx| {
        let ids = tx.find_event_ids(&project_ids, days)?;
        let filter = ProjectSetFilter {
            project_ids,
            days,
            ids,
            sort,
            after_id: after.map(EventId::new),
        };
        tx.list_events_of_projects(&filter, 250)
    });
    let listed: Result<_, StoreError> = listed.wait();
    listed.unwrap()
}

/// Lists events from the beginning and after one, with and without days, and returns the statements with their values.
fn statements_of_lists<S>(turn: &Turn, store: &S) -> Vec<(String, String)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: EventQueries,
{
    let mut all = Vec::new();
    for days in ranges() {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            for after in [None, Some(50_000)] {
                let (listed, statements) = statements_of(turn, || list(store, days, sort, after));
                let is_listed = |number: &i64| {
                    let is_beyond = after.is_none_or(|after| match sort {
                        SortOrder::Ascending => *number > after,
                        SortOrder::Descending => *number < after,
                    });
                    is_in_set(*number) && is_beyond && days.contains(time_of(*number))
                };
                let mut expected: Vec<i64> = (1..=EVENTS).filter(is_listed).collect();
                if sort == SortOrder::Descending {
                    expected.reverse();
                }
                let listed: Vec<i64> = listed.iter().map(|one| one.event.id.get()).collect();
                assert_eq!(listed, expected[..250], "{days:?} {sort:?} {after:?}");
                let of_events = statements
                    .into_iter()
                    .filter(|(text, _)| text.contains("FROM events"));
                let of_events: Vec<_> = of_events.collect();
                // Two for the list, the newest event, and a binary search for each of the days.
                let most = if days == Days::default() { 2 } else { 40 };
                assert!(of_events.len() <= most, "{of_events:#?}");
                all.extend(of_events);
            }
        }
    }
    assert!(all.len() > 20, "{}", all.len());
    all
}

#[test]
fn events_of_many_projects_are_read_from_the_index_of_each_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, INSERT, EVENTS);
    for (query, _) in statements_of_lists(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        for step in &plan {
            // The list of ids, and at most a page of the found events.
            let is_few = step.starts_with("SCAN p ") || step.starts_with("SCAN found");
            let is_search = step.contains("(project_id=?") || step.contains("(rowid=?)");
            let is_of_rows = step.starts_with("SCAN") || step.starts_with("SEARCH");
            assert!(!is_of_rows || is_few || is_search, "{query}\n{plan:#?}");
        }
    }
}

#[test]
fn events_of_many_projects_are_read_from_the_index_of_each_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    let mut connection = fill_postgres(&database, INSERT, EVENTS);
    for (query, values) in statements_of_lists(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_scan = |line: &String| line.contains("Seq Scan on events");
        assert!(!plan.iter().any(is_scan), "{query}\n{plan:#?}");
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let (touched, plan) = pages_touched(&mut connection, &query, &values, mode);
            // A few pages for each project, however many events it has.
            assert!(touched <= 8 * PROJECTS, "{touched}\n{query}\n{plan:#?}");
        }
    }
}
