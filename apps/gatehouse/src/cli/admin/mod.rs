//! Administration of the database by scripts.
//! The commands are `gatehouse user`, `gatehouse invitation`, `gatehouse token`, `gatehouse application` and
//! `gatehouse project`.
//!
//! A server may use the same database at the same time; a revocation takes effect there within about a second.

mod application;
mod invitation;
mod pages;
mod project;
mod token;
mod user;

use accounts::User;
use anyhow::Context as _;
use storage::{Lane, Store as _, StoreError};

pub(super) use application::{ApplicationCommand, application};
pub(super) use invitation::{InvitationCommand, invitation};
pub(super) use project::{ProjectCommand, project};
pub(super) use token::{TokenCommand, token};
pub(super) use user::{UserCommand, user};

use crate::config::{AppSettings, Overrides, load};
use crate::error_list::ErrorList;
use gatehouse_core::database::{Database, WriteTransaction, open_existing};

/// Opens the database of the settings, which must exist and be up to date.
/// A missing database is not created, because a mistyped `--data` would leave a stray one.
fn open(overrides: &Overrides) -> anyhow::Result<(AppSettings, Database)> {
    let settings = load(overrides)?;
    let database = open_database(&settings)?;
    Ok((settings, database))
}

/// Opens the database of loaded settings in the same way.
fn open_database(settings: &AppSettings) -> anyhow::Result<Database> {
    let database = open_existing(&settings.database)?;
    let pending = database.pending_migrations()?.len();
    anyhow::ensure!(
        pending == 0,
        "{pending} migrations are pending on the database {}; check --data and --database, then run \
         `gatehouse migrate`",
        settings.database.url
    );
    Ok(database)
}

/// Finds a user, if the database could be opened.
fn find_named(errors: &mut ErrorList, database: Option<&Database>, username: &str) -> Option<User> {
    errors.take(find_user(database?, username))
}

/// Most attempts at a write that conflicts with another process.
const TRIES: usize = 5;

/// Runs a write, and retries it if a server on the same database got in the way.
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
