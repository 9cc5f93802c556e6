//! Keys that sign id tokens: loading from the store, opening, and rotation when due.
//!
//! A process uses the loaded keys for a minute. It generates a key when none is active or the next one is due; the
//! store accepts each generation once, so if several processes generate it, one wins and all load the winner's key.

use std::sync::{Arc, PoisonError, RwLock};

use api_conventions::time::Timestamp;
use oauth_provider::rules::rotation::{NextKey, RotationPolicy, plan};
use oauth_provider::signing::{IdTokenHint, KeySet, PrivateKey, SigningError, VerifyError};
use oauth_provider::wire::IdTokenClaims;
use oauth_provider::{NewSigningKey, SigningAlgorithm, SigningKey};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Mutex;

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};
use crate::settings::SecuritySettings;
use crate::vault::{KeyError, Vault, VaultError, existing_key};

/// Time for which loaded keys are used, in seconds.
const FRESH_SECONDS: i64 = 60;

/// Reason why no signing key is available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRingError {
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key was sealed with another secret key.
    #[error("the signing key cannot be decrypted")]
    Vault(#[from] VaultError),
    /// The key is corrupt, or no key could be generated.
    #[error("the signing key cannot be used")]
    Key(#[from] SigningError),
    /// The thread that generated or used a key ended early.
    #[error("the signing key task ended early")]
    BrokeOff,
}

/// Signing keys of this process.
pub struct KeyRing {
    database: Arc<Database>,
    vault: Arc<Vault>,
    algorithm: SigningAlgorithm,
    policy: RotationPolicy,
    loaded: RwLock<Option<Arc<LoadedKeys>>>,
    /// Held while keys are loaded or generated, so that a process does so only once at a time.
    loading: Mutex<()>,
}

struct LoadedKeys {
    signer: Arc<PrivateKey>,
    public: KeySet,
    published: Arc<str>,
    until: Timestamp,
}

impl KeyRing {
    /// Creates a key ring with nothing loaded yet. Keys sign for `period_seconds`.
    pub fn new(
        database: Arc<Database>,
        vault: Arc<Vault>,
        algorithm: SigningAlgorithm,
        period_seconds: i64,
    ) -> Self {
        Self {
            database,
            vault,
            algorithm,
            policy: RotationPolicy::DEFAULT.with_period(period_seconds),
            loaded: RwLock::default(),
            loading: Mutex::default(),
        }
    }

    /// Algorithm that signs id tokens.
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// Signs an id token. RSA takes about a millisecond of CPU time, so it runs on a blocking thread.
    ///
    /// # Errors
    /// See [`KeyRingError`].
    pub async fn sign(
        &self,
        claims: IdTokenClaims,
        now: Timestamp,
    ) -> Result<String, KeyRingError> {
        let key = Arc::clone(&self.current(now).await?.signer);
        if self.algorithm == SigningAlgorithm::Rs256 {
            let signed = tokio::task::spawn_blocking(move || key.sign(&claims)).await;
            Ok(signed.map_err(|_| KeyRingError::BrokeOff)??)
        } else {
            Ok(key.sign(&claims)?)
        }
    }

    /// Returns the public keys as the document to publish (RFC 7517, section 5).
    ///
    /// # Errors
    /// See [`KeyRingError`].
    pub async fn published(&self, now: Timestamp) -> Result<Arc<str>, KeyRingError> {
        Ok(Arc::clone(&self.current(now).await?.published))
    }

    /// Verifies an `id_token_hint` with the published keys. `issuer` is the server's base URL.
    ///
    /// # Errors
    /// See [`KeyRingError`]. The inner error is the reason why the token is not valid.
    pub async fn check_hint(
        &self,
        token: &str,
        issuer: &str,
        now: Timestamp,
    ) -> Result<Result<IdTokenHint, VerifyError>, KeyRingError> {
        Ok(self.current(now).await?.public.verify_hint(token, issuer))
    }

    async fn current(&self, now: Timestamp) -> Result<Arc<LoadedKeys>, KeyRingError> {
        if let Some(loaded) = self.fresh(now) {
            return Ok(loaded);
        }
        let _one_at_a_time = self.loading.lock().await;
        if let Some(loaded) = self.fresh(now) {
            return Ok(loaded);
        }
        let loaded = Arc::new(self.load(now).await?);
        let mut place = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        *place = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    fn fresh(&self, now: Timestamp) -> Option<Arc<LoadedKeys>> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        loaded.clone().filter(|loaded| now < loaded.until)
    }

    async fn load(&self, now: Timestamp) -> Result<LoadedKeys, KeyRingError> {
        let keys = self.stored().await?;
        let due = plan(&keys, self.algorithm, &self.policy, now);
        let keys = match due.create {
            None if due.delete.is_empty() => keys,
            make => {
                if let Some(next) = make {
                    self.generate(next, now).await?;
                }
                let spent = due.delete;
                let deleted = self
                    .database
                    .write(move |tx| tx.delete_signing_keys(&spent));
                deleted.await?;
                self.stored().await?
            }
        };
        self.open(&keys, now)
    }

    async fn stored(&self) -> Result<Vec<SigningKey>, StoreError> {
        self.database
            .read(Lane::Shared, |tx| tx.list_signing_keys())
            .await
    }

    fn open(&self, keys: &[SigningKey], now: Timestamp) -> Result<LoadedKeys, KeyRingError> {
        let plan = plan(keys, self.algorithm, &self.policy, now);
        let signs = plan.signs.ok_or(SigningError::Failed)?;
        let private = self.vault.open(&context(&signs.kid), &signs.sealed)?;
        let public = plan.published.iter().map(|key| key.public_jwk.as_str());
        let public = KeySet::parse(public)?;
        Ok(LoadedKeys {
            signer: Arc::new(PrivateKey::from_pkcs8(signs.algorithm, &private)?),
            published: public.to_json().into(),
            public,
            until: now.plus_seconds(FRESH_SECONDS),
        })
    }

    async fn generate(&self, next: NextKey, now: Timestamp) -> Result<(), KeyRingError> {
        let algorithm = self.algorithm;
        let made = tokio::task::spawn_blocking(move || PrivateKey::generate(algorithm)).await;
        let made = made.map_err(|_| KeyRingError::BrokeOff)??;
        let new = NewSigningKey {
            kid: made.kid().to_owned(),
            algorithm,
            generation: next.generation,
            public_jwk: made.public().to_json(),
            sealed: self.vault.seal(&context(made.kid()), &made.to_pkcs8()?),
            created_at: now,
            signs_from: next.signs_from,
        };
        let kid = new.kid.clone();
        let inserted = self.database.write(move |tx| tx.insert_signing_key(&new));
        if inserted.await?.is_some() {
            tracing::info!(key.id = %kid, key.signs_from = %next.signs_from, "signing key created");
        }
        Ok(())
    }
}

/// Refreshes the keys periodically, until the task is dropped, so that the first key exists before the first request,
/// and the next one is published in time even without requests.
pub async fn keep_ready(jobs: BackgroundJobs, keys: Arc<KeyRing>) {
    let run = async |now| keys.current(now).await.map(drop);
    jobs.repeat(BackgroundJob::PrepareSigningKeys, run).await;
}

/// Reason why the secret key does not fit the database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretKeyError {
    /// The secret key is missing, and the database needs it.
    #[error(
        "the secret key is missing, but secrets in the database are encrypted with it; restore {file} from the backup (`tar -xOf FILE secret.key`), \
         or set security.secret_key to that key"
    )]
    Missing {
        /// Path of the missing file.
        file: String,
    },
    /// The secret key is a different one.
    #[error(
        "the secret key in {place} is not the one that secrets in the database are encrypted with; \
         replace it with that key, from the backup or from another node"
    )]
    Foreign {
        /// Location of the key.
        place: String,
    },
    /// The secret key cannot be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Checks the secret key by opening what it sealed in the database.
