//! Invitations and statuses of users: every statement reads an index.

use accounts::{
    InvitationQueries as _, InvitationRepository, StatusQueries as _, StatusRepository, TokenPlace,
};
use api_conventions::ids::{InvitationId, ProjectId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{Store, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{
    fill_postgres, fill_sqlite, plan_on_postgres, plan_on_sqlite, postgres, sqlite,
};

const ROWS: i64 = 3_000;

/// Inserts users with an invitation and a status each. `DIGEST` and `NUMBERS` differ between the databases.
const INSERT: &str = "INSERT INTO users (id, username, username_key, name, name_key, email, email_key, kind, is_admin, created_at) \
    SELECT 1000 + value, 'u' || value, 'u' || value, '', '', '', NULL, 0, FALSE, 1 FROM NUMBERS; \
    INSERT INTO invitations (creator_id, place_kind, place_id, access_level, digest, created_at, expires_at) \
    SELECT 1000 + value, 1, value, 30, DIGEST, 1, value FROM NUMBERS; \
    INSERT INTO user_statuses (user_id, emoji, message, availability, clear_at) \
    SELECT 1000 + value, 'coffee', '', 0, value FROM NUMBERS;";

/// Returns the statements of each method.
fn statements<S>(turn: &Turn, store: &S) -> Vec<String>
where
    S: Store,
    for<'t> S::WriteTx<'t>: InvitationRepository + StatusRepository,
{
    let early = Timestamp::from_micros(4).unwrap();
    let (outcome, mut texts) = texts_of(turn, || {
        let work = store.write(move |tx| {
            let digest = SecretDigest::of("unknown");
            tx.find_invitation_by_digest(&digest)?;
            tx.find_invitation(InvitationId::new(9))?;
            let listed = tx.list_invitations(OffsetPage::new(2, 20))?;
            assert_eq!(listed.items.len(), 20);
            tx.take_invitation(&digest, early)?;
            tx.delete_invitation(InvitationId::new(9))?;
            let to = TokenPlace::Project(ProjectId::new(7));
            assert_eq!(tx.delete_invitations_to(to)?, 1);
            assert_eq!(tx.delete_expired_invitations(early, 2)?, 2);
            assert!(tx.find_user_status(UserId::new(1009))?.is_some());
            assert_eq!(tx.delete_cleared_statuses(early, 2)?, 2);
            tx.delete_user_status(UserId::new(1009))?;
            Ok::<_, StoreError>(())
        });
        work.wait()
    });
    outcome.unwrap();
    texts.retain(|text| text.contains("invitations") || text.contains("user_statuses"));
    assert!(texts.len() > 10, "{texts:#?}");
    texts
}

#[test]
fn invitations_and_statuses_are_read_from_indexes_on_sqlite() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    let insert = INSERT.replace("DIGEST", "CAST('digest ' || value AS BLOB)");
    drop(fill_sqlite(&file, &insert, ROWS));
    for query in statements(&turn, &store) {
        let plan = plan_on_sqlite(&file, &query);
        // The list itself is a scan in the order of ids, which ends with the page.
        let is_list = query.contains("ORDER BY `invitations`.`id`") || query.contains("COUNT");
        let is_wrong = |step: &String| {
            step.starts_with("SCAN") && !is_list && !step.contains("SUBQUERY")
                || step.contains("TEMP B-TREE")
        };
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}

#[test]
fn invitations_and_statuses_are_read_from_indexes_on_postgres() {
    let turn = Turn::take();
    let Some((store, database)) = postgres() else {
        return;
    };
    let insert = INSERT.replace("DIGEST", "CAST('digest ' || value AS BYTEA)");
    fill_postgres(&database, &insert, ROWS);
    for query in statements(&turn, &store) {
        let plan = plan_on_postgres(database.url(), &query);
        let is_count = query.contains("COUNT");
        let is_wrong =
            |line: &String| line.contains("Seq Scan") && !is_count || line.contains("Sort");
        assert!(!plan.iter().any(is_wrong), "{query}\n{plan:#?}");
    }
}
