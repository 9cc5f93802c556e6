//! What every request shares.

mod behaviour;
mod releases;

use std::sync::Arc;

use accounts::UserKind;
use api_conventions::ids::UserId;
use api_conventions::time::{Clock, Timestamp};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Semaphore;

use crate::config::Settings;
use gatehouse_core::auth::activity::RecentActivity;
use gatehouse_core::auth::client_keys::ClientKeys;
use gatehouse_core::auth::clients::Clients;
use gatehouse_core::auth::integrations::Endpoints;
use gatehouse_core::auth::sessions::SessionCheck;
use gatehouse_core::auth::suspects::Suspects;
use gatehouse_core::auth::tokens::TokenCheck;
use gatehouse_core::collecting::{EventLimits, KnownParts};
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::deprecation_uses::DeprecationUses;
use gatehouse_core::external_tracker::Trackers;
use gatehouse_core::flows::create_user::ensure_alert_bot;
use gatehouse_core::passwords::{NoThreads, PasswordHasher};
use gatehouse_core::readiness::Readiness;
use gatehouse_core::signing_keys::KeyRing;
use gatehouse_core::signing_keys::SecretKeyError;
use gatehouse_core::spam::SpamCheck;
use gatehouse_core::vault::Vault;
use web_conventions::body_budget::BodyBudget;
use web_conventions::mount::Mount;
use web_conventions::refusals::Refusals;

pub use self::behaviour::Behaviour;
pub use self::releases::ServedReleases;

/// Large compressed reports that are unpacked at a time.
const LARGE_REPORTS: usize = 2;

/// Archives of projects that are packed or unpacked at a time.
const ARCHIVES: usize = 2;

/// What every request shares: the database, the settings, the caches and the clock.
pub struct AppState {
    /// The configuration.
    pub settings: Arc<Settings>,
    /// The database.
    pub database: Arc<Database>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Access tokens.
    pub tokens: Arc<TokenCheck>,
    /// Sessions of browsers.
    pub sessions: Arc<SessionCheck>,
    /// When users were last there, as they asked of late.
    pub activity: RecentActivity,
    /// Where passwords are hashed.
    pub passwords: PasswordHasher,
    /// Applications.
    pub clients: Clients,
    /// Who sent wrong secrets of applications of late.
    pub suspects: Suspects,
    /// Alert endpoints.
    pub endpoints: Endpoints,
    /// Client keys of error tracking.
    pub client_keys: ClientKeys,
    /// How many events may come.
    pub event_limits: EventLimits,
    /// Which parts of events are stored already.
    pub known_parts: KnownParts,
    /// The bytes of request bodies that are held at once.
    pub bodies: Arc<BodyBudget>,
    /// The places of large compressed reports of programs. Anyone who has a DSN can send some that take much more memory here than they
    /// took to send, so only a few are unpacked at a time.
    pub large_reports: Arc<Semaphore>,
    /// The places of archives of projects, which take more memory here than they took to send.
    pub archives: Arc<Semaphore>,
    /// The way to external trackers.
    pub trackers: Trackers,
    /// What is judged before everybody reads it.
    pub spam: SpamCheck,
    /// The keys that sign id tokens.
    pub keys: Arc<KeyRing>,
    /// Whether the database can do its work.
    pub readiness: Readiness,
    /// Who used what will go, of late.
    pub deprecation_uses: Arc<DeprecationUses>,
    /// As which releases requests are answered.
    pub releases: ServedReleases,
    /// What was refused of late, to be logged by its rate.
    pub refusals: Arc<Refusals>,
    /// What seals secrets before they are stored.
    pub vault: Arc<Vault>,
    /// The author of what alert intake does by itself.
    pub alert_bot: UserId,
    /// How clients reach the server, without a slash at the end.
    pub base_url: String,
    /// Where that is on its host.
    pub mount: Mount,
}

/// Why the state cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The store fails: the account of the alert bot is made when it is missing.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret key is not that of the database, or cannot be read: it is created for a new database.
    #[error(transparent)]
    Key(#[from] SecretKeyError),
    /// The threads that hash passwords cannot be started.
    #[error(transparent)]
    Passwords(#[from] NoThreads),
}

impl AppState {
    /// The state over an open and migrated database.
    ///
    /// # Errors
    /// See [`StateError`].
    pub fn new(
        settings: Arc<Settings>,
        database: Arc<Database>,
        clock: Arc<dyn Clock>,
        base_url: String,
    ) -> Result<Self, StateError> {
        let vault = Arc::new(Vault::of(&database, &settings.security)?);
        let alert_bot = alert_bot(&database, clock.now())?;
        let revocations = database.revocations();
        let sign_in = &settings.sign_in;
        let sessions = SessionCheck::new(Arc::clone(revocations), sign_in.rules.lifetime);
        let passwords = PasswordHasher::new(sign_in.hashing, sign_in.waiting)?;
        let suspects = Suspects::new(sign_in.rules.policy.longest_window());
        let keys = KeyRing::new(
            Arc::clone(&database),
            Arc::clone(&vault),
            settings.oauth.signing_algorithm,
            settings.oauth.signing_key_seconds,
        );
        let api = settings.api;
        let releases = ServedReleases::new(api.release, api.v5_preview, &base_url);
        let allowed = settings.errors.allowed_networks.clone();
        let trackers = Trackers::new(Arc::clone(&vault), move |address| allowed.contain(address));
        let spam = SpamCheck::new(settings.spam.clone(), &base_url);
        let server = &settings.server;
        let bodies = BodyBudget::new(server.max_bodies_bytes, server.max_endpoint_bodies_bytes);
        Ok(Self {
            settings,
            spam,
            bodies,
            trackers,
            tokens: Arc::new(TokenCheck::new(Arc::clone(revocations))),
            sessions: Arc::new(sessions),
            activity: RecentActivity::default(),
            passwords,
            suspects,
            clients: Clients::new(Arc::clone(revocations)),
            endpoints: Endpoints::new(Arc::clone(revocations)),
            client_keys: ClientKeys::new(Arc::clone(revocations)),
            event_limits: EventLimits::default(),
            known_parts: KnownParts::default(),
            large_reports: Arc::new(Semaphore::new(LARGE_REPORTS)),
            archives: Arc::new(Semaphore::new(ARCHIVES)),
            readiness: Readiness::default(),
            deprecation_uses: Arc::default(),
            releases,
            refusals: Arc::default(),
            database,
            clock,
            keys: Arc::new(keys),
            vault,
            alert_bot,
            mount: Mount::of(&base_url),
            base_url,
        })
    }

    /// Writes to the database: see [`Database`] for what a write takes away.
    ///
    /// # Errors
    /// Those of `work` and of the store.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.database.write(work).await
    }

    /// The present time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether clients reach the server over TLS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}

/// The author of what alert intake does by itself; its account is made when it is missing.
///
/// # Errors
/// Failures of the store.
pub fn alert_bot(database: &Database, now: Timestamp) -> Result<UserId, StoreError> {
    let found = database
        .read(Lane::Shared, |tx| tx.find_bot(UserKind::AlertBot))
        .wait()?;
    match found {
        Some(bot) => Ok(bot.id),
        None => database.write(move |tx| ensure_alert_bot(tx, now)).wait(),
    }
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppState")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
