//! Lists of records of an owner with more of them than a filter may examine.

use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, Total};
use diesel::connection::SimpleConnection as _;
use projects::{LabelContent, LabelFilter, MilestoneContent, MilestoneFilter};
use records::{RecordContent, RecordQueries, StoredRecord};
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Labels and milestones of the project, one more than a filter may examine.
/// `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO labels (project_id, title, color, created_at, updated_at) \
    SELECT 1, 'label ' || value, '#000000', value, value FROM NUMBERS; \
    INSERT INTO milestones (project_id, iid, title, state, created_at, updated_at) \
    SELECT 1, value, 'milestone ' || value, 0, value, value FROM NUMBERS;";
const DELETE: &str = "DELETE FROM labels WHERE id = 3; DELETE FROM milestones WHERE id = 3";

fn list<C: RecordContent<Owner = ProjectId>, S>(
    store: &S,
    filter: &C::Filter,
) -> Result<Page<StoredRecord<C>>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: RecordQueries<C>,
{
    let filter = filter.clone();
    let listed = store.read(move |tx| tx.list_records(PROJECT, &filter, OffsetPage::new(1, 2)));
    listed.wait()
}

/// Lists by filters that an index serves, and by one that examines every record; returns the queries of the former.
fn lists_many<C: RecordContent<Owner = ProjectId>, S>(
    turn: &Turn,
    store: &S,
    [served, examined]: [C::Filter; 2],
) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: RecordQueries<C>,
{
    let (page, mut queries) = queries_of(turn, || list::<C, S>(store, &C::Filter::default()));
    let page = page.unwrap();
    assert_eq!((page.items.len(), page.total), (2, Total::Beyond));
    let (page, more) = queries_of(turn, || list::<C, S>(store, &served));
    assert_eq!(page.unwrap().total, Total::Exact(1), "{served:?}");
    queries.extend(more);
    let refused = list::<C, S>(store, &examined).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork, "{examined:?}");
    queries
}

fn title(text: &str) -> LabelFilter {
    LabelFilter {
        title: Some(text.to_owned()),
        search: None,
    }
}

fn too_many<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: RecordQueries<LabelContent> + RecordQueries<MilestoneContent>,
{
    let search = |text: &str| Some(text.to_owned());
    let labels = LabelFilter {
        title: None,
        search: search("7"),
    };
    let milestones = MilestoneFilter {
        search: search("7"),
        ..MilestoneFilter::default()
    };
    let second = MilestoneFilter {
        title: search("milestone 2"),
        ..MilestoneFilter::default()
    };
    let mut queries = lists_many::<LabelContent, S>(turn, store, [title("label 2"), labels]);
    let more = lists_many::<MilestoneContent, S>(turn, store, [second, milestones]);
    queries.extend(more);
    queries
}

/// Checks that the search succeeds with one record less.
fn one_less<S>(store: &S)
where
    S: Store,
    for<'t> S::ReadTx<'t>: RecordQueries<LabelContent>,
{
    let filter = LabelFilter {
        title: None,
        search: Some("label 10000".to_owned()),
    };
    let found = list::<LabelContent, S>(store, &filter).unwrap();
    assert_eq!(found.total, Total::Exact(3));
}

#[test]
fn lists_among_too_many_records_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    let mut connection = fill_sqlite(&file, INSERT, 100_001);
    for query in too_many(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // Counted rows are found by an index.
        let is_scan = |step: &String| step.starts_with("SCAN") && !step.ends_with("counted");
        let is_wrong = |step: &String| step.contains("TEMP B-TREE") || is_scan(step);
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
    connection.batch_execute(DELETE).unwrap();
    one_less(&store);
}

#[test]
fn lists_among_too_many_records_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    let mut connection = fill_postgres(&database, INSERT, 100_001);
    for query in too_many(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan") || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
    connection.batch_execute(DELETE).unwrap();
    one_less(&store);
}
