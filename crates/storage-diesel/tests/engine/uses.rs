//! Concurrent updates of last uses, on PostgreSQL.

use std::sync::{Arc, Barrier};
use std::thread;

use accounts::{AccountQueries as _, AccountRepository as _, NewToken, TokenKind};
use api_conventions::ids::TokenId;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Store as _, StoreError};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::databases::migrate;
use crate::support::insert;

const TOKENS: usize = 60;
const ROUNDS: i64 = 30;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000).unwrap()
}

fn store_on(database: &TestDatabase) -> PostgresStore {
    PostgresStore::open(database.url(), PostgresOptions::default()).unwrap()
}

fn tokens(store: &PostgresStore) -> Vec<TokenId> {
    let made = store.write(|tx| {
        let user_id = insert(tx, "ann")?;
        let tokens = (0..TOKENS).map(|number| {
            tx.insert_token(&NewToken {
                user_id,
                name: "ci".to_owned(),
                kind: TokenKind::Personal,
                family_id: None,
                scopes: ScopeSet::from_iter([Scope::API]),
                digest: SecretDigest::of(&number.to_string()),
                expires_on: CalendarDate::parse("2025-01-01").unwrap(),
                creator_id: None,
                created_at: at(0),
            })
        });
        tokens.collect::<Result<Vec<_>, StoreError>>()
    });
    made.wait().unwrap()
}

/// Each process collects uses in its own order.
#[test]
fn batches_of_the_same_tokens_in_other_orders_do_not_wait_for_each_other() {
    let Some(database) = TestDatabase::prepared(migrate) else {
        return;
    };
    let first = store_on(&database);
    let forwards = tokens(&first);
    let backwards: Vec<TokenId> = forwards.iter().rev().copied().collect();
    let start = Arc::new(Barrier::new(2));
    let writers = [(first, forwards), (store_on(&database), backwards)].map(|(store, ids)| {
        let start = Arc::clone(&start);
        thread::spawn(move || {
            start.wait();
            for round in 1..=ROUNDS {
                let used: Vec<_> = ids.iter().map(|id| (*id, at(round))).collect();
                store.write(move |tx| tx.touch_tokens(&used)).wait()?;
            }
            Ok::<_, StoreError>(())
        })
    });
    for writer in writers {
        writer.join().unwrap().unwrap();
    }
    let digest = SecretDigest::of("7");
    let found = store_on(&database).read(move |tx| tx.find_token_by_digest(&digest));
    let found: Result<_, StoreError> = found.wait();
    assert_eq!(found.unwrap().unwrap().last_used_at, Some(at(ROUNDS)));
}
