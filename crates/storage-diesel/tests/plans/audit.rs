//! Lists of audit entries with more rows than one request may examine.

use accounts::{AuditEntity, AuditEntityKind, AuditEntry, AuditFilter, AuditQueries, AuditScope};
use api_conventions::ids::{AuditEntryId, NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, SortOrder, Total};
use api_conventions::time::Timestamp;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Entries, one more than one request may examine, one in each microsecond. The first three are of a group, the others
/// of a project. The second one has an author of its own. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO audit_entries (entity_type, entity_id, author_id, event_name, details, created_at) \
    SELECT CASE WHEN value <= 3 THEN 1 ELSE 2 END, CASE WHEN value <= 3 THEN 5 ELSE 7 END, \
    CASE value WHEN 2 THEN 9 ELSE 1 END, 1, '', value FROM NUMBERS;";

const GROUP: AuditScope = AuditScope::Entity(AuditEntity::Group(NamespaceId::new(5)));
const PROJECT: AuditScope = AuditScope::Entity(AuditEntity::Project(ProjectId::new(7)));

fn of(scope: AuditScope) -> AuditFilter {
    AuditFilter {
        scope,
        ..AuditFilter::default()
    }
}

fn by(author: i64, scope: AuditScope) -> AuditFilter {
    AuditFilter {
        author_id: Some(UserId::new(author)),
        ..of(scope)
    }
}

fn between(scope: AuditScope, after: i64, before: i64) -> AuditFilter {
    let time = |micros| Some(Timestamp::from_micros(micros).unwrap());
    AuditFilter {
        created_after: time(after),
        created_before: time(before),
        ..of(scope)
    }
}

/// Returns the total of a list of pages, after a check that its newest entries are also those of keyset pages.
fn total<S>(store: &S, filter: AuditFilter) -> Result<Total, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AuditQueries,
{
    let read = store.read(move |tx| {
        let page = tx.list_audit_entries_by_page(&filter, OffsetPage::new(1, 2))?;
        let newest = KeysetPage::new(2, SortOrder::Descending);
        let slice = tx.list_audit_entries(&filter, None, newest)?;
        Ok::<_, StoreError>((page, slice))
    });
    let (page, slice) = read.wait()?;
    assert_eq!(page.items, slice.items, "{filter:?}");
    Ok(page.total)
}

/// Returns the ids of a keyset page beyond an entry.
fn beyond<S>(store: &S, filter: AuditFilter, last: i64) -> Result<Vec<i64>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AuditQueries,
{
    let page = KeysetPage::new(2, SortOrder::Descending);
    let last = Some(AuditEntryId::new(last));
    let read = store.read(move |tx| tx.list_audit_entries(&filter, last, page));
    let items: Vec<AuditEntry> = read.wait()?.items;
    Ok(items.iter().map(|entry| entry.id.get()).collect())
}

/// Lists the entries, and returns the statements that this took.
fn too_many_entries<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AuditQueries,
{
    let groups = AuditScope::Kind(AuditEntityKind::Group);
    let cases = [
        (of(AuditScope::All), Total::Beyond),
        (of(PROJECT), Total::Beyond),
        (of(GROUP), Total::Exact(3)),
        (of(groups), Total::Exact(3)),
        (by(1, AuditScope::All), Total::Beyond),
        (by(9, GROUP), Total::Exact(1)),
        (between(AuditScope::All, 1, 10), Total::Exact(10)),
        (between(PROJECT, 1, 10), Total::Exact(7)),
        (between(groups, 2, 10), Total::Exact(2)),
        (between(AuditScope::All, 1, 100_001), Total::Beyond),
    ];
    let mut queries = Vec::new();
    for (filter, expected) in cases {
        let (counted, more) = queries_of(turn, || total(store, filter));
        assert_eq!(counted.unwrap(), expected, "{filter:?}");
        queries.extend(more);
    }
    let walks = [
        (of(AuditScope::All), 50_000, vec![49_999, 49_998]),
        (of(PROJECT), 5, vec![4]),
        (by(9, AuditScope::All), 1_000, vec![2]),
        (between(AuditScope::All, 3, 8), 6, vec![5, 4]),
    ];
    for (filter, last, expected) in walks {
        let (ids, more) = queries_of(turn, || beyond(store, filter, last));
        assert_eq!(ids.unwrap(), expected, "{filter:?}");
        queries.extend(more);
    }
    for filter in [by(9, AuditScope::All), by(8, PROJECT)] {
        // The entries of the project are just few enough to be examined.
        let counted = total(store, filter);
        match filter.scope {
            AuditScope::All => {
                let refused = counted.unwrap_err();
                assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork);
            }
            _ => assert_eq!(counted.unwrap(), Total::Exact(0)),
        }
    }
    queries
}

/// True for a query that reads the index of times and sorts the ids that it finds.
fn is_by_time(query: &str) -> bool {
    query.contains("`id` + ") || query.contains("\"id\" + ")
}

/// Asserts that a list of times reads the index of times.
fn check_index_of_times(query: &str, plan: &[String]) {
    let is_used = plan
        .iter()
        .any(|step| step.contains("audit_entries_created"));
    assert!(!is_by_time(query) || is_used, "{query}\n{plan:#?}");
}

#[test]
fn lists_among_too_many_audit_entries_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, INSERT, 100_001);
    for query in too_many_entries(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_wrong = |step: &String| {
            step.starts_with("SCAN audit_entries")
                || step.contains("TEMP B-TREE") && !is_by_time(&query)
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        check_index_of_times(&query, &plan);
    }
}

#[test]
fn lists_among_too_many_audit_entries_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    fill_postgres(&database, INSERT, 100_001);
    for query in too_many_entries(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| {
            line.contains("Seq Scan") || line.contains("Sort") && !is_by_time(&query)
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        check_index_of_times(&query, &plan);
    }
}
