//! The cache of client keys, so that the report of a program with a good key costs no reading of the database, and one with a bad
//! key seldom one.

use std::net::IpAddr;
use std::sync::Arc;

use accounts::Revoked;
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

/// The number of keys kept of each kind, good ones and others.
const CAPACITY: usize = 10_000;

/// A key that is taken, and what its project wants.
#[derive(Debug)]
pub struct Collector {
    /// The key.
    pub key: ClientKey,
    /// The settings of its project.
    pub settings: Settings,
}

/// A key as it was sent.
#[derive(Debug, Clone)]
pub struct SentKey {
    /// The project that it was sent to.
    pub project: ProjectId,
    /// The key.
    pub key: PublicKey,
    /// What stands for the sender where clients are counted.
    pub from: Option<IpAddr>,
    /// When it came.
    pub at: Timestamp,
}

/// What became of a key.
#[derive(Debug, Clone)]
pub enum KeyVerdict {
    /// What takes reports with it.
    Good(Arc<Collector>),
    /// There is no such key or project, the key is of another project or inactive, or the project collects nothing. All of these are
    /// one answer.
    Refused,
    /// It was not looked for, because too many unknown ones came from there.
    TooMany {
        /// Whole seconds until one is looked for again.
        seconds: u32,
    },
}

/// Finds the collector of a key. A hit costs a probe and a few loads, and no work of the database. Any other request costs the
/// same queries, whatever it names, so that its time tells nothing but that somebody asked for the same of late; and of such
/// requests no more are looked at than the rate of their sender allows.
#[derive(Debug)]
pub struct ClientKeys {
    good: Cache<PublicKey, CacheEntry<Arc<Collector>, 2>>,
    refused: Cache<(ProjectId, PublicKey), CacheEntry<(), 2>>,
    guesses: KeyGuesses,
    revocations: Arc<RevocationTracker>,
}

impl ClientKeys {
    /// An empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            good: Cache::new(CAPACITY),
            refused: Cache::new(CAPACITY),
            guesses: KeyGuesses::default(),
            revocations,
        }
    }

    /// Whether a project takes reports with a key.
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
        // One that was good before is most probably good still, and whoever shares an address with a guesser is not to lose reports.
        if !was_good && let Err(seconds) = self.guesses.take(sent.from, sent.at) {
            return Ok(KeyVerdict::TooMany { seconds });
        }
        let read_at = ReadAt::now();
        let found = read(database, sent.project, sent.key.clone()).await?;
        let subjects = [Revoked::ErrorTracking(sent.project), Revoked::Paths];
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
    let takes = |found: &Collector| found.settings.takes(&found.key);
    Ok(found?.filter(takes).map(Arc::new))
}
