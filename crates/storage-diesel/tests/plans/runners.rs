//! Lists of runners with more rows than one request may examine.

use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::page::{OffsetPage, Page, Total};
use pipelines::model::{Runner, RunnerFilter, RunnerPlace, RunnersOf};
use pipelines::store::RunnerQueries;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Runners, one more than one request may examine. The first three are of project 2, of which the third one is paused,
/// and the others of the instance. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO runners (id, runner_type, creator_id, created_at, digest, description, paused, locked, \
    run_untagged, access_level, tags) \
    SELECT value, CASE WHEN value <= 3 THEN 3 ELSE 1 END, 1, 1, CAST('digest-' || value AS BYTES), '', value = 3, FALSE, \
    TRUE, 0, '' FROM NUMBERS; \
    INSERT INTO runner_places (place_id, place_kind, runner_id) \
    SELECT CASE WHEN runner_type = 3 THEN 2 ELSE 0 END, runner_type, id FROM runners;";

fn list<S>(store: &S, filter: RunnerFilter) -> Result<Page<Runner>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: RunnerQueries,
{
    let page = OffsetPage::new(1, 2);
    let listed = store.read(move |tx| tx.list_runners(&filter, page));
    listed.wait()
}

/// Lists the runners, and returns the statements that this took.
fn too_many_runners<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: RunnerQueries,
{
    let everything = RunnerFilter::new(RunnersOf::Everything);
    let project = RunnerPlace::Project(ProjectId::new(2));
    let group = RunnerPlace::Group(NamespaceId::new(2));
    let of_project = RunnerFilter::new(RunnersOf::Places(vec![project, group]));
    let paused = |filter: &RunnerFilter| RunnerFilter {
        paused: Some(true),
        ..filter.clone()
    };
    let mut queries = Vec::new();
    for (filter, total) in [
        (everything.clone(), Total::Beyond),
        (of_project.clone(), Total::Exact(3)),
        (paused(&of_project), Total::Exact(1)),
    ] {
        let (page, more) = queries_of(turn, || list(store, filter.clone()));
        assert_eq!(page.unwrap().total, total, "{filter:?}");
        queries.extend(more);
    }
    // The examined runners have one that is paused, and the last runner may be another one.
    let refused = list(store, paused(&everything));
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::TooMuchWork);
    queries
}

#[test]
fn lists_among_too_many_runners_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, &INSERT.replace("BYTES", "BLOB"), 100_001);
    for query in too_many_runners(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_of_places = query.contains("runner_places");
        let is_wrong = |step: &String| {
            step.starts_with("SCAN runner_places")
                || is_of_places && step.starts_with("SCAN runners")
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_among_too_many_runners_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    fill_postgres(&database, &INSERT.replace("BYTES", "BYTEA"), 100_001);
    for query in too_many_runners(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
