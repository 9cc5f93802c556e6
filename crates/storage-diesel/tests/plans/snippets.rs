//! Lists of snippets read an index in its order, however many other snippets there are.

use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use projects::{SnippetFilter, SnippetQueries, SnippetScope};
use storage::Store;

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

const ROWS: i64 = 20_000;

/// Snippets of a hundred authors, most of them private. Every tenth one is of the project.
/// `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO snippets (project_id, author_id, created_at, title, visibility, updated_at) \
    SELECT CASE WHEN value % 10 = 0 THEN 1 ELSE NULL END, value % 100, value, 'x', \
    CASE WHEN value % 7 = 0 THEN 20 WHEN value % 11 = 0 THEN 10 ELSE 0 END, 1 FROM NUMBERS;";

/// Lists snippets in all scopes, and returns the statements that this took.
fn lists<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SnippetQueries,
{
    let of_project = |least| SnippetScope::Project { id: PROJECT, least };
    let mut queries = Vec::new();
    for scope in [
        SnippetScope::OfAuthor(UserId::new(7)),
        SnippetScope::VisibleTo(UserId::new(7)),
        SnippetScope::Public,
        SnippetScope::All,
        of_project(Visibility::Private),
        of_project(Visibility::Internal),
        of_project(Visibility::Public),
    ] {
        for created_after in [None, Timestamp::from_micros(ROWS / 2)] {
            let filter = SnippetFilter {
                created_after,
                ..SnippetFilter::new(scope)
            };
            let list = || {
                let page = OffsetPage::new(1, 20);
                store.read(move |tx| tx.list_snippets(&filter, page)).wait()
            };
            let (page, more) = queries_of(turn, list);
            assert!(!page.unwrap().items.is_empty(), "{filter:?}");
            // At most ten files of each snippet of the page are looked up by its id.
            queries.extend(
                more.into_iter()
                    .filter(|query| !query.contains("snippet_files")),
            );
        }
    }
    assert!(queries.len() >= 42, "{queries:#?}");
    queries
}

#[test]
fn lists_of_snippets_read_their_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, INSERT, ROWS);
    for query in lists(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_wrong = |step: &String| {
            let is_scan = step.starts_with("SCAN snippets") && !step.contains("USING");
            is_scan || step.contains("TEMP B-TREE")
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
        let is_covering = plan.iter().any(|step| step.contains("COVERING INDEX"));
        let is_lookup = plan.iter().any(|step| step.contains("INTEGER PRIMARY KEY"));
        assert!(is_covering || is_lookup, "{query}\n{plan:#?}");
    }
}

#[test]
fn lists_of_snippets_read_their_indexes_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    fill_postgres(&database, INSERT, ROWS);
    for query in lists(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_wrong = |line: &String| line.contains("Seq Scan") || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
