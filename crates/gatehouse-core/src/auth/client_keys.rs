//! Cache of client keys. A report with a valid key costs no database read, and one with an invalid key rarely does.

use std::net::IpAddr;
use std::sync::Arc;

use accounts::RevocationSubject;
use api_conventions::ids::ProjectId;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use error_tracking::model::{ClientKey, PublicKey, Settings};
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::key_guesses::KeyGuesses;
use super::revocations::RevocationTracker;
use crate::database::Database;

/// Maximum number of cached keys of each kind, valid and refused.
const CAPACITY: usize = 10_000;

/// A client key that may report errors, with the settings of its project.
#[derive(Debug)]
pub struct Collector {
    /// The key.
    pub key: ClientKey,
    /// The settings of its project.
    pub settings: Settings,
}

/// A client key as received.
#[derive(Debug, Clone)]
pub struct SentKey {
    /// Project that the report was sent to.
    pub project: ProjectId,
    /// The key.
    pub key: PublicKey,
    /// Address under which the sender is rate limited.
    pub from: Option<IpAddr>,
    /// Time of the request.
    pub at: Timestamp,
}

/// Result of looking up a client key.
#[derive(Debug, Clone)]
pub enum KeyVerdict {
    /// The key is valid, and its project accepts reports.
    Good(Arc<Collector>),
    /// The key is refused.
    /// There is no such key or project, the key belongs to another project or is inactive, or the project collects
    /// nothing. Callers cannot tell these cases apart.
    Refused,
    /// Lookup skipped: the sender tried too many unknown keys.
    TooMany {
        /// Whole seconds until the sender may try again.
        seconds: u32,
    },
}

/// Looks up the collector of a client key.
/// A hit costs one probe and a few loads, without the database. Every other request costs the same queries, whatever it
/// names, so its response time reveals only that the same key was requested recently. Such requests are limited to the
/// rate of their sender.
#[derive(Debug)]
pub struct ClientKeys {
    good: Cache<PublicKey, CacheEntry<Arc<Collector>, 2>>,
    refused: Cache<(ProjectId, PublicKey), CacheEntry<(), 2>>,
    guesses: KeyGuesses,
    revocations: Arc<RevocationTracker>,
}

impl ClientKeys {
    /// Creates an empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            good: Cache::new(CAPACITY),
            refused: Cache::new(CAPACITY),
            guesses: KeyGuesses::default(),
            revocations,
        }
    }

    /// Checks whether a project accepts reports with a key.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn find(&self, database: &Database, sent: SentKey) -> Result<KeyVerdict, StoreError> {
        let entry = self.good.get(&sent.key);
        let was_good = entry
            .as_ref()
            .is_some_and(|entry| entry.any_age().key.project_id == sent.project);
        let found = entry.and_then(|entry| entry.if_valid(&self.revocations));
        if let Some(found) = found.filter(|_| was_good) {
            return Ok(KeyVerdict::Good(found));
        }
        let name = (sent.project, sent.key.clone());
        let refused = self.refused.get(&name);
        if refused.is_some_and(|entry| entry.if_valid(&self.revocations).is_some()) {
            return Ok(KeyVerdict::Refused);
        }
        // A key that was valid before is most likely still valid, and a sender who shares an address with a guesser
        // must not lose reports.
        if !was_good && let Err(seconds) = self.guesses.take(sent.from, sent.at) {
            return Ok(KeyVerdict::TooMany { seconds });
        }
        let read_at = ReadAt::now();
        let found = read(database, sent.project, sent.key.clone()).await?;
        let subjects = [
            RevocationSubject::ErrorTracking(sent.project),
            RevocationSubject::Paths,
        ];
        let Some(found) = found else {
            self.good.remove(&sent.key);
            let entry = CacheEntry::new((), subjects, read_at);
            self.refused.insert(name, entry);
            return Ok(KeyVerdict::Refused);
        };
        if !was_good {
            self.guesses.put_back(sent.from, sent.at);
        }
        let entry = CacheEntry::new(Arc::clone(&found), subjects, read_at);
        self.good.insert(sent.key, entry);
        Ok(KeyVerdict::Good(found))
    }
}

async fn read(
    database: &Database,
    project: ProjectId,
    wanted: PublicKey,
) -> Result<Option<Arc<Collector>>, StoreError> {
    let found: Result<Option<Collector>, StoreError> = database
        .read_for_auth(move |tx| {
            let key = tx.find_client_key(&wanted)?;
            let settings = tx.find_error_settings(project)?;
            let is_there = tx.find_project(&ProjectRef::Id(project))?.is_some();
            let pair = key.filter(|_| is_there).zip(settings);
            Ok(pair.map(|(key, settings)| Collector { key, settings }))
        })
        .await;
    let takes = |found: &Collector| found.settings.accepts(&found.key);
    Ok(found?.filter(takes).map(Arc::new))
}
