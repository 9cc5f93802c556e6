//! Shared state of all requests.

mod behaviour;
pub mod certificate;
pub mod limits;
pub mod metrics;
mod releases;
pub mod status;

use std::sync::Arc;

use accounts::UserKind;
use api_conventions::ids::UserId;
use api_conventions::time::{Clock, Timestamp};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Semaphore;

use crate::config::AppSettings;
use gatehouse_core::auth::activity::RecentActivity;
use gatehouse_core::auth::client_keys::ClientKeys;
use gatehouse_core::auth::clients::Clients;
use gatehouse_core::auth::failed_attempts::FailedAttempts;
use gatehouse_core::auth::integrations::Endpoints;
use gatehouse_core::auth::sessions::SessionCheck;
use gatehouse_core::auth::tokens::TokenCheck;
use gatehouse_core::backup::ScheduledBackups;
use gatehouse_core::collecting::{EventLimits, KnownParts};
use gatehouse_core::container_registry::ContainerRegistry;
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::deprecation_uses::DeprecationUses;
use gatehouse_core::external_tracker::Trackers;
use gatehouse_core::feed_watch::{FeedWatch, SubscriptionLimits};
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::create_user::ensure_alert_bot;
use gatehouse_core::flows::incidents::IncidentNames;
use gatehouse_core::flows::receive_alerts::FeedEntries;
use gatehouse_core::jobs::BackgroundJobs;
use gatehouse_core::notifying::{MailSettingsError, MailTransport, MessageSenders};
use gatehouse_core::passwords::{NoThreads, PasswordHasher};
use gatehouse_core::readiness::Readiness;
use gatehouse_core::registry_keys::RegistryKeyError;
use gatehouse_core::runner_contacts::RunnerContacts;
use gatehouse_core::signing_keys::KeyRing;
use gatehouse_core::signing_keys::SecretKeyError;
use gatehouse_core::spam::SpamCheck;
use gatehouse_core::vault::Vault;
use gatehouse_core::watching_database::DatabaseWatch;
use web_conventions::body_budget::BodyBudget;
use web_conventions::mount::Mount;
use web_conventions::refusals::Refusals;

pub use self::behaviour::Behaviour;
use self::certificate::{CertificateError, LoadedCertificate, ServerCertificate};
use self::limits::RequestLimits;
use self::metrics::Metrics;
pub use self::releases::ServedReleases;

/// Most large compressed reports decompressed at a time.
const LARGE_REPORTS: usize = 2;

/// Most project archives packed or unpacked at a time.
const ARCHIVES: usize = 2;

/// Shared state of all requests: the database, the settings, the caches and the clock.
pub struct AppState {
    /// The configuration.
    pub settings: Arc<AppSettings>,
    /// The database.
    pub database: Arc<Database>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Authentication of access tokens.
    pub tokens: Arc<TokenCheck>,
    /// Authentication of browser sessions.
    pub sessions: Arc<SessionCheck>,
    /// Recent activity of users, from their requests.
    pub activity: RecentActivity,
    /// Threads that hash passwords.
    pub passwords: PasswordHasher,
    /// Cache of applications.
    pub clients: Clients,
    /// Recent senders of wrong application secrets.
    pub failed_attempts: FailedAttempts,
    /// Cache of alert endpoints.
    pub endpoints: Endpoints,
    /// Cache of client keys for error tracking.
    pub client_keys: ClientKeys,
    /// Rate limits of events.
    pub event_limits: EventLimits,
    /// Recently stored parts of events.
    pub known_parts: KnownParts,
    /// Budget for the request bodies in memory, in bytes.
    pub bodies: Arc<BodyBudget>,
    /// Permits to decompress large reports.
    /// Anyone with a DSN can send reports that take far more memory here than on the network, so only a few are
    /// decompressed at a time.
    pub large_reports: Arc<Semaphore>,
    /// Permits for project archives, which take more memory here than on the network.
    pub archives: Arc<Semaphore>,
    /// New events of the activity feed, for the streams of this server.
    pub feed: Arc<FeedWatch>,
    /// Client for external trackers.
    pub trackers: Trackers,
    /// Container registry that trusts the tokens of this server; `None` if there is none.
    pub registry: Option<Arc<ContainerRegistry>>,
    /// Spam check of new content.
    pub spam: SpamCheck,
    /// Senders of messages to people and programs.
    pub senders: Arc<MessageSenders>,
    /// Keys that sign ID tokens.
    pub keys: Arc<KeyRing>,
    /// Background jobs.
    pub jobs: BackgroundJobs,
    /// Backups that the server writes.
    pub backups: Arc<ScheduledBackups>,
    /// Clock and size of a PostgreSQL server.
    pub database_watch: Arc<DatabaseWatch>,
    /// Counters for monitoring.
    pub metrics: Arc<Metrics>,
    /// Readiness of the database.
    pub readiness: Readiness,
    /// Recent uses of deprecated features.
    pub deprecation_uses: Arc<DeprecationUses>,
    /// Recent contacts of runners.
    pub runner_contacts: Arc<RunnerContacts>,
    /// Releases that the server can answer as.
    pub releases: ServedReleases,
    /// Rate limits of requests.
    pub limits: RequestLimits,
    /// Recent refusals, logged by rate.
    pub refusals: Arc<Refusals>,
    /// Encryption of stored secrets.
    pub vault: Arc<Vault>,
    /// Author of automatic actions of alert intake.
    pub alert_bot: UserId,
    /// Names for the descriptions of incidents.
    pub incident_names: Arc<IncidentNames>,
    /// Time at which the state was created.
    pub started_at: Timestamp,
    /// URL at which clients reach the server, without a trailing slash.
    pub base_url: String,
    /// TLS certificate of the server's own connections; `None` if it has none.
    pub certificate: Option<Arc<ServerCertificate>>,
    /// Path of that URL on its host.
    pub mount: Mount,
}

