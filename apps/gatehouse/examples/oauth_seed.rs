//! Seed of the benchmark of the OAuth provider: an application, and many codes and tokens.
//!
//! `oauth_seed DATABASE_URL CODES PAIRS` writes them into a migrated database, and prints `client_id`, `client_secret`,
//! `redirect_uri` and `access_token`, then each code and each refresh token, one per line. Codes last for ten minutes.

#![expect(
    clippy::print_stdout,
    reason = "the benchmark reads what was made from standard output"
)]

#[path = "seeding/database.rs"]
mod database;

use std::io::Write as _;

use anyhow::Result;
use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::{Clock as _, Timestamp};
use database::open_at;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::randomness::OsRandomness;
use oauth_provider::model::{ACCESS_PREFIX, CODE_PREFIX, REFRESH_PREFIX, SECRET_PREFIX};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    ApplicationOptions, ApplicationUid, ClientType, NewApplication, NewGrant, NewTokenPair,
    TokenSubject,
};
use storage::{Store as _, StoreError};

const REDIRECT_URI: &str = "https://app.example.com/callback";
/// Rows per transaction.
const BATCH: usize = 500;
/// The developer of the sample data.
const USER: UserId = UserId::new(2);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, codes, pairs] = arguments.as_slice() else {
        anyhow::bail!("oauth_seed DATABASE_URL CODES PAIRS");
    };
    let database = open_at(url)?;
    let now = SystemClock.now();
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let application = application(secret.digest(), now);
    println!("{}\n{}\n{REDIRECT_URI}", application.uid, secret.reveal());
    let client: Result<ApplicationId, StoreError> = database
        .write(move |tx| tx.insert_application(&application))
        .wait();
    let client = client?;
    println!("{}", pair(&database, client, now)?.0);
    let mut out = std::io::stdout().lock();
    let mut remaining: usize = codes.parse()?;
    while remaining > 0 {
        let count = remaining.min(BATCH);
        remaining -= count;
        for code in issue_codes(&database, client, count, now)? {
            writeln!(out, "{code}")?;
        }
    }
    for _ in 0..pairs.parse()? {
        writeln!(out, "{}", pair(&database, client, now)?.1)?;
    }
    database.close();
    Ok(())
}

fn application(secret: SecretDigest, now: Timestamp) -> NewApplication {
    NewApplication {
        uid: ApplicationUid::generate(&OsRandomness),
        secret,
        name: "Benchmark".to_owned(),
        redirect_uris: vec![RedirectUri::from_stored(REDIRECT_URI.to_owned())],
        post_logout_redirect_uris: Vec::new(),
        scopes: scopes(),
        client_type: ClientType::Confidential,
        trusted: true,
        options: ApplicationOptions::of(ClientType::Confidential),
        owner_id: None,
        created_at: now,
    }
}

fn scopes() -> ScopeSet {
    ScopeSet::parse("api openid email").unwrap_or_default()
}

fn grant(
    client: ApplicationId,
    code: Option<(SecretDigest, Timestamp)>,
    now: Timestamp,
) -> NewGrant {
    NewGrant {
        code,
        subject: TokenSubject::user(USER, client),
        session_id: None,
        // Without `openid`, so that the benchmark measures the durable exchange and not the signature of an id token.
        scopes: ScopeSet::parse("api").unwrap_or_default(),
        redirect_uri: Some(REDIRECT_URI.to_owned()),
        challenge: None,
        nonce: None,
        auth_time: now,
        created_at: now,
        expires_at: now.plus_seconds(86_400),
    }
}

fn issue_codes(
    database: &Database,
    client: ApplicationId,
    count: usize,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let codes: Vec<PlainSecret> = (0..count)
        .map(|_| PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now))
        .collect();
    let digests: Vec<SecretDigest> = codes.iter().map(PlainSecret::digest).collect();
    let written = database.write(move |tx| {
        for digest in &digests {
            tx.insert_grant(&grant(client, Some((*digest, now.plus_seconds(600))), now))?;
        }
        Ok::<_, StoreError>(())
    });
    written.wait()?;
    Ok(codes.iter().map(|code| code.reveal().to_owned()).collect())
}

/// An access token, and the refresh token of the same pair.
fn pair(
    database: &Database,
    client: ApplicationId,
    now: Timestamp,
) -> Result<(String, String), StoreError> {
    let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
        .map(|prefix| PlainSecret::generate_dated(prefix, &OsRandomness, now));
    let (access_digest, refresh_digest) = (access.digest(), refresh.digest());
    let written =
        database.write(move |tx| insert_pair(tx, client, access_digest, refresh_digest, now));
    written.wait()?;
    Ok((access.reveal().to_owned(), refresh.reveal().to_owned()))
}

fn insert_pair(
    tx: &mut dyn WriteTransaction,
    client: ApplicationId,
    access: SecretDigest,
    refresh: SecretDigest,
    now: Timestamp,
) -> Result<(), StoreError> {
    let grant_id = tx.insert_grant(&grant(client, None, now))?;
    tx.insert_pair(&NewTokenPair {
        access,
        refresh: Some((refresh, now.plus_seconds(86_400))),
        grant_id,
        subject: TokenSubject::user(USER, client),
        scopes: scopes(),
        created_at: now,
        expires_at: now.plus_seconds(7200),
    })
    .map(drop)
}
