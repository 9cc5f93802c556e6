//! Query plans of all lists, with every filter and order.

use accounts::AccountRepository;
use alert_intake::model::Severity;
use alert_intake::model::{AlertFilter, AlertOrder, NewReceipt, ReceiptCounts, SenderContext};
use alert_intake::store::{AlertQueries, AlertRepository};
use api_conventions::access::Visibility;
use api_conventions::ids::{AlertIid, EventId, IntegrationId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, SortOrder};
use api_conventions::time::{CalendarDate, Timestamp};
use events::{
    Action, Audience, AuthorFilter, Days, EventFilter, EventQueries, EventRepository, EventTarget,
    FeedRights, NewEvent, TargetType,
};
use projects::{
    NewProject, ProjectFilter, ProjectOrder, ProjectQueries, ProjectRepository, Viewer,
};
use storage::{Store, StoreError};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, group, insert_alerts, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Inserts rows of every listed kind.
pub(crate) fn populate<S>(store: &S)
where
    S: Store,
    for<'t> S::WriteTx<'t>:
        AccountRepository + ProjectRepository + AlertRepository + EventRepository,
{
    let made = store.write(|tx| {
        let (owner, namespace) = group(tx);
        for number in 0..3 {
            tx.insert_project(&NewProject {
                namespace: namespace.clone(),
                name: format!("P{number}"),
                path: format!("p{number}"),
                description: String::new(),
                visibility: Visibility::Public,
                topics: Vec::new(),
                settings: projects::ProjectSettings::default(),
                creator_id: owner,
                created_at: Timestamp::MIN,
            })?;
        }
        let receipt = NewReceipt {
            project_id: PROJECT,
            integration_id: IntegrationId::new(1),
            received_at: Timestamp::MIN,
            body_bytes: 1,
            counts: ReceiptCounts::default(),
            context: SenderContext::default(),
            refusal: None,
        };
        tx.insert_receipts(&vec![receipt; 5])?;
        let entry = NewEvent {
            project_id: PROJECT,
            author_id: owner,
            action: Action::Created,
            target: Some(EventTarget {
                kind: TargetType::Alert,
                id: 1,
                iid: 1,
                title: None,
            }),
            audience: Audience::Developers,
            push: None,
            created_at: CalendarDate::parse("2024-05-01").unwrap().start(),
        };
        tx.insert_events(&vec![entry; 64])?;
        Ok::<_, StoreError>(())
    });
    made.wait().unwrap();
    insert_alerts(store, 48);
}

/// Returns filters of alerts by status and severity, in all directions and orders.
fn indexed_filters() -> Vec<AlertFilter> {
    let mut filters = Vec::new();
    for statuses in [vec![], vec![1], vec![0, 3]] {
        for severities in [
            vec![],
            vec![Severity::Critical],
            vec![Severity::Low, Severity::High],
        ] {
            for order_by in [
                AlertOrder::Created,
                AlertOrder::StartedAt,
                AlertOrder::UpdatedAt,
                AlertOrder::Severity,
                AlertOrder::Occurrences,
            ] {
                for sort in [SortOrder::Ascending, SortOrder::Descending] {
                    filters.push(AlertFilter {
                        statuses: statuses.clone(),
                        severities: severities.clone(),
                        order_by,
                        sort,
                        ..AlertFilter::new(PROJECT)
                    });
                }
            }
        }
    }
    for order_by in [AlertOrder::Created, AlertOrder::Severity] {
        let of_project = AlertFilter {
            order_by,
            ..AlertFilter::new(PROJECT)
        };
        filters.push(AlertFilter {
            assignee_id: Some(UserId::new(1)),
            ..of_project.clone()
        });
        filters.push(AlertFilter {
            environment: Some("production".to_owned()),
            statuses: vec![0, 1],
            ..of_project
        });
    }
    filters
}

/// Returns every order of projects, for every kind of viewer, with and without a search and a visibility.
fn project_filters() -> Vec<ProjectFilter> {
    let mut filters = Vec::new();
    for order_by in [
        ProjectOrder::Id,
        ProjectOrder::Name,
        ProjectOrder::Path,
        ProjectOrder::CreatedAt,
        ProjectOrder::UpdatedAt,
        ProjectOrder::LastActivityAt,
    ] {
        for viewer in [
            Viewer::Administrator(UserId::new(1)),
            Viewer::User(UserId::new(1)),
            Viewer::Anonymous,
        ] {
            let all = ProjectFilter {
                order_by,
                ..ProjectFilter::new(viewer)
            };
            filters.push(ProjectFilter {
                search: Some("p".to_owned()),
                ..all.clone()
            });
            filters.push(ProjectFilter {
                visibility: Some(Visibility::Public),
                ..all.clone()
            });
            filters.push(all);
        }
    }
    filters
}

