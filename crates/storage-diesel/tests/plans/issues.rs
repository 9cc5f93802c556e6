//! Lists of issues and notes with more rows than one request may examine.

use api_conventions::ids::{LabelId, UserId};
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    AttributeFilter, DueFilter, Issue, IssueFilter, IssueOrder, IssueQueries, IssueScope,
    IssueState, NoteActivity, NoteFilter, NoteOrder, NoteQueries, Noteable, NoteableKind, Viewer,
};
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Issues of the project, one more than may be examined, and as many notes on the first.
/// The oldest is by author 77, is assigned to user 78, and has the label; the second is confidential and due on a day.
const INSERT: &str = "INSERT INTO issues (project_id, iid, author_id, created_at, updated_at, title, kind, severity, \
    confidential, discussion_locked, state) SELECT 1, value, CASE value WHEN 1 THEN 77 ELSE 1 END, value, value, \
    'issue ' || value, 0, 0, FALSE, FALSE, 0 FROM NUMBERS; \
    UPDATE issues SET confidential = TRUE, due_date = 19000 WHERE iid = 2; \
    INSERT INTO labels (project_id, title, color, created_at, updated_at) VALUES (1, 'bug', '#000000', 0, 0); \
    INSERT INTO issue_labels SELECT 1, 1; INSERT INTO issue_assignees SELECT 1, 78; \
    UPDATE projects SET open_issues = 100001, open_confidential_issues = 1; \
    INSERT INTO notes (project_id, noteable_type, noteable_id, noteable_iid, author_id, system, internal, created_at, body, \
    updated_at) SELECT 1, 0, 1, 1, 1, FALSE, FALSE, value, 'note', value FROM NUMBERS;";

fn today() -> CalendarDate {
    CalendarDate::parse("2024-05-01").unwrap()
}

fn list<S>(store: &S, filter: &IssueFilter) -> Result<Page<Issue>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries,
{
    let filter = filter.clone();
    let listed = store.read(move |tx| tx.list_issues(&filter, today(), OffsetPage::new(1, 2)));
    listed.wait()
}

fn of_project(sees_confidential: bool) -> IssueFilter {
    let place = IssueScope::Project {
        id: PROJECT,
        sees_confidential,
    };
    IssueFilter::new(place, Viewer::User(UserId::new(5)))
}

fn everywhere() -> IssueFilter {
    IssueFilter::new(
        IssueScope::Everywhere,
        Viewer::Administrator(UserId::new(5)),
    )
}

/// Runs lists that an index covers, and lists of few issues; returns the queries of the former.
fn lists_that_are_served<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries,
{
    let mut queries = Vec::new();
    for place in [of_project(true), everywhere()] {
        for order_by in [IssueOrder::CreatedAt, IssueOrder::UpdatedAt] {
            for state in [None, Some(IssueState::Opened)] {
                let filter = IssueFilter {
                    order_by,
                    state: state.filter(|_| place.scope != IssueScope::Everywhere),
                    ..place.clone()
                };
                let (page, more) = queries_of(turn, || list(store, &filter));
                let page = page.unwrap();
                assert_eq!(
                    (page.items.len(), page.total),
                    (2, Total::Beyond),
                    "{filter:?}"
                );
                queries.extend(more);
            }
        }
    }
    // Nearly all issues are in this list, and no index selects them: it is read in the index of the order, and not
    // sorted.
    for order_by in [IssueOrder::CreatedAt, IssueOrder::UpdatedAt] {
        let most = IssueFilter {
            confidential: Some(false),
            order_by,
            ..of_project(true)
        };
        let (page, more) = queries_of(turn, || list(store, &most));
        let page = page.unwrap();
        assert_eq!((page.items.len(), page.total), (2, Total::Beyond));
        queries.extend(more);
    }
    let bug = Some(AttributeFilter::Is(vec!["bug".to_owned()]));
    let assigned = Some(AttributeFilter::Is(vec![UserId::new(78)]));
    let by_title = IssueOrder::Title;
    for few in [
        IssueFilter {
            labels: bug.clone(),
            ..of_project(false)
        },
        IssueFilter {
            labels: bug,
            order_by: by_title,
            ..of_project(true)
        },
        IssueFilter {
            author: Some(UserId::new(77)),
            ..everywhere()
        },
        IssueFilter {
            assignees: assigned,
            ..everywhere()
        },
        IssueFilter {
            confidential: Some(true),
            ..of_project(true)
        },
        IssueFilter {
            due: Some(DueFilter::Between(None, Some(today()))),
            order_by: IssueOrder::DueDate,
            ..of_project(true)
        },
        IssueFilter {
            iids: vec![api_conventions::ids::IssueIid::new(1)],
            ..of_project(false)
        },
        IssueFilter {
            created_before: Timestamp::from_micros(1),
            ..of_project(false)
        },
    ] {
        assert_eq!(list(store, &few).unwrap().total, Total::Exact(1), "{few:?}");
    }
    queries
}

