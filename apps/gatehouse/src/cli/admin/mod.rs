//! `gatehouse user`, `gatehouse token`, `gatehouse application` and `gatehouse project`: administration on the database, for scripts.
//!
//! A server may run on the same database meanwhile; a revocation takes effect there within about a second.

mod application;
mod project;
mod token;
mod user;

use accounts::User;
use anyhow::Context as _;
use storage::{Lane, Store as _, StoreError};

pub(super) use application::{ApplicationCommand, application};
pub(super) use project::{ProjectCommand, project};
pub(super) use token::{TokenCommand, token};
pub(super) use user::{UserCommand, user};

use crate::config::{Overrides, Settings, load};
use crate::mistakes::Mistakes;
use gatehouse_core::database::{Database, WriteTransaction, open_existing};

/// Opens the database of the settings, which must be there and up to date. None is created: a mistyped `--data` would leave one that
/// nobody meant.
fn open(overrides: &Overrides) -> anyhow::Result<(Settings, Database)> {
    let settings = load(overrides)?;
    let database = open_database(&settings)?;
    Ok((settings, database))
}

/// The same where the settings are known.
fn open_database(settings: &Settings) -> anyhow::Result<Database> {
    let database = open_existing(&settings.database)?;
    let pending = database.pending_migrations()?.len();
    anyhow::ensure!(
        pending == 0,
        "{pending} migrations are pending on the database {}; run `gatehouse migrate`, if --data and --database are as \
         you meant",
        settings.database.url
    );
    Ok(database)
}

/// Looks for a user, where the database could be opened.
fn find_named(
    mistakes: &mut Mistakes,
    database: Option<&Database>,
    username: &str,
) -> Option<User> {
    mistakes.take(find_user(database?, username))
}

/// How often a write is tried that somebody else was in the way of.
const TRIES: usize = 5;

/// Writes, and tries again when a server on the same database was in the way.
fn write<T, F>(database: &Database, work: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, StoreError>
        + Clone
        + Send
        + 'static,
{
    let mut outcome = database.write(work.clone()).wait();
    for _ in 1..TRIES {
        match &outcome {
            Err(error) if error.is_retryable() => {
                outcome = database.write(work.clone()).wait();
            }
            _ => break,
        }
    }
    outcome
}

fn find_user(database: &Database, username: &str) -> anyhow::Result<User> {
    let wanted = username.to_owned();
    let found: Result<Option<User>, StoreError> = database
        .read(Lane::Shared, move |tx| tx.find_user_by_username(&wanted))
        .wait();
    found?.with_context(|| format!("there is no user {username:?}"))
}
