//! Image repositories: the list and the lookup by name read their indexes.

use api_conventions::ids::NamespaceId;
use api_conventions::page::{OffsetPage, Total};
use api_conventions::time::Timestamp;
use projects::ImageQueries;
use storage::Store;

use crate::recorder::{Turn, queries_of};
use crate::stores::{
    PROJECT, create_project, fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite,
    postgres, sqlite,
};

/// Repositories of one project, with deletions of images. `NUMBERS` marks the place where the database counts.
const INSERT: &str = "INSERT INTO image_repositories (project_id, name, created_at) \
    SELECT 1, 'a/b/' || value, value FROM NUMBERS; \
    INSERT INTO image_cleanups (name, requested_at, due_at) SELECT 'a/b/' || value, value, value FROM NUMBERS;";

const ROWS: i64 = 3_000;

/// Lists a page and finds a repository, and returns the statements that this took.
fn reads<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::ReadTx<'t>: ImageQueries,
{
    let page = OffsetPage::new(2, 20);
    let (listed, mut queries) = queries_of(turn, || {
        let listed = store.read(move |tx| tx.list_image_repositories(PROJECT, page));
        listed.wait()
    });
    assert_eq!(listed.unwrap().total, Total::Exact(3_000));
    let (found, more) = queries_of(turn, || {
        let found = store.read(|tx| tx.find_image_repository_by_name("a/b/7"));
        found.wait()
    });
    assert!(found.unwrap().is_some());
    queries.extend(more);
    let (found, more) = queries_of(turn, || {
        let found = store.read(|tx| {
            let page = OffsetPage::new(1, 20);
            tx.list_image_repositories_of_group(NamespaceId::new(1), page)?;
            tx.find_image_cleanup("a/b/7")?;
            tx.find_due_image_cleanup(Timestamp::MAX)
        });
        found.wait()
    });
    assert!(found.unwrap().is_some());
    queries.extend(more);
    queries
}

#[test]
fn image_repositories_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    fill_sqlite(&file, INSERT, ROWS);
    for query in reads(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        let is_wrong =
            |step: &String| step.contains("TEMP B-TREE") || step.starts_with("SCAN image_");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn image_repositories_are_read_from_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    create_project(&store);
    fill_postgres(&database, INSERT, ROWS);
    for query in reads(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let by_name = query.contains("\"name\" =");
        let is_wrong =
            |line: &String| line.contains("Sort") || by_name && line.contains("Seq Scan");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