/// Returns the queries of keyset pages of alerts in both directions, and of the counts by status.
fn keyset_pages_of_alerts<S>(turn: &Turn, store: &S) -> Vec<(SortOrder, Vec<String>)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AlertQueries,
{
    let page = |sort| {
        let filter = AlertFilter {
            statuses: vec![0, 1],
            ..AlertFilter::new(PROJECT)
        };
        let beyond = Some(AlertIid::new(20));
        let (listed, queries) = queries_of(turn, || {
            let read = store.read(move |tx| {
                tx.count_alerts(&filter)?;
                tx.list_alerts_after(&filter, beyond, KeysetPage::new(5, sort))
            });
            read.wait()
        });
        assert!(listed.unwrap().items.len() <= 5);
        (sort, queries)
    };
    [SortOrder::Ascending, SortOrder::Descending]
        .map(page)
        .to_vec()
}

/// Returns the queries of all lists whose cost depends only on the rows of the page, each with the name of its list.
fn queries_of_indexed_lists<S>(turn: &Turn, store: &S) -> Vec<(String, String)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AlertQueries + EventQueries + ProjectQueries,
{
    let page = OffsetPage::new(1, 5);
    let mut all = Vec::new();
    let mut note = |name: String, queries: Vec<String>| {
        all.extend(queries.into_iter().map(|query| (name.clone(), query)));
    };
    for filter in indexed_filters() {
        let name = format!("{filter:?}");
        let listed = || store.read(move |tx| tx.list_alerts(&filter, page)).wait();
        let (listed, queries) = queries_of(turn, listed);
        assert!(listed.unwrap().items.len() <= 5);
        note(name, queries);
    }
    for (sort, queries) in keyset_pages_of_alerts(turn, store) {
        note(format!("keyset page of alerts, {sort:?}"), queries);
    }
    let (listed, queries) = queries_of(turn, || {
        store.read(move |tx| tx.list_receipts(PROJECT, page)).wait()
    });
    assert_eq!(listed.unwrap().items.len(), 5);
    note("receipts".to_owned(), queries);
    for audience in [
        Audience::Everyone,
        Audience::Reporters,
        Audience::Developers,
    ] {
        for (action, target_type) in [
            (None, None),
            (Some(Action::Merged), None),
            (None, Some(TargetType::Issue)),
        ] {
            let filter = EventFilter {
                action,
                target_type,
                before: CalendarDate::parse("2024-06-01"),
                after: CalendarDate::parse("2024-04-01"),
                ..EventFilter::new(
                    PROJECT,
                    FeedRights {
                        audience,
                        ..FeedRights::ALL
                    },
                )
            };
            let listed = || {
                store
                    .read(move |tx| tx.list_project_events(&filter, page))
                    .wait()
            };
            let (listed, queries) = queries_of(turn, listed);
            listed.unwrap();
            note(format!("{filter:?}"), queries);
        }
    }
    for sort in [SortOrder::Ascending, SortOrder::Descending] {
        let filter = AuthorFilter {
            author_id: UserId::new(1),
            days: Days {
                before: CalendarDate::parse("2024-06-01"),
                after: CalendarDate::parse("2024-04-01"),
            },
            sort,
            after_id: Some(EventId::new(9)),
        };
        let listed = || {
            store
                .read(move |tx| tx.list_author_events(&filter, 5))
                .wait()
        };
        let (listed, queries) = queries_of(turn, listed);
        assert_eq!(listed.unwrap().len(), 5);
        note(format!("{filter:?}"), queries);
    }
    let (oldest, queries) = queries_of(turn, || store.read(|tx| tx.find_oldest_event(None)).wait());
    assert_eq!(oldest.unwrap().unwrap().project_id, PROJECT);
    note("oldest event".to_owned(), queries);
    let (state, queries) = queries_of(turn, || store.read(|tx| tx.event_id_state()).wait());
    assert_eq!(state.unwrap().last_assigned, EventId::new(64));
    assert!(
        queries.iter().all(|query| !query.contains("FROM events")),
        "{queries:?}"
    );
    for filter in project_filters() {
        let name = format!("{filter:?}");
        let today = CalendarDate::parse("2024-05-01").unwrap();
        let listed = || {
            store
                .read(move |tx| tx.list_projects(&filter, today, page))
                .wait()
        };
        let (listed, queries) = queries_of(turn, listed);
        assert_eq!(listed.unwrap().items.len(), 3);
        note(name, queries);
    }
    all
}

