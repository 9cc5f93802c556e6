//! Very long lists of issues of which only a page is read: those of a group with many projects, and those with a common
//! label.

use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::CalendarDate;
use projects::{
    AttributeFilter, Issue, IssueFilter, IssueOrder, IssueQueries, IssueScope, IssueState, Viewer,
};
use storage::{Store, StoreError};

use crate::recorder::{Turn, queries_of};
use crate::stores::{PROJECT, create_project, fill_postgres, fill_sqlite, postgres, sqlite};

/// Issues of a group: every second one is in its first project, where each has a label, and the others are spread over
/// 1,000 projects.
/// Two of a hundred are confidential, and every other pair of these is by user 77. Users 77 and 78 are Guests of the
/// group, user 79 is a Reporter.
const INSERT: &str = "INSERT INTO users (id, username, username_key, name, email, kind, is_admin, created_at) \
    SELECT value, 'u' || value, 'u' || value, 'u', 'u', 0, FALSE, 0 FROM NUMBERS WHERE value BETWEEN 77 AND 79; \
    INSERT INTO namespace_members (namespace_id, user_id, access_level, created_at) \
    VALUES (1, 77, 10, 0), (1, 78, 10, 0), (1, 79, 20, 0); \
    INSERT INTO projects (namespace_id, name, path, full_path, description, visibility, creator_id, created_at, updated_at, \
    last_activity_at) SELECT 1, 'p' || value, 'p' || value, 'g/p' || value, '', 0, 1, 0, 0, 0 FROM NUMBERS WHERE value <= 1000; \
    INSERT INTO issues (project_id, iid, author_id, created_at, updated_at, title, kind, severity, confidential, \
    discussion_locked, state, closed_at, closed_by) SELECT CASE value % 2 WHEN 0 THEN 1 ELSE 2 + value / 2 % 1000 END, value, \
    CASE WHEN value % 200 < 2 THEN 77 ELSE 1 END, value, value, 'issue ' || value, 0, 0, value % 100 < 2, FALSE, value / 2 % 2, \
    CASE value / 2 % 2 WHEN 1 THEN value END, CASE value / 2 % 2 WHEN 1 THEN 1 END \
    FROM NUMBERS; \
    INSERT INTO labels (project_id, title, color, created_at, updated_at) VALUES (1, 'bug', '#000000', 0, 0); \
    INSERT INTO issue_labels SELECT id, 1 FROM issues WHERE project_id = 1;";

/// Updates the issue counters of the projects, as writes of issues do.
const COUNT: &str = "UPDATE projects SET \
    open_issues = (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 0), \
    closed_issues = (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 1), \
    open_confidential_issues = \
    (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 0 AND i.confidential), \
    closed_confidential_issues = \
    (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 1 AND i.confidential);";

const ALL: i64 = 30_000;

fn list<S>(store: &S, filter: &IssueFilter, page: OffsetPage) -> Page<Issue>
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries,
{
    let filter = filter.clone();
    let today = CalendarDate::parse("2024-05-01").unwrap();
    let listed: Result<_, StoreError> = store
        .read(move |tx| tx.list_issues(&filter, today, page))
        .wait();
    listed.unwrap()
}

fn of_group(user: i64) -> IssueFilter {
    let place = IssueScope::Group(NamespaceId::new(1));
    IssueFilter::new(place, Viewer::User(UserId::new(user)))
}

fn labelled(sees_confidential: bool) -> IssueFilter {
    let place = IssueScope::Project {
        id: PROJECT,
        sees_confidential,
    };
    IssueFilter {
        labels: Some(AttributeFilter::Is(vec!["bug".to_owned()])),
        ..IssueFilter::new(place, Viewer::User(UserId::new(78)))
    }
}

/// Returns a page of a list, as numbers, with the total.
/// `wanted` returns true for the numbers in the list.
fn expected(
    filter: &IssueFilter,
    page: OffsetPage,
    wanted: impl Fn(i64) -> bool,
) -> (Vec<i64>, Total) {
    let is_of_state = |number: i64| match filter.state {
        None => true,
        Some(IssueState::Opened) => number / 2 % 2 == 0,
        Some(IssueState::Closed) => number / 2 % 2 == 1,
    };
    let mut all: Vec<i64> = (1..=ALL)
        .filter(|number| is_of_state(*number) && wanted(*number))
        .collect();
    if filter.sort == SortOrder::Descending {
        all.reverse();
    }
    let total = Total::from_capped_count(all.len().min(10_001).try_into().unwrap());
    let skip = usize::try_from(page.offset()).unwrap();
    let on_page = all.into_iter().skip(skip);
    (on_page.take(page.per_page().into()).collect(), total)
}

fn is_confidential(number: i64) -> bool {
    number % 100 < 2
}

fn lists<S>(turn: &Turn, store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries,
{
    type AttributeFilter = fn(i64) -> bool;
    let cases: [(IssueFilter, AttributeFilter); 5] = [
        (of_group(79), |_| true),
        (of_group(78), |number| !is_confidential(number)),
        (of_group(77), |number| {
            !is_confidential(number) || number % 200 < 2
        }),
        (labelled(true), |number| number % 2 == 0),
        (labelled(false), |number| {
            number % 2 == 0 && !is_confidential(number)
        }),
    ];
    for (filter, wanted) in cases {
        for state in [None, Some(IssueState::Opened), Some(IssueState::Closed)] {
            for order_by in [IssueOrder::CreatedAt, IssueOrder::UpdatedAt] {
                for sort in [SortOrder::Ascending, SortOrder::Descending] {
                    let filter = IssueFilter {
                        state,
                        order_by,
                        sort,
                        ..filter.clone()
                    };
                    page_by_page(turn, store, &filter, wanted);
                }
            }
        }
    }
}

/// Compares near and far pages, and checks that the near ones of a long list read no more than the first issues.
fn page_by_page<S>(turn: &Turn, store: &S, filter: &IssueFilter, wanted: fn(i64) -> bool)
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries,
{
    for number in [1, 2, 150, 700] {
        let page = OffsetPage::new(number, 10);
        let expected = expected(filter, page, wanted);
        let (found, mut queries) = queries_of(turn, || list(store, filter, page));
        let found = (numbers(&found), found.total);
        assert_eq!(found, expected, "{filter:?} {page:?}");
        if number <= 2 && expected.1 == Total::Beyond {
            queries.retain(|query| query.contains("issues AS i "));
            let first = |query: &String| query.contains("LIMIT 2000) AS scope");
            assert!(queries.iter().all(first), "{filter:?} {queries:#?}");
            assert_eq!(queries.len(), 1, "{filter:?}");
        }
    }
}

fn numbers(page: &Page<Issue>) -> Vec<i64> {
    page.items.iter().map(|issue| issue.iid.get()).collect()
}

#[test]
fn lists_of_many_issues_read_the_first_ones_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, &format!("{INSERT}{COUNT}"), ALL);
    lists(&turn, &store);
}

#[test]
fn lists_of_many_issues_read_the_first_ones_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    fill_postgres(&database, &format!("{INSERT}{COUNT}"), ALL);
    lists(&turn, &store);
}