/// Reasons why the state cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The store fails.
    /// It is read for the account of the alert bot, which is created if missing.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secret key is unreadable, or does not match the database.
    /// For a new database it is created.
    #[error(transparent)]
    Key(#[from] SecretKeyError),
    /// No key for tokens of the container registry can be created.
    #[error(transparent)]
    Registry(#[from] RegistryKeyError),
    /// The TLS certificate cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The mail server cannot be used.
    #[error(transparent)]
    Mail(#[from] MailSettingsError),
    /// The threads that hash passwords cannot be started.
    #[error(transparent)]
    Passwords(#[from] NoThreads),
}

impl AppState {
    /// Creates the state for an open and migrated database.
    ///
    /// # Errors
    /// See [`StateError`].
    pub fn new(
        settings: Arc<AppSettings>,
        database: Arc<Database>,
        clock: Arc<dyn Clock>,
        base_url: String,
    ) -> Result<Self, StateError> {
        let vault = Arc::new(Vault::of(&database, &settings.security)?);
        let alert_bot = alert_bot(&database, clock.now())?;
        let revocations = database.revocations();
        let sign_in = &settings.sign_in;
        let tokens = TokenCheck::new(Arc::clone(revocations), sign_in.accepts_impersonation);
        let sessions = SessionCheck::new(Arc::clone(revocations), sign_in.rules.lifetime);
        let passwords = PasswordHasher::new(sign_in.hashing, sign_in.waiting)?;
        let failed_attempts = FailedAttempts::new(sign_in.rules.policy.longest_window());
        let keys = KeyRing::new(
            Arc::clone(&database),
            Arc::clone(&vault),
            settings.oauth.signing_algorithm,
            settings.oauth.signing_key_seconds,
        );
        let api = settings.api;
        let releases = ServedReleases::new(api.release, api.v5_preview, &base_url);
        let allowed = settings.errors.allowed_networks.clone();
        let trackers = Trackers::new(Arc::clone(&vault), move |address| allowed.contains(address));
        let senders = senders(&settings)?;
        let spam = SpamCheck::new(settings.spam.clone(), &base_url);
        let backups = ScheduledBackups::new(settings.backup.clone());
        let registry = settings.registry.clone();
        let registry = registry.map(|registry| ContainerRegistry::new(registry, &vault, &base_url));
        let registry = registry.transpose()?.map(Arc::new);
        let feed = FeedWatch::new(SubscriptionLimits {
            total: settings.events.max_streams,
            per_caller: settings.events.max_streams_per_caller,
        });
        let incident_names = IncidentNames {
            base_url: base_url.clone(),
            service_word: settings.naming.service.clone(),
        };
        let server = &settings.server;
        let certificate = server.certificate.as_ref().map(LoadedCertificate::read);
        let certificate = certificate.transpose()?.map(ServerCertificate::new);
        let bodies = BodyBudget::new(server.max_bodies_bytes, server.max_endpoint_bodies_bytes);
        Ok(Self {
            limits: RequestLimits::new(settings.limits),
            certificate: certificate.map(Arc::new),
            settings,
            registry,
            senders: Arc::new(senders),
            spam,
            feed: Arc::new(feed),
            bodies,
            trackers,
            tokens: Arc::new(tokens),
            sessions: Arc::new(sessions),
            activity: RecentActivity::default(),
            passwords,
            failed_attempts,
            clients: Clients::new(Arc::clone(revocations)),
            endpoints: Endpoints::new(Arc::clone(revocations)),
            client_keys: ClientKeys::new(Arc::clone(revocations)),
            event_limits: EventLimits::default(),
            known_parts: KnownParts::default(),
            large_reports: Arc::new(Semaphore::new(LARGE_REPORTS)),
            archives: Arc::new(Semaphore::new(ARCHIVES)),
            jobs: BackgroundJobs::new(Arc::clone(&clock)),
            backups: Arc::new(backups),
            database_watch: Arc::default(),
            metrics: Arc::new(Metrics::new()),
            readiness: Readiness::default(),
            deprecation_uses: Arc::default(),
            runner_contacts: Arc::default(),
            releases,
            refusals: Arc::default(),
            database,
            started_at: clock.now(),
            clock,
            keys: Arc::new(keys),
            vault,
            alert_bot,
            incident_names: Arc::new(incident_names),
            mount: Mount::of(&base_url),
            base_url,
        })
    }

    /// Runs a write: see [`Database`] for what a write invalidates.
    ///
    /// # Errors
    /// Errors of `work` and of the store.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.database.write(work).await
    }

    /// Author and names for the feed entries and the incidents of alerts.
    pub fn alert_feed(&self) -> FeedEntries {
        FeedEntries {
            author_id: self.alert_bot,
            names: Arc::clone(&self.incident_names),
            expiries: Vec::new(),
        }
    }

    /// Current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Setting of outgoing mail, which messages about accounts need.
    pub fn outgoing_mail(&self) -> OutgoingMail {
        OutgoingMail::of(self.senders.has_mail())
    }

    /// True if clients reach the server over TLS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}

/// Creates the senders of messages.
///
/// # Errors
/// The mail server cannot be used.
fn senders(settings: &AppSettings) -> Result<MessageSenders, MailSettingsError> {
    let of = &settings.notifications;
    let mail = of.mail.as_ref().map(MailTransport::new).transpose()?;
    let allowed = of.allowed_networks.clone();
    Ok(MessageSenders::new(
        move |address| allowed.contains(address),
        mail,
        MessageSenders::TIMEOUT,
    ))
}

/// Returns the author of automatic actions of alert intake; its account is created if missing.
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