/// True for queries that find a page or count it, false for those that read its rows.
fn is_of_the_list(query: &str) -> bool {
    let owners = [
        "author_id` =",
        "author_id\" =",
        "project_id` >",
        "project_id\" >",
    ];
    query.contains("OFFSET")
        || query.contains("COUNT(")
        || owners.iter().any(|column| query.contains(column))
}

#[test]
fn no_list_scans_or_sorts_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    populate(&store);
    let queries = queries_of_indexed_lists(&turn, &store);
    assert!(queries.len() > 100, "{}", queries.len());
    for (name, query) in queries.iter().filter(|(_, query)| is_of_the_list(query)) {
        let plan = plan_on_sqlite(&file, query);
        for step in &plan {
            let scans = step.starts_with("SCAN alerts")
                || step.starts_with("SCAN alert_receipts")
                || step.starts_with("SCAN events");
            assert!(
                !scans && !step.contains("TEMP B-TREE"),
                "{name}\n{query}\n{plan:#?}"
            );
        }
    }
}

/// True if a plan sorts a whole list.
/// It may sort a few pages, each from an index: then every row under the sort passes a limit.
fn sorts_a_list(plan: &[String]) -> bool {
    let depth = |line: &String| line.len() - line.trim_start().len();
    let step = |line: &String| {
        line.trim_start()
            .trim_start_matches("->")
            .trim_start()
            .to_owned()
    };
    let is_node = |line: &&String| line.trim_start().starts_with("->");
    plan.iter().enumerate().any(|(place, line)| {
        let mut below = plan.iter().skip(place + 1).filter(is_node);
        let append = below.next().filter(|line| step(line) == "Append");
        let parts: Vec<&String> = below
            .take_while(|below| depth(below) > depth(line))
            .collect();
        let first = parts.first().map(|part| depth(part));
        let is_of_pages = append.is_some()
            && parts
                .iter()
                .filter(|part| Some(depth(part)) == first)
                .all(|part| step(part) == "Limit");
        step(line) == "Sort" && !is_of_pages
    })
}

#[test]
fn no_list_scans_or_sorts_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    populate(&store);
    let queries = queries_of_indexed_lists(&turn, &store);
    for (name, query) in &queries {
        let plan = plan_on_postgres(database.url(), query);
        if !is_of_the_list(query) {
            continue;
        }
        for line in &plan {
            let step = line.trim_start().trim_start_matches("->").trim_start();
            let scans = ["alerts", "alert_receipts", "events"]
                .iter()
                .any(|table| step.starts_with(&format!("Seq Scan on {table}")));
            assert!(!scans, "{name}\n{query}\n{plan:#?}");
        }
        assert!(!sorts_a_list(&plan), "{name}\n{query}\n{plan:#?}");
    }
}

#[test]
fn the_days_of_a_feed_are_looked_for_once() {
    let turn = Turn::take();
    let (store, _, _directory) = sqlite();
    populate(&store);
    let filter = EventFilter {
        before: CalendarDate::parse("2024-06-01"),
        after: CalendarDate::parse("2024-04-01"),
        ..EventFilter::new(PROJECT, FeedRights::ALL)
    };
    let list = || store.read(move |tx| tx.list_project_events(&filter, OffsetPage::default()));
    let (listed, queries) = queries_of(&turn, || list().wait());
    assert_eq!(listed.unwrap().items.len(), 20);
    let ends = queries
        .iter()
        .filter(|query| query.to_lowercase().contains("min("));
    assert_eq!(
        ends.count(),
        2,
        "one search for each of the two days: {queries:#?}"
    );
}

#[test]
fn a_walk_by_id_counts_nothing() {
    let turn = Turn::take();
    let (store, _, _directory) = sqlite();
    populate(&store);
    let today = CalendarDate::parse("2024-05-01").unwrap();
    let filter = ProjectFilter::new(Viewer::Anonymous);
    let counted = filter.clone();
    let (listed, by_number) = queries_of(&turn, || {
        let page = OffsetPage::new(1, 2);
        store
            .read(move |tx| tx.list_projects(&counted, today, page))
            .wait()
    });
    assert!(listed.unwrap().has_next);
    let (walked, by_key) = queries_of(&turn, || {
        let page = KeysetPage::new(2, SortOrder::Ascending);
        store
            .read(move |tx| tx.list_projects_by_key(&filter, today, page))
            .wait()
    });
    assert!(walked.unwrap().has_next);
    let counts = |queries: &[String]| {
        queries
            .iter()
            .filter(|query| query.contains("COUNT("))
            .count()
    };
    assert_eq!((counts(&by_number), counts(&by_key)), (1, 0), "{by_key:#?}");
}
