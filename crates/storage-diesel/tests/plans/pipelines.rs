//! Lists of the reports of external CI systems: each filter and each order has its index, and only rows found by an
//! index are sorted.

use api_conventions::ids::{EnvironmentId, PipelineId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, SortOrder};
use api_conventions::time::Timestamp;
use pipelines::model::{
    CiStatus, CommitStatusFilter, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    EnvironmentFilter, EnvironmentName, EnvironmentState, JobFilter, PipelineFilter, PipelineOrder,
    PipelineScope, TimeRange,
};
use pipelines::store::CiReadTx;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

const INSERT: &str = "INSERT INTO environments (project_id, name, slug, state, tier, created_at, updated_at) \
    SELECT 1, 'env ' || value, 'env-' || value, value % 2, 4, value, value FROM NUMBERS; \
    INSERT INTO deployments (project_id, iid, environment_id, sha, reference, tag, created_at, status, updated_at, finished_at) \
    SELECT 1, value, 1 + value % 7, 'sha', 'ref ' || value, FALSE, value, value % 5, value, value FROM NUMBERS; \
    INSERT INTO pipelines (project_id, iid, reference, tag, source, user_id, created_at, sha, status, updated_at) \
    SELECT 1, value, 'ref ' || value, FALSE, 0, value % 5, value, 'sha ' || value, value % 7, value FROM NUMBERS; \
    INSERT INTO ci_jobs (project_id, pipeline_id, sha, reference, tag, name, stage, created_at, status, updated_at) \
    SELECT 1, 1 + value % 7, 'sha ' || value % 7, 'main', FALSE, 'job ' || value, 'test', value, value % 7, value FROM NUMBERS;";

type PipelineListQuery = Box<dyn Fn(&mut dyn CiReadTx) -> Result<usize, StoreError> + Send + Sync>;

fn page() -> OffsetPage {
    OffsetPage::new(2, 20)
}

fn range(after: i64) -> TimeRange {
    TimeRange {
        after: Timestamp::from_micros(after),
        before: None,
    }
}

fn environments() -> Vec<EnvironmentFilter> {
    let all = || EnvironmentFilter::new(PROJECT);
    let named = |name| EnvironmentFilter {
        name: Some(name),
        ..all()
    };
    vec![
        all(),
        EnvironmentFilter {
            state: Some(EnvironmentState::Stopped),
            ..all()
        },
        named(EnvironmentName::Is("env 7".to_owned())),
        named(EnvironmentName::Holds("env".to_owned())),
    ]
}

/// Returns every order of every combination of filters.
fn deployments() -> Vec<DeploymentFilter> {
    let mut filters = Vec::new();
    for environment_id in [None, Some(EnvironmentId::new(1))] {
        for status in [None, Some(DeploymentStatus::Success)] {
            for (updated, finished) in [(0, 0), (2_500, 0), (0, 2_500)] {
                for order_by in DeploymentOrder::ALL.iter().copied() {
                    for sort in [SortOrder::Ascending, SortOrder::Descending] {
                        let everything = TimeRange::default();
                        filters.push(DeploymentFilter {
                            environment_id,
                            status,
                            updated: if updated > 0 {
                                range(updated)
                            } else {
                                everything
                            },
                            finished: if finished > 0 {
                                range(finished)
                            } else {
                                everything
                            },
                            order_by,
                            sort,
                            ..DeploymentFilter::new(PROJECT)
                        });
                    }
                }
            }
        }
    }
    filters
}

fn pipelines() -> Vec<PipelineFilter> {
    let all = || PipelineFilter::new(PROJECT);
    let some = [
        all(),
        PipelineFilter {
            status: Some(CiStatus::Failed),
            ..all()
        },
        PipelineFilter {
            scope: Some(PipelineScope::Finished),
            ..all()
        },
        PipelineFilter {
            scope: Some(PipelineScope::Tags),
            ..all()
        },
        PipelineFilter {
            reference: Some("ref 7".to_owned()),
            status: Some(CiStatus::Created),
            ..all()
        },
        PipelineFilter {
            sha: Some("sha 7".to_owned()),
            reference: Some("ref 7".to_owned()),
            ..all()
        },
        PipelineFilter {
            user_id: Some(UserId::new(3)),
            ..all()
        },
        PipelineFilter {
            updated: range(2_500),
            status: Some(CiStatus::Failed),
            ..all()
        },
    ];
    let orders = PipelineOrder::ALL.iter().copied();
    let of_order = |order_by| {
        some.iter().map(move |filter| PipelineFilter {
            order_by,
            ..filter.clone()
        })
    };
    orders.flat_map(of_order).collect()
}

