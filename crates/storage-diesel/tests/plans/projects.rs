//! Lists of projects with more rows than one request may examine.

use ::projects::{
    MemberQueries, Project, ProjectFilter, ProjectOrder, ProjectQueries, ProjectRepository, Viewer,
};
use accounts::AccountRepository;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder, Total};
use api_conventions::time::CalendarDate;
use diesel::connection::SimpleConnection as _;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, group, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Number of projects, one more than one request may examine.
const MANY: i64 = 100_001;

/// Private projects of a group; `NUMBERS` marks the place where the database counts to [`MANY`].
/// The names descend as the ids ascend; the first project is internal and the second is public. A search for "needle"
/// finds the second oldest.
pub(crate) const INSERT: &str = "INSERT INTO projects (namespace_id, name, path, full_path, description, visibility, creator_id, \
    created_at, updated_at, last_activity_at, name_key, path_key) \
    SELECT 1, 'Name ' || (900000 - value), 'p' || value, 'group/p' || value, \
    CASE value WHEN 2 THEN 'a Needle' ELSE 'hay' END, CASE value WHEN 1 THEN 10 WHEN 2 THEN 20 ELSE 0 END, 1, \
    value, value, value, 'name ' || (900000 - value), 'p' || value FROM NUMBERS;";

const ORDERS: [ProjectOrder; 6] = [
    ProjectOrder::Id,
    ProjectOrder::Name,
    ProjectOrder::Path,
    ProjectOrder::CreatedAt,
    ProjectOrder::UpdatedAt,
    ProjectOrder::LastActivityAt,
];

/// Creates the group of all projects.
pub(crate) fn create_group<S>(store: &S)
where
    S: Store,
    for<'t> S::WriteTx<'t>: AccountRepository + ProjectRepository,
{
    let made = store.write(|tx| {
        group(tx);
        Ok::<_, StoreError>(())
    });
    made.wait().unwrap();
}

fn today() -> CalendarDate {
    CalendarDate::parse("2024-05-01").unwrap()
}

pub(crate) fn list<S>(
    store: &S,
    filter: &ProjectFilter,
    number: u64,
) -> Result<Page<Project>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let filter = filter.clone();
    let page = OffsetPage::new(number, 2);
    let listed = store.read(move |tx| tx.list_projects(&filter, today(), page));
    listed.wait()
}

fn walk<S>(store: &S, filter: &ProjectFilter) -> Result<KeysetSlice<Project>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let filter = filter.clone();
    let page = KeysetPage::new(2, filter.sort);
    let listed = store.read(move |tx| tx.list_projects_by_key(&filter, today(), page));
    listed.wait()
}

fn ids(page: &Page<Project>) -> Vec<i64> {
    page.items.iter().map(|project| project.id.get()).collect()
}

fn by(order_by: ProjectOrder, sort: SortOrder, viewer: Viewer) -> ProjectFilter {
    ProjectFilter {
        order_by,
        sort,
        ..ProjectFilter::new(viewer)
    }
}

fn search(filter: &ProjectFilter, text: &str) -> ProjectFilter {
    ProjectFilter {
        search: Some(text.to_owned()),
        ..filter.clone()
    }
}

/// A user without a role anywhere.
const STRANGER: UserId = UserId::new(77);
const ADMINISTRATOR: Viewer = Viewer::Administrator(STRANGER);

/// Returns the newest projects in which a user has at least a role.
fn newest_of<S>(store: &S, user: i64, least: AccessLevel, limit: usize) -> Vec<i64>
where
    S: Store,
    for<'t> S::ReadTx<'t>: MemberQueries,
{
    let user = UserId::new(user);
    let ids = store.read(move |tx| tx.list_project_ids_of_user(user, least, today(), limit));
    let ids: Result<Vec<ProjectId>, StoreError> = ids.wait();
    ids.unwrap().into_iter().map(ProjectId::get).collect()
}

