//! `gatehouse migrate` and `gatehouse check`.

use storage::{Store as _, StoreError};

use super::output;
use super::serve::ready_database;
use crate::config::{Overrides, load};
use crate::database::open;

/// Brings the tables up to date.
pub(super) fn migrate(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    ready_database(&settings)?.close();
    output::line(&format!("{} is up to date", settings.database.url));
    Ok(())
}

/// Tells all that is wrong, and fails when anything is.
pub(super) fn check(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    output::line("the configuration is valid");
    let database = open(&settings.database)?;
    let pending = database.pending_migrations()?;
    anyhow::ensure!(
        pending.is_empty(),
        "the database lacks {} step(s): {}; run `gatehouse migrate`",
        pending.len(),
        pending.join(", "),
    );
    let epoch: Result<i64, StoreError> = database.read(|tx| tx.auth_epoch()).wait();
    epoch?;
    database.close();
    output::line(&format!(
        "{} is reachable and up to date",
        settings.database.url
    ));
    Ok(())
}