fn jobs() -> Vec<JobFilter> {
    let mut filters = Vec::new();
    for statuses in [
        None,
        Some(vec![CiStatus::Failed]),
        Some(vec![CiStatus::Failed, CiStatus::Running]),
    ] {
        for pipeline_id in [None, Some(PipelineId::new(1))] {
            for with_retried in [true, false] {
                filters.push(JobFilter {
                    pipeline_id,
                    statuses: statuses.clone(),
                    with_retried,
                    ..JobFilter::new(PROJECT)
                });
            }
        }
    }
    filters
}

/// Returns all lists, each with the number of rows that it returned.
fn lists() -> Vec<PipelineListQuery> {
    let mut all: Vec<PipelineListQuery> = Vec::new();
    for filter in environments() {
        all.push(Box::new(move |tx| {
            Ok(tx.list_environments(&filter, page())?.items.len())
        }));
    }
    for filter in deployments() {
        all.push(Box::new(move |tx| {
            Ok(tx.list_deployments(&filter, page())?.items.len())
        }));
    }
    for filter in pipelines() {
        all.push(Box::new(move |tx| {
            Ok(tx.list_pipelines(&filter, page())?.items.len())
        }));
    }
    for filter in jobs() {
        let walked = filter.clone();
        all.push(Box::new(move |tx| {
            Ok(tx.list_jobs(&filter, page())?.items.len())
        }));
        let walk = KeysetPage::new(20, SortOrder::Descending);
        all.push(Box::new(move |tx| {
            Ok(tx.list_jobs_after(&walked, None, walk)?.items.len())
        }));
    }
    let commit = CommitStatusFilter::new(PROJECT, "sha 1".to_owned());
    all.push(Box::new(move |tx| {
        Ok(tx.list_commit_statuses(&commit, page())?.items.len())
    }));
    all.push(Box::new(|tx| {
        tx.find_current_job(PipelineId::new(1), "job 7")?;
        tx.find_latest_pipeline(PROJECT, "sha 7", Some("ref 7"))?;
        Ok(tx.list_statuses_of(PipelineId::new(1))?.len())
    }));
    all
}

fn queries<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: CiReadTx + Sized,
{
    let mut all = Vec::new();
    let mut listed = 0;
    for list in lists() {
        let (found, queries) = queries_of(turn, || store.read(move |tx| list(tx)).wait());
        let found: Result<usize, StoreError> = found;
        listed += found.unwrap();
        all.extend(queries);
    }
    assert!(listed > 1_000, "{listed}");
    all.sort();
    all.dedup();
    all
}

/// True if a query sorts the rows that it found, because no index has its order.
fn is_sorted(query: &str) -> bool {
    query.contains("id + 0") || query.contains("UNION ALL")
}

#[test]
fn lists_of_reports_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(&file, INSERT, 3_000));
    for query in queries(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_derived = |step: &str| {
            let name = step.trim_start_matches("SCAN ");
            name == "counted" || name == "merged" || name.starts_with('s') || name == "CONSTANT ROW"
        };
        let is_bad = |step: &String| {
            (step.contains("TEMP B-TREE") && !is_sorted(&query))
                || (step.starts_with("SCAN") && !is_derived(step))
        };
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_of_reports_are_read_from_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    drop(fill_postgres(&database, INSERT, 3_000));
    for query in queries(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_bad = |step: &String| {
            step.contains("Seq Scan") || (step.contains("Sort") && !is_sorted(&query))
        };
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}

/// Rows that changed in a range of time are found by that range alone, in any order.
#[test]
fn a_window_of_deployments_is_read_by_its_index_and_bounded() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    drop(fill_sqlite(&file, INSERT, 10_002));
    let list = |filter: &DeploymentFilter| {
        let filter = filter.clone();
        let listed = store.read(move |tx| {
            let tx: &mut dyn CiReadTx = tx;
            tx.list_deployments(&filter, page())
        });
        let listed: Result<_, StoreError> = listed.wait();
        listed.map(|listed| listed.items.len())
    };
    for status in [None, Some(DeploymentStatus::Success)] {
        let narrow = DeploymentFilter {
            status,
            updated: range(9_000),
            ..DeploymentFilter::new(PROJECT)
        };
        let (found, queries) = queries_of(&turn, || list(&narrow));
        assert_eq!(found.unwrap(), 20);
        for query in queries.iter().filter(|query| !query.contains("IN (")) {
            let plan = plan_on_sqlite(&file, query);
            let is_window = |step: &String| step.contains("deployments_updated");
            assert!(plan.iter().any(is_window), "{query}\n{plan:#?}");
        }
        let wide = DeploymentFilter {
            updated: range(1),
            ..narrow
        };
        let refused = list(&wide).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::TooMuchWork);
        let paired = DeploymentFilter {
            order_by: DeploymentOrder::UpdatedAt,
            ..wide
        };
        assert_eq!(list(&paired).unwrap(), 20);
    }
}
