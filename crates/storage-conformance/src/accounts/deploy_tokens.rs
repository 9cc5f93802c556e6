//! Deploy tokens.

use accounts::{AccountRepository, DeployToken, DeployTokenFilter, NewDeployToken, TokenPlace};
use api_conventions::ids::{DeployTokenId, NamespaceId, ProjectId, UserId};
use api_conventions::page::Total;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

const PROJECT: TokenPlace = TokenPlace::Project(ProjectId::new(7));
const OTHER_PROJECT: TokenPlace = TokenPlace::Project(ProjectId::new(8));
const GROUP: TokenPlace = TokenPlace::Group(NamespaceId::new(7));

/// A deploy token that expires at second 50, whose secret is its name.
pub(super) fn token(creator_id: UserId, place: TokenPlace, name: &str) -> NewDeployToken {
    NewDeployToken {
        place,
        name: name.to_owned(),
        chosen_username: None,
        scopes: ScopeSet::parse("read_repository").unwrap(),
        digest: SecretDigest::of(name),
        expires_at: Some(timestamp(50)),
        creator_id,
        created_at: timestamp(0),
    }
}

/// Deploy tokens at the limits of the columns.
fn edges(creator_id: UserId) -> Vec<NewDeployToken> {
    let endless = NewDeployToken {
        chosen_username: Some("robot+1.x".to_owned()),
        scopes: ScopeSet::parse("read_registry read_repository write_registry").unwrap(),
        expires_at: None,
        created_at: Timestamp::MIN,
        ..token(creator_id, GROUP, HOSTILE)
    };
    let late = NewDeployToken {
        expires_at: Some(Timestamp::MAX),
        created_at: Timestamp::MAX,
        ..token(
            creator_id,
            TokenPlace::Project(ProjectId::new(i64::MAX)),
            "",
        )
    };
    vec![endless, late]
}

entity! {
    /// A deploy token. It is looked up by its id and by its digest, here the digest of its name.
    StoredDeployToken in Accounts, of UserId: NewDeployToken => DeployToken;
    owners: |harness| {
        let created = harness
            .store()
            .change(|tx| Ok([insert(tx, &user("owner"))?, insert(tx, &user("other"))?]));
        created.wait().unwrap()
    };
    key: |token| -> (DeployTokenId, String) { (token.id, token.name.clone()) },
        unknown: (DeployTokenId::new(i64::MAX), "unknown".to_owned());
    sample: |user, number| token(user, PROJECT, &format!("token {number}"));
    edges: |user| edges(user);
    insert: |tx, new| Ok((tx.insert_deploy_token(new)?, new.name.clone()));
    find: |tx, _, (id, name)| {
        let by_digest = tx.find_deploy_token_by_digest(&SecretDigest::of(name))?;
        assert_eq!(tx.find_deploy_token(*id)?, by_digest);
        Ok(by_digest)
    }, by owner: false;
    expected: |new, found| DeployToken {
        id: found.id,
        place: new.place,
        name: new.name.clone(),
        chosen_username: new.chosen_username.clone(),
        scopes: new.scopes.clone(),
        expires_at: new.expires_at,
        creator_id: new.creator_id,
        created_at: new.created_at,
    };
    try_insert: |tx, new| Self::insert(tx, new).map(Some), per owner: false;
    clashing: |user, number| NewDeployToken {
        name: "another".to_owned(),
        ..Self::sample(user, number)
    };
}

/// Inserts two tokens of a project, of which one never expires, one of another project and one of a group with the same
/// id.
fn insert_various(tx: &mut dyn AccountRepository) -> Result<(), StoreError> {
    let ann = insert(tx, &user("ann"))?;
    for (place, name) in [
        (PROJECT, "seven"),
        (OTHER_PROJECT, "eight"),
        (GROUP, "group"),
    ] {
        tx.insert_deploy_token(&token(ann, place, name))?;
    }
    let endless = NewDeployToken {
        expires_at: None,
        ..token(ann, PROJECT, "endless")
    };
    tx.insert_deploy_token(&endless).map(drop)
}

/// Asserts that a filter lists the tokens with these names, separated by spaces.
#[track_caller]
fn check_list(store: &Accounts, filter: DeployTokenFilter, expected: &str) {
    let listed = store.query(move |tx| tx.list_deploy_tokens(&filter, page(1, 100)));
    let listed = listed.wait().unwrap();
    let names: Vec<&str> = listed.items.iter().map(|token| &*token.name).collect();
    assert_eq!(names.join(" "), expected, "{filter:?}");
    let count = u64::try_from(names.len()).unwrap();
    assert_eq!(listed.total, Total::Exact(count), "{filter:?}");
}

fn of(place: TokenPlace) -> DeployTokenFilter {
    DeployTokenFilter {
        place: Some(place),
        unexpired_at: None,
    }
}

pub(super) fn a42_deploy_tokens_are_listed_by_place_and_expiry(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let at = |place, seconds| DeployTokenFilter {
        place,
        unexpired_at: Some(timestamp(seconds)),
    };
    check_list(
        store,
        DeployTokenFilter::default(),
        "seven eight group endless",
    );
    check_list(store, of(PROJECT), "seven endless");
    check_list(store, of(OTHER_PROJECT), "eight");
    check_list(store, of(GROUP), "group");
    check_list(store, of(TokenPlace::Group(NamespaceId::new(8))), "");
    check_list(store, at(None, 49), "seven eight group endless");
    check_list(store, at(None, 50), "endless");
    check_list(store, at(Some(PROJECT), 49), "seven endless");
    check_list(store, at(Some(OTHER_PROJECT), 50), "");
    let pages = [(1, "seven eight"), (2, "group endless"), (3, "")];
    for (number, expected) in pages {
        let all = DeployTokenFilter::default();
        let listed = store.query(move |tx| tx.list_deploy_tokens(&all, page(number, 2)));
        let listed = listed.wait().unwrap();
        let names: Vec<&str> = listed.items.iter().map(|token| &*token.name).collect();
        assert_eq!(names.join(" "), expected, "page {number}");
        assert_eq!(listed.has_next, number == 1, "page {number}");
    }
}

pub(super) fn a43_a_deletion_ends_one_deploy_token_or_those_of_a_place(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let deleted = store.change(|tx| {
        let eight = tx.find_deploy_token_by_digest(&SecretDigest::of("eight"))?;
        let eight = eight.expect("the token was inserted").id;
        let unknown = tx.delete_deploy_token(DeployTokenId::new(i64::MAX))?;
        let first = tx.delete_deploy_token(eight)?;
        Ok((unknown, first, tx.delete_deploy_token(eight)?))
    });
    assert_eq!(deleted.wait().unwrap(), (false, true, false));
    check_list(store, DeployTokenFilter::default(), "seven group endless");
    let deleted = store.change(|tx| {
        let first = tx.delete_deploy_tokens_of(PROJECT)?;
        Ok((first, tx.delete_deploy_tokens_of(PROJECT)?))
    });
    assert_eq!(deleted.wait().unwrap(), (2, 0));
    check_list(store, DeployTokenFilter::default(), "group");
}
