//! `gatehouse serve`.

use std::sync::Arc;

use crate::config::{Overrides, Settings, load};
use crate::database::{Database, open};
use crate::private_files::exposed;
use crate::{logging, server};

/// Runs the server until it is told to stop.
pub(super) fn serve(overrides: &Overrides) -> anyhow::Result<()> {
    let settings = Arc::new(load(overrides)?);
    logging::start(&settings.log);
    let database = ready_database(&settings)?;
    for exposed in exposed(&settings) {
        tracing::warn!("{exposed}");
    }
    actix_web::rt::System::new().block_on(async move {
        let running = server::bind(settings)?.start(database).await?;
        running.ended().await
    })
}

/// The database of the settings, open and with its tables up to date.
pub(super) fn ready_database(settings: &Settings) -> anyhow::Result<Arc<Database>> {
    let database = open(&settings.database)?;
    database.migrate()?;
    Ok(Arc::new(database))
}
