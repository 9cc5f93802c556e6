//! Deletion of users.

use accounts::model::{GHOST_NAME, GHOST_USERNAME};
use accounts::{AccountWriteTx, TokenFilter, UserDeletion, UserFilter, UserKind, UserState};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::secret::SecretDigest;
use storage::{StoreError, StoreExt as _};

use super::deploy_tokens::token as deploy_token;
use super::tokens::token;
use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::samples::{page, timestamp};
use crate::sign_in::session;

/// Runs a write closure, and returns its result.
fn write<T: Send + 'static>(
    store: &Accounts,
    work: impl Fn(&mut dyn AccountWriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.change(move |tx| work(tx)).wait().unwrap()
}

fn deletion(user_id: UserId) -> UserDeletion {
    UserDeletion {
        user_id,
        with_contributions: false,
    }
}

pub(super) fn u01_a_user_who_is_deleted_has_no_name_and_no_access(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| write(store, move |tx| insert(tx, &user(name))));
    let hard = UserDeletion {
        with_contributions: true,
        ..deletion(ben)
    };
    write(store, move |tx| {
        let digests = ["a", "b"].map(SecretDigest::of);
        tx.put_second_factor(ann, b"sealed", 1, &digests, timestamp(1))?;
        assert!(tx.start_user_deletion(deletion(ann), timestamp(5))?);
        assert!(tx.start_user_deletion(hard, timestamp(6))?);
        // A user is deleted once.
        assert!(!tx.start_user_deletion(hard, timestamp(7))?);
        assert!(!tx.start_user_deletion(deletion(UserId::new(i64::MAX)), timestamp(7))?);
        let found = tx.find_user(ann)?.unwrap();
        assert_eq!(found.username.as_str(), GHOST_USERNAME);
        assert_eq!(
            (found.name.as_str(), found.email.as_str()),
            (GHOST_NAME, "")
        );
        assert_eq!(found.state, UserState::Blocked { at: timestamp(5) });
        assert!(!found.two_factor_enabled && found.private_profile && !found.is_admin);
        assert_eq!(tx.list_user_deletions(9)?, [deletion(ann), hard]);
        assert_eq!(tx.list_user_deletions(1)?, [deletion(ann)]);
        for name in ["ann", "ben", GHOST_USERNAME] {
            assert_eq!(tx.find_user_by_username(name)?, None, "{name}");
        }
        for login in ["ann", "ann@example.com", GHOST_USERNAME] {
            assert!(tx.find_credentials(login)?.is_none(), "{login}");
        }
        for filter in [
            UserFilter::default(),
            UserFilter {
                blocked: true,
                ..UserFilter::default()
            },
        ] {
            let listed = tx.list_users(&filter, page(1, 100))?.items;
            assert!(listed.iter().all(|user| ![ann, ben].contains(&user.id)));
        }
        // Name and address are free again.
        insert(tx, &user("ann")).map(drop)
    });
}

pub(super) fn u02_access_of_a_user_is_deleted_in_steps_and_the_user_last(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| write(store, move |tx| insert(tx, &user(name))));
    let place = accounts::TokenPlace::Project(ProjectId::new(7));
    write(store, move |tx| {
        for (id, name) in [(ann, "ann"), (ben, "ben")] {
            tx.insert_session(&session(id, &format!("{name}'s")))?;
            for number in 0..3 {
                tx.insert_token(&token(id, &format!("{name} {number}")))?;
            }
            let codes = ["a", "b"].map(|code| SecretDigest::of(&format!("{name} {code}")));
            tx.put_second_factor(id, b"sealed", 1, &codes, timestamp(1))?;
            tx.insert_deploy_token(&deploy_token(id, place, name))?;
        }
        Ok(())
    });
    assert!(!write(store, move |tx| tx.finish_user_deletion(ann)));
    write(store, move |tx| {
        tx.start_user_deletion(deletion(ann), timestamp(5))
    });
    // A session, three tokens, two recovery codes and a deploy token.
    for expected in [2, 2, 2, 1, 0] {
        let count = write(store, move |tx| tx.delete_access_of_user(ann, ben, 2));
        assert_eq!(count, expected);
    }
    let left = write(store, move |tx| {
        assert!(tx.finish_user_deletion(ann)? && !tx.finish_user_deletion(ann)?);
        assert_eq!(tx.find_user(ann)?, None);
        assert_eq!(tx.list_user_deletions(9)?, []);
        let digest = SecretDigest::of("ann");
        let deploy = tx.find_deploy_token_by_digest(&digest)?.unwrap();
        assert_eq!(deploy.creator_id, ben);
        let of_ben = TokenFilter {
            user_id: Some(ben),
            ..TokenFilter::default()
        };
        let tokens = tx.list_tokens(&of_ben, page(1, 100))?.items.len();
        Ok((tokens, tx.list_sessions(ben)?.len()))
    });
    assert_eq!(left, (3, 1));
}

pub(super) fn u03_there_is_one_ghost(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    let ghost = accounts::NewUser {
        kind: UserKind::Ghost,
        email: String::new(),
        ..user("ghost")
    };
    let id = write(store, move |tx| {
        assert_eq!(tx.find_bot(UserKind::Ghost)?, None);
        insert(tx, &ghost)
    });
    let again = accounts::NewUser {
        kind: UserKind::Ghost,
        email: String::new(),
        ..user("another")
    };
    let refused = store.change(move |tx| insert(tx, &again)).wait();
    assert!(refused.is_err(), "{refused:?}");
    let found = write(store, |tx| tx.find_bot(UserKind::Ghost));
    assert_eq!(found.map(|ghost| ghost.id), Some(id));
}
