//! `gatehouse migrate` and `gatehouse check`.

use anyhow::Context as _;
use storage::{Lane, StoreError};

use super::output;
use super::serve::ready_database;
use crate::config::{DatabaseSettings, DatabaseUrl, Overrides, SecuritySettings, load};
use crate::data_files::exposed;
use crate::logging;
use crate::state::certificate::LoadedCertificate;
use gatehouse_core::database::open_existing;
use gatehouse_core::signing_keys::check_secret_key;

/// Runs the pending migrations.
pub(super) fn migrate(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    // The log says which migration runs.
    logging::start(&settings.log);
    ready_database(&settings)?.close();
    output::line(&format!("{} is up to date", settings.database.url));
    Ok(())
}

/// Reports all problems at once, and fails if there are any.
/// A missing database is reported, not created.
pub(super) fn check(overrides: &Overrides) -> anyhow::Result<()> {
    let loaded = load(overrides);
    let mut faults = Vec::new();
    let (database, security) = match &loaded {
        Ok(settings) => {
            match settings.server.lacks_a_url() {
                None => output::line("the configuration is valid"),
                Some(fault) => faults.push(fault),
            }
            faults.extend(exposed(settings).iter().map(ToString::to_string));
            let certificate = settings.server.certificate.as_ref();
            let certificate = certificate.map(LoadedCertificate::read).transpose();
            faults.extend(certificate.err().map(|error| error.to_string()));
            (Some(&settings.database), Some(&settings.security))
        }
        Err(error) => {
            faults.push(error.to_string());
            (error.database.as_deref(), None)
        }
    };
    match database.map(|settings| check_database(settings, security)) {
        Some(Ok(sound)) => output::line(&sound),
        Some(Err(error)) => faults.push(format!("{error:#}")),
        None => faults.push("the database was not checked".to_owned()),
    }
    anyhow::ensure!(faults.is_empty(), faults.join("\n"));
    Ok(())
}

/// Checks the database, and returns a sentence that it is sound.
/// The secret key is verified only if the configuration is valid and so names the key.
fn check_database(
    settings: &DatabaseSettings,
    security: Option<&SecuritySettings>,
) -> anyhow::Result<String> {
    let url = &settings.url;
    let what_to_do =
        format!("the database {url} is damaged; restore a backup with `gatehouse restore FILE`");
    let database = match open_existing(settings) {
        Err(error) if error.is_damaged() => {
            return Err(anyhow::Error::new(error).context(what_to_do));
        }
        opened => opened?,
    };
    let integrity_errors = database
        .integrity_errors()
        .with_context(|| what_to_do.clone())?;
    anyhow::ensure!(
        integrity_errors.is_empty(),
        "{what_to_do}:\n  - {}",
        integrity_errors.join("\n  - "),
    );
    let pending = database.pending_migrations()?;
    anyhow::ensure!(
        pending.is_empty(),
        "{} migrations are pending: {}; run `gatehouse migrate`",
        pending.len(),
        pending.join(", "),
    );
    let epoch: Result<i64, StoreError> = database.read(Lane::Shared, |tx| tx.auth_epoch()).wait();
    epoch?;
    security.map_or(Ok(()), |security| check_secret_key(&database, security))?;
    database.close();
    let looked_at = match settings.url {
        DatabaseUrl::Sqlite(_) => "all pages and indexes are consistent",
        DatabaseUrl::Postgres(_) => "all rows are readable and all indexes are valid",
    };
    Ok(format!("{url} is reachable and up to date; {looked_at}"))
}
