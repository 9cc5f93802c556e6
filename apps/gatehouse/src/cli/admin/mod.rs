//! `gatehouse user`, `gatehouse token`, `gatehouse application` and `gatehouse project`: administration on the database, for scripts.
//!
//! A server may run on the same database meanwhile; a revocation takes effect there within about a second.

mod application;
mod project;
mod token;
mod user;

use std::sync::Arc;

use accounts::User;
use anyhow::Context as _;
use storage::{Lane, Store as _, StoreError};

pub(super) use application::{ApplicationCommand, application};
pub(super) use project::{ProjectCommand, project};
pub(super) use token::{TokenCommand, token};
pub(super) use user::{UserCommand, user};

use super::serve::ready_database;
use crate::config::{Overrides, Settings, load};
use gatehouse_core::database::{Database, WriteTransaction};

fn open(overrides: &Overrides) -> anyhow::Result<(Settings, Arc<Database>)> {
    let settings = load(overrides)?;
    let database = ready_database(&settings)?;
    Ok((settings, database))
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
