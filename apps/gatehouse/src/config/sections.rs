//! Typed sections of the configuration.
//! Their values are always valid.

use std::path::PathBuf;
use std::time::Duration;

use api_conventions::release::Release;
use api_conventions::secret::SecretDigest;
use gatehouse_core::backup::BackupSchedule;
use gatehouse_core::cleaning_alerts::AlertRetention;
use gatehouse_core::settings::{
    ContainerRegistrySettings, DatabaseSettings, SecuritySettings, SpamSettings,
};
use web_conventions::networks::Networks;

use super::limits::LimitSettings;
use super::listen::ListenAddress;
use super::mail::NotificationSettings;
use super::oauth::OAuthSettings;
use super::sign_in::SignInSettings;

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct AppSettings {
    /// The HTTP server.
    pub server: ServerSettings,
    /// The API.
    pub api: ApiSettings,
    /// The database.
    pub database: DatabaseSettings,
    /// Protection of secrets in the database.
    pub security: SecuritySettings,
    /// Alert intake.
    pub intake: IntakeSettings,
    /// Time for which alerts and receipts are kept.
    pub alerts: AlertRetention,
    /// Backups that the server writes; `None` for none.
    pub backup: Option<BackupSchedule>,
    /// Error tracking.
    pub errors: ErrorSettings,
    /// Notifications of people and programs.
    pub notifications: NotificationSettings,
    /// Words used in names.
    pub naming: NamingSettings,
    /// Projects and groups.
    pub projects: ProjectsSettings,
    /// Activity feed.
    pub events: EventsSettings,
    /// Paging.
    pub paging: PagingSettings,
    /// The OAuth 2.0 and OpenID Connect provider.
    pub oauth: OAuthSettings,
    /// Sign-in and sessions.
    pub sign_in: SignInSettings,
    /// Rate limits of requests.
    pub limits: LimitSettings,
    /// Container registry; `None` if there is none.
    pub registry: Option<ContainerRegistrySettings>,
    /// Spam checks.
    pub spam: SpamSettings,
    /// Logging.
    pub log: LogSettings,
    /// Metrics.
    pub metrics: MetricsSettings,
}

/// The HTTP server.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// First address to listen on.
    pub listen: ListenAddress,
    /// Further addresses to listen on.
    pub more_addresses: Vec<ListenAddress>,
    /// Files of the TLS certificate; always set if an address is an `https` one.
    pub certificate: Option<CertificateFiles>,
    /// URL at which clients reach the server, without a trailing slash; `None` for the listening address.
    pub external_url: Option<String>,
    /// Worker threads; `None` for one per core.
    pub workers: Option<usize>,
    /// Time limit for the headers of a request.
    pub header_timeout: Duration,
    /// Time limit for the body of a request.
    pub body_timeout: Duration,
    /// Time for which a client may stop reading a response.
    pub write_timeout: Duration,
    /// Time for which an idle connection stays open.
    pub keep_alive: Duration,
    /// Time for running requests to finish at shutdown.
    pub shutdown_timeout: Duration,
    /// Longest query string, in bytes.
    pub max_query_bytes: usize,
    /// Largest body of an API request, in bytes.
    pub max_body_bytes: usize,
    /// Total size of all large bodies in memory, in bytes.
    pub max_bodies_bytes: usize,
    /// Total size of the large bodies of one endpoint in memory, in bytes.
    pub max_endpoint_bodies_bytes: usize,
}

/// Files of a TLS certificate, in the PEM format (RFC 7468).
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    /// Certificate of the server, followed by those of its issuers.
    pub chain: PathBuf,
    /// Private key of the certificate.
    pub key: PathBuf,
}

impl ServerSettings {
    /// Returns the addresses to listen on, the first one first.
    pub fn addresses(&self) -> impl Iterator<Item = &ListenAddress> {
        std::iter::once(&self.listen).chain(&self.more_addresses)
    }

    /// Message if links to the server cannot work.
    /// The server then listens on all addresses of the machine, and no link can name them all, or at a Unix socket.
    pub fn lacks_a_url(&self) -> Option<String> {
        let (reason, example) = match (&self.listen, self.listen.socket_address()) {
            (_, None) => ("a Unix socket", "https://gatehouse.example.com".to_owned()),
            (listen, Some(address)) if address.ip().is_unspecified() => {
                let scheme = if listen.is_https() { "https" } else { "http" };
                let example = format!("{scheme}://gatehouse.example.com:{}", address.port());
                ("a wildcard address", example)
            }
            _ => return None,
        };
        self.external_url.is_none().then(|| {
            format!(
                "server.listen is {}, {reason}; so that links work, set server.external_url \
                 (GATEHOUSE_SERVER_EXTERNAL_URL) to the URL by which clients reach the server, such as {example}",
                self.listen,
            )
        })
    }

    /// URL of a server that listens at `address`, as clients reach it, without a trailing slash.
    pub fn base_url(&self, address: &ListenAddress) -> String {
        self.external_url.clone().unwrap_or_else(|| address.url())
    }
}

/// The API.
#[derive(Debug, Clone, Copy)]
pub struct ApiSettings {
    /// API release that the server runs as.
    pub release: Release,
    /// True if a preview of the next API version is served.
    pub v5_preview: bool,
}

/// Alert intake.
#[derive(Debug, Clone)]
pub struct IntakeSettings {
    /// Largest body, in bytes after decompression.
    pub max_body_bytes: usize,
    /// Most alerts in one request.
    pub max_alerts: usize,
}

/// Error tracking.
#[derive(Debug, Clone)]
pub struct ErrorSettings {
    /// Largest body that the collector accepts, in bytes, before and after decompression.
    pub max_body_bytes: usize,
    /// Networks in which external trackers may be, in addition to public addresses.
    pub allowed_networks: Networks,
}

/// Words used in names.
#[derive(Debug, Clone)]
pub struct NamingSettings {
    /// Word for the service.
    pub service: String,
    /// Word for the error tracker.
    pub tracker: String,
}

/// Projects and groups.
#[derive(Debug, Clone)]
pub struct ProjectsSettings {
    /// Seconds during which the deletion of a project or group can be cancelled.
    pub deletion_delay_seconds: i64,
    /// Largest form with a project archive, in bytes.
    pub max_import_bytes: usize,
}

/// Activity feed.
#[derive(Debug, Clone, Copy)]
pub struct EventsSettings {
    /// Refs of one kind with the same change that have an event each in one push; one event replaces more.
    pub push_events_limit: u32,
    /// Most open streams in this process.
    pub max_streams: usize,
    /// Most open streams of one caller in this process.
    pub max_streams_per_caller: usize,
    /// Longest duration of a stream.
    pub max_stream: Duration,
}

/// Paging.
#[derive(Debug, Clone, Copy)]
pub struct PagingSettings {
    /// Rows that offset pagination may skip; `None` for no limit.
    pub max_offset: Option<u64>,
}

/// Logging.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// Filter in the syntax of `tracing-subscriber`.
    pub filter: String,
    /// Format of log lines.
    pub format: LogFormat,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// JSON, with one object per line.
    Json,
}

/// Metrics.
#[derive(Debug, Clone)]
pub struct MetricsSettings {
    /// Token that reads the metrics; `None` if nobody may.
    pub token: Option<SecretDigest>,
}