fn too_many_projects<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries + MemberQueries,
{
    // The owner of the group has a role in more projects than one request may examine.
    let (guest, owner) = (AccessLevel::Guest, AccessLevel::Owner);
    assert_eq!(newest_of(store, 1, owner, 2), [MANY, MANY - 1]);
    let newest: Vec<i64> = (0..2500).map(|place| MANY - place).collect();
    assert_eq!(newest_of(store, 1, guest, 2500), newest);
    assert_eq!(newest_of(store, STRANGER.get(), guest, 9), [0; 0]);
    let downwards = SortOrder::Descending;
    for order in ORDERS {
        let all = by(order, downwards, ADMINISTRATOR);
        let page = list(store, &all, 1).unwrap();
        assert_eq!(
            (page.items.len(), page.total),
            (2, Total::Beyond),
            "{order:?}"
        );
        // Results that fill a page before the limit are returned, but the rest is not counted.
        let page = list(store, &search(&all, "P1000"), 1).unwrap();
        assert_eq!((page.items.len(), page.has_next), (2, true), "{order:?}");
        assert_eq!(page.total, Total::Uncounted, "{order:?}");
        let page = list(store, &search(&all, "hay"), 5_500).unwrap();
        assert_eq!(
            (page.items.len(), page.total),
            (2, Total::Beyond),
            "{order:?}"
        );
        // One hit, and it is unknown whether there are more.
        let refused = list(store, &search(&all, "needle"), 1).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork, "{order:?}");
        let refused = list(store, &search(&all, "P1000"), 9).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork, "{order:?}");
        // A few projects found by an index are examined wherever they are in the order.
        for (viewer, expected) in [
            (Viewer::Anonymous, vec![2]),
            (Viewer::User(STRANGER), vec![1, 2]),
        ] {
            let mut page = list(store, &by(order, downwards, viewer), 1).unwrap();
            page.items.sort_unstable_by_key(|project| project.id);
            assert_eq!(
                (ids(&page), page.total),
                (expected.clone(), Total::Exact(expected.len() as u64))
            );
            let found = list(store, &search(&by(order, downwards, viewer), "needle"), 1).unwrap();
            assert_eq!((ids(&found), found.total), (vec![2], Total::Exact(1)));
        }
        let internal = ProjectFilter {
            visibility: Some(Visibility::Internal),
            ..by(order, downwards, ADMINISTRATOR)
        };
        assert_eq!(ids(&list(store, &internal, 1).unwrap()), [1]);
        let mine = ProjectFilter {
            min_access_level: Some(AccessLevel::Guest),
            ..by(order, downwards, Viewer::User(STRANGER))
        };
        assert_eq!(list(store, &mine, 1).unwrap().total, Total::Exact(0));
        let own = ProjectFilter {
            owner: Some(STRANGER),
            ..by(order, downwards, Viewer::User(STRANGER))
        };
        assert_eq!(list(store, &own, 1).unwrap().total, Total::Exact(0));
    }
    // The first projects in both directions, which the keys of names reverse.
    let first = |order, sort| ids(&list(store, &by(order, sort, ADMINISTRATOR), 1).unwrap());
    assert_eq!(
        first(ProjectOrder::Name, SortOrder::Ascending),
        [MANY, MANY - 1]
    );
    assert_eq!(first(ProjectOrder::Name, downwards), [1, 2]);
    assert_eq!(first(ProjectOrder::Path, SortOrder::Ascending), [1, 10]);
    walks_by_id(store);
}

fn walks_by_id<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let upwards = by(ProjectOrder::Id, SortOrder::Ascending, ADMINISTRATOR);
    let refused = walk(store, &search(&upwards, "needle")).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork);
    let found = walk(store, &search(&upwards, "hay")).unwrap();
    assert_eq!((found.items.len(), found.has_next), (2, true));
    // From the second project on, there are no more than may be examined.
    let rest = ProjectFilter {
        id_after: Some(ProjectId::new(1)),
        ..search(&upwards, "needle")
    };
    let found = walk(store, &rest).unwrap();
    assert_eq!((found.items.len(), found.has_next), (1, false));
}

/// Makes one in so many projects internal, and all others private.
fn internal(one_in: i64) -> String {
    let visibility = format!("CASE WHEN id % {one_in} = 0 THEN 10 ELSE 0 END");
    format!("UPDATE projects SET visibility = {visibility} WHERE visibility <> {visibility}")
}

/// Adds topics to a few projects, all of which a search for "hay" finds.
const TOPICS: &str =
    "INSERT INTO project_topics (topic_key, project_id) VALUES ('seldom', 50), ('seldom', 90000)";

/// Checks lists for a user who sees one in so many projects, at their beginning and far from it.
fn one_in_many_projects<S>(store: &S, one_in: i64)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let visible: Vec<i64> = (1..=MANY).filter(|id| id % one_in == 0).collect();
    let total = match visible.len() {
        10_001.. => Total::Beyond,
        count => Total::Exact(count as u64),
    };
    for order in ORDERS {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            let mut expected = visible.clone();
            match order {
                ProjectOrder::Name => expected.reverse(),
                ProjectOrder::Path => expected.sort_by_cached_key(|id| format!("p{id}")),
                _ => {}
            }
            if sort == SortOrder::Descending {
                expected.reverse();
            }
            let filter = by(order, sort, Viewer::User(STRANGER));
            for number in [1, 2, 4_500_u64] {
                let page = list(store, &filter, number).unwrap();
                let first = usize::try_from(number - 1).unwrap() * 2;
                let here: Vec<i64> = expected.iter().skip(first).take(2).copied().collect();
                let name = format!("{one_in} {order:?} {sort:?} {number}");
                assert_eq!((ids(&page), page.total), (here, total), "{name}");
            }
            let found = list(store, &search(&filter, "name"), 1).unwrap();
            assert_eq!(ids(&found), expected[..2], "{one_in} {order:?} {sort:?}");
        }
    }
    let filter = by(
        ProjectOrder::Id,
        SortOrder::Ascending,
        Viewer::User(STRANGER),
    );
    for after in [0, 30_000] {
        let filter = ProjectFilter {
            id_after: Some(ProjectId::new(after)),
            ..filter.clone()
        };
        let found = walk(store, &filter).unwrap();
        let found: Vec<i64> = found.items.iter().map(|project| project.id.get()).collect();
        let next = visible.iter().copied().filter(|id| *id > after);
        assert_eq!(found, next.take(2).collect::<Vec<_>>(), "{one_in} {after}");
    }
}

