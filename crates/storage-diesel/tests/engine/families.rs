//! Families of tokens under concurrent writers of several nodes, on PostgreSQL: no transaction fails because two of
//! them wait for each other, and the end of a family leaves nothing alive.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use api_conventions::ids::{ApplicationId, GrantId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    ApplicationOptions, ApplicationRepository, ApplicationUid, ClientType, GrantQueries,
    GrantRepository, NewApplication, NewGrant, NewTokenPair, Redemption, Rotation, RotationSeed,
    TokenPairState, TokenSubject,
};
use storage::{Store, StoreError};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::databases::migrate;
use crate::support::insert;

const NODES: usize = 6;
const AT_ONCE: usize = 50;

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000).unwrap()
}

fn seed() -> RotationSeed {
    RotationSeed::from_bytes([7; 32])
}

fn application(uid: &str) -> NewApplication {
    NewApplication {
        uid: ApplicationUid::parse(uid).unwrap(),
        secret: SecretDigest::of(uid),
        name: uid.to_owned(),
        redirect_uris: Vec::new(),
        post_logout_redirect_uris: Vec::new(),
        scopes: ScopeSet::default(),
        client_type: ClientType::Confidential,
        trusted: false,
        options: ApplicationOptions::of(ClientType::Confidential),
        owner_id: None,
        created_at: at(0),
    }
}

pub(crate) fn grant(user_id: UserId, application_id: ApplicationId, code: &str) -> NewGrant {
    NewGrant {
        code: Some((SecretDigest::of(code), at(600))),
        subject: TokenSubject::user(user_id, application_id),
        session_id: None,
        scopes: ScopeSet::default(),
        redirect_uri: None,
        challenge: None,
        nonce: None,
        auth_time: at(0),
        created_at: at(0),
        expires_at: at(1_000_000),
    }
}

pub(crate) fn pair(user_id: UserId, grant_id: GrantId, name: &str) -> NewTokenPair {
    NewTokenPair {
        access: SecretDigest::of(&format!("access-{name}")),
        refresh: Some((SecretDigest::of(&format!("refresh-{name}")), at(1_000_000))),
        grant_id,
        subject: TokenSubject::User {
            user_id,
            application_id: None,
        },
        scopes: ScopeSet::default(),
        created_at: at(1),
        expires_at: at(7_200),
    }
}

fn refresh(name: &str) -> SecretDigest {
    SecretDigest::of(&format!("refresh-{name}"))
}

/// Inserts a user and an application.
pub(crate) fn actors<Tx>(tx: &mut Tx) -> Result<(UserId, ApplicationId), StoreError>
where
    Tx: accounts::AccountRepository + ApplicationRepository + ?Sized,
{
    Ok((
        insert(tx, "ann")?,
        tx.insert_application(&application("app"))?,
    ))
}

/// Inserts a redeemed grant, whose pairs have these names.
fn family<Tx>(
    tx: &mut Tx,
    user: UserId,
    application: ApplicationId,
    names: &[String],
) -> Result<GrantId, StoreError>
where
    Tx: GrantRepository + ?Sized,
{
    let first = names.first().unwrap();
    let id = tx.insert_grant(&grant(user, application, first))?;
    let redeemed = tx.redeem_code(&SecretDigest::of(first), &pair(user, id, first), at(1))?;
    assert!(matches!(redeemed, Redemption::Redeemed(_)), "{redeemed:?}");
    for name in names.iter().skip(1) {
        tx.insert_pair(&pair(user, id, name))?;
    }
    Ok(id)
}

/// True if a pair is known and revoked.
fn is_revoked<Tx: GrantQueries + ?Sized>(tx: &mut Tx, name: &str) -> Result<bool, StoreError> {
    let pair = tx.find_pair_by_refresh(&refresh(name))?;
    Ok(pair.is_some_and(|pair| matches!(pair.state, TokenPairState::Revoked { .. })))
}

/// Opens several stores on one database, as several nodes would.
fn nodes() -> Option<(Vec<Arc<PostgresStore>>, TestDatabase)> {
    let database = TestDatabase::prepared(migrate)?;
    let options = PostgresOptions {
        readers: 1,
        deadline: Duration::from_mins(10),
        ..PostgresOptions::default()
    };
    let open = |_| PostgresStore::open(database.url(), options.clone()).unwrap();
    let nodes = (0..NODES).map(open).map(Arc::new).collect();
    Some((nodes, database))
}

/// Runs work on this many threads, all at the same time, and returns the results.
fn at_once<T: Send + 'static>(
    count: usize,
    work: impl Fn(usize) -> T + Clone + Send + 'static,
) -> Vec<T> {
    let start = Arc::new(Barrier::new(count));
    let threads: Vec<_> = (0..count)
        .map(|number| {
            let (start, work) = (Arc::clone(&start), work.clone());
            thread::spawn(move || {
                start.wait();
                work(number)
            })
        })
        .collect();
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect()
}