/// Checks lists and counts that would examine too much, and one whose page is full before that.
fn limits<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: IssueQueries + NoteQueries,
{
    let search = |text: &str, order_by| IssueFilter {
        search: Some(text.to_owned()),
        order_by,
        ..of_project(true)
    };
    for refused in [
        search("needle", IssueOrder::CreatedAt),
        search("issue", IssueOrder::Title),
        search("issue", IssueOrder::DueDate),
        IssueFilter {
            confidential: Some(false),
            order_by: IssueOrder::Title,
            ..of_project(true)
        },
    ] {
        let error = list(store, &refused).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooMuchWork, "{refused:?}");
    }
    let first = list(store, &search("issue", IssueOrder::UpdatedAt)).unwrap();
    assert_eq!((first.items.len(), first.total), (2, Total::Beyond));
    let some = list(store, &search("issue 10000", IssueOrder::CreatedAt)).unwrap();
    assert_eq!((some.items.len(), some.total), (2, Total::Uncounted));
    let later = IssueFilter {
        created_after: Timestamp::from_micros(1),
        ..of_project(true)
    };
    let counted = store.read(move |tx| tx.count_issues(&later, today()));
    let error: StoreError = counted.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::TooMuchWork);
    // The counts of all issues of a project are counters of the project.
    let kept: Result<_, StoreError> = store
        .read(|tx| tx.count_issues(&of_project(true), today()))
        .wait();
    kept.unwrap();
    let by_label =
        store.read(|tx| tx.count_issues_by_label(&of_project(true), &[LabelId::new(1)], today()));
    let by_label: Result<_, StoreError> = by_label.wait();
    assert_eq!(by_label.unwrap().len(), 1);
}

fn notes_that_are_served<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: NoteQueries,
{
    let on = Noteable {
        project_id: PROJECT,
        kind: NoteableKind::Issue,
        id: 1,
        iid: 1,
    };
    let mut queries = Vec::new();
    let list = |filter: NoteFilter| {
        let listed = store.read(move |tx| tx.list_notes(&filter, OffsetPage::new(1, 2)));
        let listed: Result<_, StoreError> = listed.wait();
        listed
    };
    for order_by in [NoteOrder::CreatedAt, NoteOrder::UpdatedAt] {
        let filter = NoteFilter {
            order_by,
            ..NoteFilter::new(on, true)
        };
        let (page, more) = queries_of(turn, || list(filter));
        assert_eq!(page.unwrap().total, Total::Beyond);
        queries.extend(more);
    }
    for some in [
        NoteFilter::new(on, false),
        NoteFilter {
            activity: NoteActivity::Activity,
            ..NoteFilter::new(on, true)
        },
    ] {
        let error = list(some).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::TooMuchWork, "{some:?}");
    }
    queries
}

/// True for queries that find a page or count it, false for those that read its rows.
fn is_of_the_list(query: &str) -> bool {
    query.contains("OFFSET") || query.contains("COUNT(")
}

#[test]
fn lists_among_too_many_issues_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, INSERT, 100_001);
    let mut queries = lists_that_are_served(&turn, &store);
    queries.extend(notes_that_are_served(&turn, &store));
    for query in queries.iter().filter(|query| is_of_the_list(query)) {
        let plan = plan_on_sqlite(&file, query);
        let is_whole = |step: &String| step == "SCAN i" || step == "SCAN notes";
        let is_wrong = |step: &String| step.contains("TEMP B-TREE") || is_whole(step);
        // The first rows of an order, at most 2,000, are sorted again after the conditions are checked.
        let mut before = plan.iter().take_while(|step| *step != "SCAN scope");
        assert!(!before.any(is_wrong), "{query}\n{plan:#?}");
    }
    limits(&store);
}

#[test]
fn lists_among_too_many_issues_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    fill_postgres(&database, INSERT, 100_001);
    let mut queries = lists_that_are_served(&turn, &store);
    queries.extend(notes_that_are_served(&turn, &store));
    for query in queries.iter().filter(|query| is_of_the_list(query)) {
        let plan = plan_on_postgres(database.url(), query);
        let is_whole = |line: &&String| {
            line.contains("Seq Scan on issues") || line.contains("Seq Scan on notes")
        };
        assert_eq!(plan.iter().find(is_whole), None, "{query}\n{plan:#?}");
        // The first rows of an order, at most 2,000, are sorted again after the conditions are checked.
        let sorts = plan
            .iter()
            .filter(|line| line.contains("Sort Key:"))
            .count();
        let allowed = usize::from(query.contains("LIMIT 2000) AS scope"));
        assert!(sorts <= allowed, "{query}\n{plan:#?}");
    }
    limits(&store);
}
