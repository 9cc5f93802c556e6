//! Look-ups and lists of members of a group with very many members.

use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{OffsetPage, Total};
use api_conventions::time::CalendarDate;
use projects::{MemberFilter, MemberQueries, MemberScope, MemberSource, ProjectQueries};
use storage::{Store, StoreError};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Users who are all members of the group, and the last of whom is a member of the project.
/// `NUMBERS` counts to 20,000.
const INSERT: &str = "INSERT INTO users (id, username, username_key, name, email, kind, is_admin, created_at) \
    SELECT 10 + value, 'user' || value, 'user' || value, 'User', '', 0, FALSE, 0 FROM NUMBERS; \
    INSERT INTO namespace_members (namespace_id, user_id, access_level, created_at) \
    SELECT 1, 10 + value, 30, 0 FROM NUMBERS; \
    INSERT INTO project_members (project_id, user_id, access_level, created_at) VALUES (1, 20010, 40, 0);";

/// Finds and lists members, and returns the statements.
fn questions<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries + MemberQueries,
{
    let today = CalendarDate::parse("2024-05-01").unwrap();
    let last = UserId::new(20_010);
    let (found, mut queries) = queries_of(turn, || {
        let found = store.read(move |tx| tx.find_membership(last, PROJECT, today));
        found.wait()
    });
    let found: Result<_, StoreError> = found;
    let found = found.unwrap();
    assert!(found.own > found.inherited && found.inherited.is_some());
    assert_eq!(queries.len(), 1, "{queries:#?}");
    for (place, scope) in [
        (
            MemberSource::Namespace(NamespaceId::new(1)),
            MemberScope::Direct,
        ),
        (MemberSource::Project(PROJECT), MemberScope::All),
    ] {
        let (listed, more) = queries_of(turn, || {
            let filter = MemberFilter::default();
            let page = OffsetPage::new(3, 20);
            let listed = store.read(move |tx| tx.list_members(place, scope, &filter, today, page));
            listed.wait()
        });
        let listed: Result<_, StoreError> = listed;
        let listed = listed.unwrap();
        assert_eq!((listed.items.len(), listed.total), (20, Total::Beyond));
        queries.extend(more);
    }
    let (owner, more) = queries_of(turn, || {
        let other = store.read(|tx| tx.has_other_owner(NamespaceId::new(1), UserId::new(1)));
        other.wait()
    });
    let owner: Result<bool, StoreError> = owner;
    assert!(!owner.unwrap());
    queries.extend(more);
    queries
}

#[test]
fn members_are_found_and_listed_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, INSERT, 20_000);
    for query in questions(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let tables = [
            "namespace_members",
            "project_members",
            "project_shares",
            "projects",
        ];
        let is_scan = |step: &String| {
            let rest = step.strip_prefix("SCAN ");
            rest.is_some_and(|rest| tables.iter().any(|table| rest.starts_with(table)))
        };
        assert!(!plan.iter().any(is_scan), "{query}\n{plan:#?}");
    }
}

#[test]
fn members_are_found_and_listed_from_indexes_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let insert = INSERT.replace("INSERT INTO users (id, username, username_key, name, email, kind, is_admin, created_at)",
        "INSERT INTO users (id, username, username_key, name, email, kind, is_admin, created_at) OVERRIDING SYSTEM VALUE");
    fill_postgres(&database, &insert, 20_000);
    for query in questions(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_scan = |line: &String| line.contains("Seq Scan on namespace_members");
        assert!(!plan.iter().any(is_scan), "{query}\n{plan:#?}");
    }
}