/// Checks that a topic of few projects is found among any number of others.
fn few_with_a_topic<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let filter = ProjectFilter {
        topics: vec!["Seldom".to_owned()],
        ..by(ProjectOrder::Id, SortOrder::Ascending, ADMINISTRATOR)
    };
    for filter in [filter.clone(), search(&filter, "hay")] {
        let page = list(store, &filter, 1).unwrap();
        assert_eq!(
            (ids(&page), page.total),
            (vec![50, 90_000], Total::Exact(2))
        );
    }
    let none = list(store, &search(&filter, "needle"), 1).unwrap();
    assert_eq!(none.total, Total::Exact(0));
    let unknown = ProjectFilter {
        topics: vec!["never".to_owned()],
        ..filter
    };
    assert_eq!(list(store, &unknown, 1).unwrap().total, Total::Exact(0));
}

/// Returns the filters that are subject to the limit, and the queries of each.
fn queries_of_bounded_lists<S>(turn: &Turn, store: &S) -> Vec<(String, String)>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ProjectQueries,
{
    let mut all = Vec::new();
    for order in ORDERS {
        for sort in [SortOrder::Ascending, SortOrder::Descending] {
            for viewer in [ADMINISTRATOR, Viewer::Anonymous, Viewer::User(STRANGER)] {
                let filter = search(&by(order, sort, viewer), "hay");
                let (_, queries) = queries_of(turn, || list(store, &filter, 1));
                let name = format!("{filter:?}");
                all.extend(queries.into_iter().map(|query| (name.clone(), query)));
            }
        }
    }
    all
}

#[test]
fn a_list_among_too_many_projects_is_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_group(&store);
    let mut connection = fill_sqlite(&file, INSERT, MANY);
    too_many_projects(&store);
    for (name, query) in queries_of_bounded_lists(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let has = |words: &str| plan.iter().any(|step| step.contains(words));
        let is_of_few = query.contains("projects.id IN (");
        // The rows of a few are sorted; an order of many is read from its beginning, in its own index.
        assert_eq!(
            has("TEMP B-TREE FOR ORDER BY"),
            is_of_few && query.contains("ORDER BY"),
            "{name}\n{query}\n{plan:#?}"
        );
        // Only the query for the limit scans an order, up to the limit.
        let is_of_the_limit = query.contains("LIMIT 1 OFFSET ");
        assert_eq!(
            has("SCAN projects"),
            is_of_the_limit,
            "{name}\n{query}\n{plan:#?}"
        );
    }
    connection.batch_execute(TOPICS).unwrap();
    few_with_a_topic(&store);
    for one_in in [2, 5, 50] {
        connection.batch_execute(&internal(one_in)).unwrap();
        one_in_many_projects(&store, one_in);
    }
    connection
        .batch_execute("DELETE FROM projects WHERE id = 3")
        .unwrap();
    assert_eq!(newest_of(&store, 1, AccessLevel::Guest, 1), [MANY]);
    assert_eq!(
        newest_of(&store, 1, AccessLevel::Guest, 100_001).len(),
        100_000
    );
    let all = search(&ProjectFilter::new(ADMINISTRATOR), "needle");
    assert_eq!(list(&store, &all, 1).unwrap().total, Total::Exact(1));
}

#[test]
fn a_list_among_too_many_projects_is_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_group(&store);
    let mut connection = fill_postgres(&database, INSERT, MANY);
    too_many_projects(&store);
    for (name, query) in queries_of_bounded_lists(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let has = |words: &str| plan.iter().any(|line| line.contains(words));
        let is_of_few = query.contains("projects.id IN (");
        assert!(!has("Seq Scan on projects"), "{name}\n{query}\n{plan:#?}");
        assert!(is_of_few || !has("Sort"), "{name}\n{query}\n{plan:#?}");
    }
    connection.batch_execute(TOPICS).unwrap();
    few_with_a_topic(&store);
    for one_in in [2, 5, 50] {
        connection.batch_execute(&internal(one_in)).unwrap();
        connection
            .batch_execute("VACUUM (ANALYZE) projects")
            .unwrap();
        one_in_many_projects(&store, one_in);
    }
}
