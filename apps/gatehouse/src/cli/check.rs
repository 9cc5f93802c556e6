//! `gatehouse migrate` and `gatehouse check`.

use storage::{Store as _, StoreError};

use super::output;
use super::serve::ready_database;
use crate::config::{DatabaseSettings, Overrides, load};
use crate::database::open_existing;

/// Brings the tables up to date.
pub(super) fn migrate(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    ready_database(&settings)?.close();
    output::line(&format!("{} is up to date", settings.database.url));
    Ok(())
}

/// Tells all that is wrong, and fails when anything is. A database that is missing is told, and not made.
pub(super) fn check(overrides: &Overrides) -> anyhow::Result<()> {
    let loaded = load(overrides);
    let mut faults = Vec::new();
    let database = match &loaded {
        Ok(settings) => {
            output::line("the configuration is valid");
            Some(&settings.database)
        }
        Err(error) => {
            faults.push(error.to_string());
            error.database.as_ref()
        }
    };
    match database.map(check_database) {
        Some(Ok(sound)) => output::line(&sound),
        Some(Err(error)) => faults.push(format!("{error:#}")),
        None => faults.push("the database was not checked".to_owned()),
    }
    anyhow::ensure!(faults.is_empty(), faults.join("\n"));
    Ok(())
}

/// Looks at the database, and gives the sentence that it is sound.
fn check_database(settings: &DatabaseSettings) -> anyhow::Result<String> {
    let database = open_existing(settings)?;
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
    Ok(format!("{} is reachable and up to date", settings.url))
}
