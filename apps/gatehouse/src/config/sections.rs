//! The typed sections of the configuration. A value here is valid.

use std::net::SocketAddr;
use std::time::Duration;

use api_conventions::release::Release;
use gatehouse_core::settings::{DatabaseSettings, SecuritySettings, SpamSettings};
use web_conventions::networks::Networks;

use super::oauth::OAuthSettings;
use super::sign_in::SignInSettings;

/// The whole configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The HTTP server.
    pub server: ServerSettings,
    /// The API.
    pub api: ApiSettings,
    /// The database.
    pub database: DatabaseSettings,
    /// What protects secrets in the database.
    pub security: SecuritySettings,
    /// Alert intake.
    pub intake: IntakeSettings,
    /// Error tracking.
    pub errors: ErrorSettings,
    /// The two words that names are made of.
    pub naming: NamingSettings,
    /// Projects and groups.
    pub projects: ProjectSettings,
    /// Paging.
    pub paging: PagingSettings,
    /// The OAuth 2.0 and OpenID Connect provider.
    pub oauth: OAuthSettings,
    /// Signing in, and sessions.
    pub sign_in: SignInSettings,
    /// What is taken for spam.
    pub spam: SpamSettings,
    /// Logging.
    pub log: LogSettings,
}

/// The HTTP server.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// How clients reach the server, without a slash at the end; `None` for the listening address.
    pub external_url: Option<String>,
    /// Worker threads; `None` for one per core.
    pub workers: Option<usize>,
    /// How long headers may take.
    pub header_timeout: Duration,
    /// How long a body may take.
    pub body_timeout: Duration,
    /// How long a client may take no byte of an answer.
    pub write_timeout: Duration,
    /// How long an idle connection stays open.
    pub keep_alive: Duration,
    /// How long running requests may take to end at shutdown.
    pub shutdown_timeout: Duration,
    /// The longest query string, in bytes.
    pub max_query_bytes: usize,
    /// The largest body of an API request, in bytes.
    pub max_body_bytes: usize,
    /// The bytes of all large bodies that are held at once.
    pub max_bodies_bytes: usize,
    /// The bytes of the large bodies of one endpoint that are held at once.
    pub max_endpoint_bodies_bytes: usize,
}

impl ServerSettings {
    /// Why nothing can be led to the server, if that is so: it listens on all addresses of the machine, and no link can
    /// name all of them.
    pub fn lacks_a_url(&self) -> Option<String> {
        let is_anywhere = self.listen.ip().is_unspecified() && self.external_url.is_none();
        is_anywhere.then(|| {
            format!(
                "server.listen is {}, which no link can lead to: set server.external_url \
                 (GATEHOUSE_SERVER_EXTERNAL_URL) to the address by which clients reach the server, \
                 such as http://gatehouse.example.com:{}",
                self.listen,
                self.listen.port()
            )
        })
    }

    /// How clients reach a server that listens at `address`, without a slash at the end.
    pub fn base_url(&self, address: SocketAddr) -> String {
        self.external_url
            .clone()
            .unwrap_or_else(|| format!("http://{address}"))
    }
}

/// The API.
#[derive(Debug, Clone, Copy)]
pub struct ApiSettings {
    /// The release as which the server runs.
    pub release: Release,
    /// Whether a preview of the next version of the API is served.
    pub v5_preview: bool,
}

/// Alert intake.
#[derive(Debug, Clone)]
pub struct IntakeSettings {
    /// The largest body, in bytes after decompression.
    pub max_body_bytes: usize,
    /// The number of alerts that one request may bring.
    pub max_alerts: usize,
}

/// Error tracking.
#[derive(Debug, Clone)]
pub struct ErrorSettings {
    /// The largest body that the collector takes, in bytes, before and after decompression.
    pub max_body_bytes: usize,
    /// Where external trackers may be besides public addresses.
    pub allowed_networks: Networks,
}

/// The two words that names are made of.
#[derive(Debug, Clone)]
pub struct NamingSettings {
    /// For the service.
    pub service: String,
    /// For the error tracker.
    pub tracker: String,
}

/// Projects and groups.
#[derive(Debug, Clone)]
pub struct ProjectSettings {
    /// Seconds for which the deletion of a project or a group can be cancelled.
    pub deletion_delay_seconds: i64,
    /// The largest form with an archive of a project, in bytes.
    pub max_import_bytes: usize,
}

/// Paging.
#[derive(Debug, Clone, Copy)]
pub struct PagingSettings {
    /// Rows that offset paging may pass over; `None` for no limit.
    pub max_offset: Option<u64>,
}

/// Logging.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// A filter in the syntax of `tracing-subscriber`.
    pub filter: String,
    /// How lines look.
    pub format: LogFormat,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