#[test]
fn ending_a_family_ends_every_successor() {
    let Some((nodes, _database)) = nodes() else {
        return;
    };
    let old: Vec<String> = (0..AT_ONCE).map(|number| format!("old-{number}")).collect();
    let names = old.clone();
    let family = nodes[0].write(move |tx| {
        let (user, application) = actors(tx)?;
        Ok::<_, StoreError>((user, family(tx, user, application, &names)?))
    });
    let (user, id) = family.wait().unwrap();
    let stores = nodes.clone();
    let ended = at_once(AT_ONCE + NODES, move |number| {
        let store = &stores[number % NODES];
        if number % 10 == 9 {
            return store.write(move |tx| tx.revoke_grant(id, at(3))).wait();
        }
        let (old, new) = (format!("old-{}", number % AT_ONCE), format!("new-{number}"));
        let rotated = store
            .write(move |tx| tx.rotate_pair(&refresh(&old), seed(), &pair(user, id, &new), at(2)));
        rotated.wait().map(|_| false)
    });
    let ended: Result<Vec<bool>, StoreError> = ended.into_iter().collect();
    assert_eq!(ended.unwrap().into_iter().filter(|ended| *ended).count(), 1);
    let alive = nodes[0].read(move |tx| {
        let mut alive = Vec::new();
        for name in old {
            if !is_revoked(tx, &name)? {
                alive.push(name);
            }
        }
        for number in 0..AT_ONCE + NODES {
            let name = format!("new-{number}");
            if tx.find_pair_by_refresh(&refresh(&name))?.is_some() && !is_revoked(tx, &name)? {
                alive.push(name);
            }
        }
        Ok::<_, StoreError>(alive)
    });
    assert_eq!(alive.wait().unwrap(), Vec::<String>::new());
}

/// Each transaction first finds that the token was used, and then revokes the family.
#[test]
fn many_who_see_the_same_reuse_end_the_family_once() {
    let Some((nodes, _database)) = nodes() else {
        return;
    };
    let family = nodes[0].write(move |tx| {
        let (user, application) = actors(tx)?;
        let id = family(tx, user, application, &["first".to_owned()])?;
        tx.rotate_pair(&refresh("first"), seed(), &pair(user, id, "second"), at(2))?;
        Ok::<_, StoreError>((user, id))
    });
    let (user, id) = family.wait().unwrap();
    let stores = nodes.clone();
    let ended = at_once(AT_ONCE, move |number| {
        let reused = stores[number % NODES].write(move |tx| {
            let third = pair(user, id, "third");
            let rotation = tx.rotate_pair(&refresh("first"), seed(), &third, at(3))?;
            assert!(matches!(rotation, Rotation::NotCurrent(_)), "{rotation:?}");
            tx.revoke_grant(id, at(3))
        });
        reused.wait()
    });
    let ended: Result<Vec<bool>, StoreError> = ended.into_iter().collect();
    assert_eq!(ended.unwrap().into_iter().filter(|ended| *ended).count(), 1);
    let revoked = nodes[0].read(|tx| is_revoked(tx, "second"));
    assert!(revoked.wait().unwrap());
}

/// Each node has one piece of work at a time, and all of it touches the same grants: single rotations, the revocation
/// of all grants of a user, cleanup, and the deletion of the application.
#[test]
fn no_two_nodes_wait_for_each_other() {
    let Some((nodes, _database)) = nodes() else {
        return;
    };
    let families: Vec<Vec<String>> = (0..AT_ONCE)
        .map(|number| vec![format!("f{number}-0"), format!("f{number}-1")])
        .collect();
    let made = nodes[0].write(move |tx| {
        let (user, application) = actors(tx)?;
        let ids: Result<Vec<GrantId>, StoreError> = families
            .iter()
            .map(|names| family(tx, user, application, names))
            .collect();
        Ok::<_, StoreError>((user, application, ids?))
    });
    let (user, application, ids) = made.wait().unwrap();
    let outcomes = at_once(NODES, move |node| {
        let store = &nodes[node];
        let rotate = |number: usize, half: usize| {
            let (old, new) = (format!("f{number}-{half}"), format!("n{number}-{half}"));
            let successor = pair(user, ids[number], &new);
            let rotated =
                store.write(move |tx| tx.rotate_pair(&refresh(&old), seed(), &successor, at(2)));
            rotated.wait().map(drop)
        };
        match node {
            0 => (0..AT_ONCE).try_for_each(|number| rotate(number, 0)),
            1 => (0..AT_ONCE).rev().try_for_each(|number| rotate(number, 1)),
            2 | 3 => (0..10).try_for_each(|_| {
                let ended =
                    store.write(move |tx| tx.revoke_grants_of_user(user, Some(application), at(3)));
                ended.wait().map(drop)
            }),
            4 => (0..10).try_for_each(|_| {
                let deleted = store.write(move |tx| tx.delete_spent_grants(at(2_000_000), 5));
                deleted.wait().map(drop)
            }),
            _ => {
                let deleted = store.write(move |tx| tx.delete_application(application));
                deleted.wait().map(|deleted| assert!(deleted))
            }
        }
    });
    let refused: Vec<StoreError> = outcomes.into_iter().filter_map(Result::err).collect();
    assert!(refused.is_empty(), "{refused:?}");
}
