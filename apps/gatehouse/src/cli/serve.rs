//! `gatehouse serve`.

use std::sync::Arc;

use accounts::{User, UserKind};
use api_conventions::ids::UserId;
use storage::{Lane, StoreError};

use crate::config::{AppSettings, Overrides, load};
use crate::data_files::exposed;
use crate::server::{Operations, ReloadSource};
use crate::{logging, server};
use gatehouse_core::database::{Database, open};

/// Runs the server until it is stopped.
pub(super) fn serve(overrides: &Overrides, operations: Operations) -> anyhow::Result<()> {
    let settings = Arc::new(load(overrides)?);
    let log = logging::start(&settings.log);
    let sources = overrides.clone();
    let bound = server::bind(Arc::clone(&settings))?.reloading(ReloadSource {
        load: Box::new(move || load(&sources)),
        apply_log: Box::new(move |settings| log.apply(settings)),
    });
    let database = ready_database(&settings)?;
    warn_of_emptiness(&settings, &database)?;
    for exposed in exposed(&settings) {
        tracing::warn!("{exposed}");
    }
    actix_web::rt::System::new().block_on(async move {
        let running = bound.start(database, operations).await?;
        running.ended().await
    })
}

/// Opens the database of the settings and runs pending migrations.
pub(super) fn ready_database(settings: &AppSettings) -> anyhow::Result<Arc<Database>> {
    let database = open(&settings.database)?;
    database.migrate()?;
    Ok(Arc::new(database))
}

/// Warns about an empty database: at the start of a server, it is more likely the wrong database than a new one.
fn warn_of_emptiness(settings: &AppSettings, database: &Database) -> anyhow::Result<()> {
    // Ids start at one and users are never deleted, so a person is among the first of them, next to the bots.
    let first: Vec<UserId> = (1..=16).map(UserId::new).collect();
    let found: Result<Vec<User>, StoreError> = database
        .read(Lane::Shared, move |tx| tx.list_users_by_id(&first))
        .wait();
    if found?.iter().all(|user| user.kind != UserKind::Human) {
        tracing::warn!(
            database = %settings.database.url,
            "the database has no users; check --data and --database if you expected some, otherwise create one \
             with `gatehouse user create`"
        );
    }
    Ok(())
}
