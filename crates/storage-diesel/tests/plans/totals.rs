//! Totals of lists of projects around the counting limit, where most totals are known without counting.

use ::projects::{ProjectFilter, ProjectQueries, ProjectsWithin, Viewer};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::Total;
use diesel::connection::SimpleConnection;
use storage::Store;

use crate::projects::{INSERT, create_group, list};
use crate::recorder::{Turn, queries_of};
use crate::stores::{fill_postgres, fill_sqlite, postgres, sqlite};

/// All projects; those with the last ids are pending deletion, and those before them are archived.
const ALL: i64 = 10_030;
const WAITING: i64 = 12;
const ARCHIVED: i64 = 7;

/// Projects pending deletion, archived projects, and a role in the group of all projects.
const KINDS: &str = "INSERT INTO deletions (project_id, requested_by, requested_at, due_at, started) \
    VALUES (10030, 1, 0, 0, FALSE); \
    UPDATE projects SET deletion_id = (SELECT MAX(id) FROM deletions) WHERE id > 10018; \
    UPDATE projects SET archived = TRUE WHERE id > 10011 AND id <= 10018; \
    UPDATE namespace_members SET access_level = 30";

/// User with the role: the only account.
const DEVELOPER: UserId = UserId::new(1);

/// Makes this many of the first projects private, and all others public.
fn first_are_private(count: i64) -> String {
    format!("UPDATE projects SET visibility = CASE WHEN id <= {count} THEN 0 ELSE 20 END")
}

fn total(count: i64) -> Total {
    Total::from_capped_count(u64::try_from(count).unwrap())
}

fn totals_around_the_limit<S>(store: &S, connection: &mut impl SimpleConnection, turn: &Turn)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    connection.batch_execute(KINDS).unwrap();
    let living = ALL - WAITING;
    let anyone = ProjectFilter::new(Viewer::Anonymous);
    for private in 15..21 {
        connection
            .batch_execute(&first_are_private(private))
            .unwrap();
        let page = list(store, &anyone, 1).unwrap();
        assert_eq!(page.total, total(living - private), "{private}");
    }
    for private in 8..14 {
        connection
            .batch_execute(&first_are_private(private))
            .unwrap();
        let active = ProjectFilter {
            archived: Some(false),
            ..anyone.clone()
        };
        let page = list(store, &active, 1).unwrap();
        assert_eq!(page.total, total(living - ARCHIVED - private), "{private}");
    }
    let here = ProjectsWithin::Group {
        id: NamespaceId::new(1),
        with_subgroups: true,
        with_shared: true,
    };
    let member = ProjectFilter::new(Viewer::User(DEVELOPER));
    for certain in [
        member.clone(),
        ProjectFilter {
            min_access_level: Some(AccessLevel::Developer),
            ..member.clone()
        },
        ProjectFilter {
            within: here,
            ..member.clone()
        },
        ProjectFilter {
            within: here,
            ..ProjectFilter::new(Viewer::Administrator(DEVELOPER))
        },
    ] {
        let (page, queries) = queries_of(turn, || list(store, &certain, 1));
        let page = page.unwrap();
        assert_eq!((page.items.len(), page.total), (2, Total::Beyond));
        let counts = |query: &&String| query.contains("COUNT(") && query.contains("\"namespaces\"");
        let counted: Vec<_> = queries.iter().filter(counts).collect();
        assert!(counted.is_empty(), "{certain:?}\n{counted:#?}");
    }
    let maintained = ProjectFilter {
        min_access_level: Some(AccessLevel::Maintainer),
        ..member
    };
    assert_eq!(list(store, &maintained, 1).unwrap().total, Total::Exact(0));
}

#[test]
fn totals_around_the_limit_are_right_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_group(&store);
    let mut connection = fill_sqlite(&file, INSERT, ALL);
    totals_around_the_limit(&store, &mut connection, &turn);
}

#[test]
fn totals_around_the_limit_are_right_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_group(&store);
    let mut connection = fill_postgres(&database, INSERT, ALL);
    totals_around_the_limit(&store, &mut connection, &turn);
}