/// With another key, no second factor could be verified and no id token signed. No key is created.
///
/// # Errors
/// See [`SecretKeyError`].
pub fn check_secret_key(
    database: &Database,
    settings: &SecuritySettings,
) -> Result<(), SecretKeyError> {
    let keys: Result<Vec<SigningKey>, StoreError> = database
        .read(Lane::Shared, |tx| tx.list_signing_keys())
        .wait();
    let keys = keys?;
    let file = settings.secret_key_file.display().to_string();
    let Some(key) = existing_key(settings)? else {
        return if keys.is_empty() {
            Ok(())
        } else {
            Err(SecretKeyError::Missing { file })
        };
    };
    let vault = Vault::new(&key);
    if keys.iter().all(|key| opens(&vault, key)) {
        return Ok(());
    }
    let place = match settings.secret_key {
        Some(_) => "security.secret_key".to_owned(),
        None => file,
    };
    Err(SecretKeyError::Foreign { place })
}

/// True if this vault sealed the private part of a key.
fn opens(vault: &Vault, key: &SigningKey) -> bool {
    vault.open(&context(&key.kid), &key.sealed).is_ok()
}

/// Context of the seal: a sealed key opens only under its own id.
fn context(kid: &str) -> String {
    format!("signing key {kid}")
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRing")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}
