//! Whether the server can do its work, as far as it knows.

use std::time::{Duration, Instant};

use storage::StoreError;
use tokio::sync::Mutex;

use crate::database::Database;

/// How long a proof stands. Proving costs a commit, and anybody may ask.
const STANDS: Duration = Duration::from_secs(1);

/// The last proof that the database can be written to and read.
///
/// Anyone who asks while a proof is under way waits for it, so that many who ask cost one commit a second.
#[derive(Debug, Default)]
pub struct Readiness {
    last: Mutex<Option<(Instant, bool)>>,
}

impl Readiness {
    /// Whether the database does its work: it takes a write and gives it back, its tables are those of this program, its
    /// files are the ones that were opened, its disk has room, and nothing was found damaged.
    pub async fn is_ready(&self, database: &Database) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, ready)) = *last
            && at.elapsed() < STANDS
        {
            return ready;
        }
        let proof = prove(database).await;
        if let Err(error) = &proof {
            tracing::error!(error = %error, "not ready: the database cannot do its work");
        }
        *last = Some((Instant::now(), proof.is_ok()));
        proof.is_ok()
    }
}

async fn prove(database: &Database) -> Result<(), StoreError> {
    database.prove().await?;
    let epoch: Result<i64, StoreError> = database.read_for_auth(|tx| tx.auth_epoch()).await;
    epoch.map(drop)
}
