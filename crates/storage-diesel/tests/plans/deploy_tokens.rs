//! Lists of deploy tokens with more rows than one request may examine.

use accounts::{AccountQueries, DeployToken, DeployTokenFilter, TokenPlace};
use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::time::Timestamp;
use storage::{Store, StoreError, StoreErrorKind};

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

/// Tokens, one more than one request may examine. The first three are of project 2, and the others of project 1. Only
/// the third one never expires; the others have expired. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO users (id, username, username_key, name, name_key, email, email_key, kind, is_admin, created_at) \
    VALUES (1001, 'a', 'a', '', '', '', NULL, 0, FALSE, 1); \
    INSERT INTO deploy_tokens (place_kind, place_id, name, scopes, expires_at, creator_id, created_at, digest) \
    SELECT 1, CASE WHEN value <= 3 THEN 2 ELSE 1 END, 'x', 'read_repository', CASE value WHEN 3 THEN NULL ELSE 1 END, 1001, 1, \
    CAST('digest-' || value AS BYTES) FROM NUMBERS;";

fn list<S>(store: &S, filter: DeployTokenFilter) -> Result<Page<DeployToken>, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let page = OffsetPage::new(1, 2);
    let listed = store.read(move |tx| tx.list_deploy_tokens(&filter, page));
    listed.wait()
}

/// Lists the tokens, and returns the statements that this took.
fn too_many_deploy_tokens<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: AccountQueries,
{
    let of = |id| DeployTokenFilter {
        place: Some(TokenPlace::Project(ProjectId::new(id))),
        unexpired_at: None,
    };
    let unexpired = |filter| DeployTokenFilter {
        unexpired_at: Timestamp::from_micros(2),
        ..filter
    };
    let mut queries = Vec::new();
    for (filter, total) in [
        (DeployTokenFilter::default(), Total::Beyond),
        (of(1), Total::Beyond),
        (of(2), Total::Exact(3)),
        (unexpired(of(2)), Total::Exact(1)),
        (unexpired(of(1)), Total::Exact(0)),
    ] {
        let (page, more) = queries_of(turn, || list(store, filter));
        assert_eq!(page.unwrap().total, total, "{filter:?}");
        queries.extend(more);
    }
    // The examined tokens have one that has not expired, and the last token may be another one.
    let refused = list(store, unexpired(DeployTokenFilter::default()));
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::TooMuchWork);
    queries
}

#[test]
fn lists_among_too_many_deploy_tokens_are_limited_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    fill_sqlite(&file, &INSERT.replace("BYTES", "BLOB"), 100_001);
    for query in too_many_deploy_tokens(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let by_id = query.contains("ORDER BY") || query.contains("COUNT(*)");
        let is_wrong = |step: &String| {
            step.contains("TEMP B-TREE") || step.starts_with("SCAN deploy_tokens") && !by_id
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_among_too_many_deploy_tokens_are_limited_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    fill_postgres(&database, &INSERT.replace("BYTES", "BYTEA"), 100_001);
    for query in too_many_deploy_tokens(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan") || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
