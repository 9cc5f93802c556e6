//! The keys that sign id tokens: loaded from the store, opened, changed when they are due.
//!
//! A process keeps what it loaded for a minute. It makes a key when none signs or the next one is due; the store takes
//! each generation once, so of several processes that do it at the same time one wins, and all load the winner's.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use oauth_provider::rules::rotation::{NextKey, RotationPolicy, plan};
use oauth_provider::signing::{IdTokenHint, KeySet, PrivateKey, SigningError, VerifyError};
use oauth_provider::wire::IdTokenClaims;
use oauth_provider::{NewSigningKey, SigningAlgorithm, SigningKey};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Mutex;

use crate::database::Database;
use crate::settings::SecuritySettings;
use crate::vault::{KeyError, Vault, VaultError, existing_key};

/// How long what was loaded is used, in seconds.
const FRESH_SECONDS: i64 = 60;

/// How often the keys are looked at when nobody asks.
const INTERVAL: Duration = Duration::from_mins(10);

/// Why there is no key to sign with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRingError {
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The key was sealed under another secret key.
    #[error("the signing key cannot be opened")]
    Vault(#[from] VaultError),
    /// The key is broken, or none can be made.
    #[error("the signing key cannot be used")]
    Key(#[from] SigningError),
    /// The thread that made or used a key is gone.
    #[error("the work on a signing key broke off")]
    BrokeOff,
}

/// The keys of this process.
pub struct KeyRing {
    database: Arc<Database>,
    vault: Arc<Vault>,
    algorithm: SigningAlgorithm,
    policy: RotationPolicy,
    loaded: RwLock<Option<Arc<Loaded>>>,
    /// Held while keys are loaded or made, so that a process does it once at a time.
    loading: Mutex<()>,
}

struct Loaded {
    signer: Arc<PrivateKey>,
    public: KeySet,
    published: Arc<str>,
    until: Timestamp,
}

impl KeyRing {
    /// A ring that has loaded nothing yet. Keys sign for `period_seconds`.
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

    /// How id tokens are signed.
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// Signs an id token. RSA takes about a millisecond of a core, so it is done on a thread that may block.
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

    /// The public keys, as the document to publish (RFC 7517, section 5).
    ///
    /// # Errors
    /// See [`KeyRingError`].
    pub async fn published(&self, now: Timestamp) -> Result<Arc<str>, KeyRingError> {
        Ok(Arc::clone(&self.current(now).await?.published))
    }

    /// Checks an id token that came back as a hint, by the keys that are published. `issuer` is the server's base URL.
    ///
    /// # Errors
    /// See [`KeyRingError`]. The inner error says why the token proves nothing.
    pub async fn check_hint(
        &self,
        token: &str,
        issuer: &str,
        now: Timestamp,
    ) -> Result<Result<IdTokenHint, VerifyError>, KeyRingError> {
        Ok(self.current(now).await?.public.verify_hint(token, issuer))
    }

    async fn current(&self, now: Timestamp) -> Result<Arc<Loaded>, KeyRingError> {
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

    fn fresh(&self, now: Timestamp) -> Option<Arc<Loaded>> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        loaded.clone().filter(|loaded| now < loaded.until)
    }

    async fn load(&self, now: Timestamp) -> Result<Loaded, KeyRingError> {
        let keys = self.stored().await?;
        let due = plan(&keys, self.algorithm, &self.policy, now);
        let keys = match due.make {
            None if due.delete.is_empty() => keys,
            make => {
                if let Some(next) = make {
                    self.make(next, now).await?;
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

    fn open(&self, keys: &[SigningKey], now: Timestamp) -> Result<Loaded, KeyRingError> {
        let plan = plan(keys, self.algorithm, &self.policy, now);
        let signs = plan.signs.ok_or(SigningError::Failed)?;
        let private = self.vault.open(&context(&signs.kid), &signs.sealed)?;
        let public = plan.published.iter().map(|key| key.public_jwk.as_str());
        let public = KeySet::parse(public)?;
        Ok(Loaded {
            signer: Arc::new(PrivateKey::from_pkcs8(signs.algorithm, &private)?),
            published: public.to_json().into(),
            public,
            until: now.plus_seconds(FRESH_SECONDS),
        })
    }

    async fn make(&self, next: NextKey, now: Timestamp) -> Result<(), KeyRingError> {
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
            tracing::info!(key.id = %kid, key.signs_from = %next.signs_from, "made a signing key");
        }
        Ok(())
    }
}

/// Loads the keys again and again, until the task is dropped: so the first one is made before anybody waits for it, and
/// the next one is published in time also when nobody asks.
pub async fn keep_ready(keys: Arc<KeyRing>, clock: Arc<dyn Clock>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        ticks.tick().await;
        if let Err(error) = keys.current(clock.now()).await {
            tracing::error!(error = %error, "there is no key to sign id tokens with; it is tried again");
        }
    }
}

/// Why the secret key is not that of the database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretKeyError {
    /// There is none, and the database needs it.
    #[error(
        "there is no secret key, but the database was written under one; bring back {file} from the backup (`tar -xOf FILE secret.key`), \
         or set security.secret_key to that key"
    )]
    Missing {
        /// Where it is looked for.
        file: String,
    },
    /// There is another one.
    #[error(
        "the secret key in {place} is not the one that the database was written under; \
         put that one there, from the backup or from another node"
    )]
    Foreign {
        /// Where it is.
        place: String,
    },
    /// It cannot be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens what is sealed in the database: with another key than it was sealed under no second factor could be checked, and
/// no id token signed. No key is created.
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

/// True if the private half of a key was sealed by this vault.
fn opens(vault: &Vault, key: &SigningKey) -> bool {
    vault.open(&context(&key.kid), &key.sealed).is_ok()
}

/// A sealed key opens only as the key that it was sealed as.
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
