//! Spam log: the list, holding, trimming and deletion read indexes.

use api_conventions::ids::{ProjectId, SpamLogId, UserId};
use api_conventions::time::Timestamp;
use projects::{SpamQueries as _, SpamReason, SpamRepository, Submission, SubmissionTarget};
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

const ROWS: i64 = 3_000;

/// Inserts entries of 100 users.
/// `digest` is an expression of the database for a digest of 32 bytes.
fn insert(digest: &str) -> String {
    format!(
        "INSERT INTO spam_logs (user_id, project_id, digest, title, excerpt, reason, held, first_at, last_at) \
         SELECT 1 + value % 100, 1, {digest}, 'a', 'b', 0, 1, value, value FROM NUMBERS;"
    )
}

/// Returns the statements over the log in `work`, in order.
fn statements_of<T>(turn: &Turn, work: impl FnOnce() -> Result<T, StoreError>) -> (T, Vec<String>) {
    let (outcome, mut texts) = texts_of(turn, work);
    // Insertions look up nothing.
    texts.retain(|text| text.contains("spam_logs") && !text.starts_with("INSERT"));
    (outcome.unwrap(), texts)
}

/// Returns the statements of each method, with the index that each should read.
fn statements<S>(turn: &Turn, store: &S) -> Vec<(String, &'static str)>
where
    S: Store,
    for<'t> S::WriteTx<'t>: SpamRepository,
{
    let now = Timestamp::from_micros(ROWS).unwrap();
    let user = UserId::new(1);
    let (listed, list) =
        statements_of(turn, || store.write(move |tx| tx.list_spam_logs(20)).wait());
    assert_eq!(listed.len(), 20);
    let (_, find) = statements_of(turn, || {
        store
            .write(move |tx| tx.find_spam_log(SpamLogId::new(7)))
            .wait()
    });
    let submission = Submission {
        user_id: user,
        project_id: Some(ProjectId::new(1)),
        target: SubmissionTarget::Issue(None),
        title: "a".to_owned(),
        description: String::new(),
    };
    let new = submission.to_spam_log(SpamReason::Links, now);
    let (_, hold) = statements_of(turn, || store.write(move |tx| tx.put_spam_log(&new)).wait());
    let (trimmed, trim) = statements_of(turn, || {
        store.write(move |tx| tx.trim_spam_logs(user, 30)).wait()
    });
    assert_eq!(trimmed, 1);
    let (deleted, delete) = statements_of(turn, || {
        store
            .write(move |tx| tx.delete_spam_logs_before(now, 3))
            .wait()
    });
    assert_eq!(deleted, 3);
    let all = [list, find, hold, trim, delete].concat();
    let indexes = [
        "spam_logs_last",
        "spam_logs_pkey",
        "spam_logs_key",
        "spam_logs_user",
        "spam_logs_pkey",
        "spam_logs_last",
        "spam_logs_pkey",
    ];
    assert_eq!(all.len(), indexes.len(), "{all:#?}");
    all.into_iter().zip(indexes).collect()
}

#[test]
fn the_log_of_spam_is_read_from_its_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    let digest = "CAST(printf('%032d', value) AS BLOB)";
    drop(fill_sqlite(&file, &insert(digest), ROWS));
    for (query, index) in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // A row with an id is looked up in the table itself.
        let index = match index {
            "spam_logs_pkey" => "INTEGER PRIMARY KEY",
            index => index,
        };
        let is_bad = |step: &String| {
            let is_scan = step.starts_with("SCAN spam_logs") && !step.contains("USING");
            step.contains("TEMP B-TREE") || is_scan
        };
        assert!(
            plan.iter().any(|step| step.contains(index)),
            "{query}\n{plan:#?}"
        );
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}

#[test]
fn the_log_of_spam_is_read_from_its_indexes_on_postgresql() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    let digest = "CAST(LPAD(CAST(value AS TEXT), 32, '0') AS BYTEA)";
    drop(fill_postgres(&database, &insert(digest), ROWS));
    for (query, index) in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_bad = |step: &String| step.contains("Seq Scan") || step.trim().ends_with("Sort");
        assert!(
            plan.iter().any(|step| step.contains(index)),
            "{query}\n{plan:#?}"
        );
        assert!(!plan.iter().any(is_bad), "{query}\n{plan:#?}");
    }
}
