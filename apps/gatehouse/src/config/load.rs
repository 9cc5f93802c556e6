//! Loads the typed configuration from its sources and collects all of its faults.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use figment::value::Value;
use figment::{Figment, Provider as _, Source};
use url::Url;
use zeroize::Zeroizing;

use api_conventions::release::Release;
use api_conventions::secret::SecretDigest;
use deprecations::{NEWEST, OLDEST, release_named};
use gatehouse_core::backup::{BackupSchedule, Passphrase};
use gatehouse_core::cleaning_alerts::AlertRetention;
use gatehouse_core::settings::{DatabaseSettings, DatabaseUrl, Pooler};

use super::fault::{ConfigError, ConfigFault};
use super::listen::ListenAddress;
use super::log_filter::log_filter;
use super::sections::{
    ApiSettings, AppSettings, CertificateFiles, ErrorSettings, EventsSettings, IntakeSettings,
    LogFormat, LogSettings, MetricsSettings, NamingSettings, PagingSettings, ProjectsSettings,
    ServerSettings,
};
use super::setting_type::SettingType;
use super::sources::{Overrides, file, sources, unknown_keys};

/// Upper bound of the configurable query length.
/// The HTTP library limits a path and its query to 65,534 bytes, escapes included; the rest is room for the path.
const MAX_QUERY_BYTES: usize = 60_000;
/// Shortest token for metrics, in bytes. It cannot be guessed, because wrong ones are not counted.
const MIN_METRICS_TOKEN: usize = 20;
/// Upper bound of the database deadline, in seconds.
/// No client waits longer.
const MAX_DATABASE_SECONDS: usize = 600;

/// Loads and validates the configuration.
///
/// # Errors
/// All faults of all sources together: unknown keys, values of a wrong type or out of bounds. A file that cannot be
/// parsed is reported alone, because any other fault could be a consequence of not reading it.
pub fn load(overrides: &Overrides) -> Result<AppSettings, ConfigError> {
    let mut faults = Vec::new();
    let file = file(overrides).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let figment = sources(file, overrides);
    match figment.data() {
        Ok(values) => faults.extend(unknown_keys(&figment, &values)),
        Err(error) => return Err(refusal(&[ConfigFault::of_syntax(file, &error)], None)),
    }
    // Merged once: the sources merge all their values anew for each one that is read from them.
    let values = match figment.find_value("") {
        Ok(values) => values,
        Err(error) => return Err(refusal(&[ConfigFault::of_syntax(file, &error)], None)),
    };
    let mut reader = ConfigReader {
        figment,
        values,
        faults,
    };
    let settings = reader.settings();
    if reader.faults.is_empty() {
        Ok(settings)
    } else {
        Err(refusal(&reader.faults, Some(settings.database)))
    }
}

fn refusal(faults: &[ConfigFault], database: Option<DatabaseSettings>) -> ConfigError {
    let is_sound = !faults.iter().any(ConfigFault::concerns_database);
    ConfigError {
        faults: faults.iter().map(ConfigFault::to_string).collect(),
        database: database.filter(|_| is_sound).map(Box::new),
    }
}

/// Reads typed values and collects their faults.
/// An invalid value is replaced by a harmless one, so that reading continues; the settings are discarded if there is
/// any fault.
pub(super) struct ConfigReader {
    /// Sources, which know where a value is from.
    figment: Figment,
    values: Value,
    faults: Vec<ConfigFault>,
}

impl ConfigReader {
    fn settings(&mut self) -> AppSettings {
        AppSettings {
            server: self.server(),
            api: ApiSettings {
                release: self.release("api.release"),
                v5_preview: self.value("api.v5_preview"),
            },
            database: self.database(),
            security: self.security(),
            intake: IntakeSettings {
                max_body_bytes: self.bounded("intake.max_body_bytes", 1024, 1 << 30),
                max_alerts: self.bounded("intake.max_alerts", 1, 1_000_000),
            },
            alerts: AlertRetention {
                alert_days: self.days("alerts.retention_days"),
                receipt_days: self.days("alerts.receipt_retention_days"),
            },
            backup: self.backup(),
            errors: ErrorSettings {
                max_body_bytes: self.bounded("errors.max_body_bytes", 65_536, 1 << 30),
                allowed_networks: self.networks("errors.allowed_networks"),
            },
            notifications: self.notifications(),
            naming: NamingSettings {
                service: self.word("naming.service"),
                tracker: self.word("naming.tracker"),
            },
            projects: ProjectsSettings {
                deletion_delay_seconds: self.count("projects.deletion_delay_days", 0, 3650)
                    * 86_400,
                max_import_bytes: self.bounded("projects.max_import_bytes", 1024, 1 << 26),
            },
            events: self.events(),
            paging: PagingSettings {
                max_offset: Some(self.value("paging.max_offset")).filter(|max| *max > 0),
            },
            oauth: self.oauth(),
            sign_in: self.sign_in(),
            limits: self.limits(),
            registry: self.registry(),
            spam: self.spam(),
            log: self.log(),
            metrics: MetricsSettings {
                token: self.metrics_token(),
            },
        }
    }

    fn backup(&mut self) -> Option<BackupSchedule> {
        let hours = self.bounded("backup.every_hours", 1, 8760);
        let keep = self.bounded("backup.keep", 1, 10_000);
        let passphrase_file: Option<PathBuf> = self.optional("backup.passphrase_file");
        let directory = self.optional("backup.directory")?;
        if let Some(Err(error)) = passphrase_file.as_deref().map(Passphrase::read) {
            self.fault("backup.passphrase_file", &error.to_string());
        }
        Some(BackupSchedule {
            directory,
            every_hours: u32::try_from(hours).unwrap_or(u32::MAX),
            keep: NonZeroUsize::new(keep).unwrap_or(NonZeroUsize::MIN),
            passphrase_file,
        })
    }

    /// Days for which something is kept, at most a hundred years.
    fn days(&mut self, key: &str) -> u32 {
        u32::try_from(self.bounded(key, 0, 36_500)).unwrap_or_default()
    }

    fn events(&mut self) -> EventsSettings {
        let limit = self.bounded("events.push_events_limit", 0, 1000);
        EventsSettings {
            push_events_limit: u32::try_from(limit).unwrap_or_default(),
            max_streams: self.bounded("events.max_streams", 0, 10_000),
            max_streams_per_caller: self.bounded("events.max_streams_per_caller", 0, 10_000),
            max_stream: self.seconds_up_to("events.max_stream_seconds", 86_400),
        }
    }

    fn server(&mut self) -> ServerSettings {
        let external_url = self.optional::<String>("server.external_url");
        if external_url
            .as_ref()
            .is_some_and(|url| !url.starts_with("http://") && !url.starts_with("https://"))
        {
            self.fault("server.external_url", "must start with http:// or https://");
        } else if external_url.as_ref().is_some_and(|url| !is_plain(url)) {
            let text = "must be a plain address such as https://host.example/path";
            self.fault("server.external_url", text);
        }
        let (listen, more_addresses) = self.addresses("server.listen");
        let certificate = self.certificate_files();
        if certificate.is_none()
            && [&listen]
                .into_iter()
                .chain(&more_addresses)
                .any(ListenAddress::is_https)
        {
            let rule =
                "must be set, with server.tls_key_file, for an https:// address in server.listen";
            self.fault("server.tls_certificate_file", rule);
        }
        ServerSettings {
            listen,
            more_addresses,
            certificate,
            external_url: external_url.map(|url| url.trim_end_matches('/').to_owned()),
            workers: Some(self.bounded("server.workers", 0, 1024)).filter(|workers| *workers > 0),
            header_timeout: self.seconds("server.header_timeout_seconds"),
            body_timeout: self.seconds("server.body_timeout_seconds"),
            write_timeout: self.seconds("server.write_timeout_seconds"),
            keep_alive: self.seconds("server.keep_alive_seconds"),
            shutdown_timeout: self.seconds("server.shutdown_timeout_seconds"),
            max_query_bytes: self.bounded("server.max_query_bytes", 256, MAX_QUERY_BYTES),
            max_body_bytes: self.bounded("server.max_body_bytes", 1024, 1 << 30),
            max_bodies_bytes: self.bounded("server.max_bodies_bytes", 1 << 17, 1 << 40),
            max_endpoint_bodies_bytes: self.bounded(
                "server.max_endpoint_bodies_bytes",
                1 << 17,
                1 << 40,
            ),
        }
    }

    fn certificate_files(&mut self) -> Option<CertificateFiles> {
        let chain = self.optional("server.tls_certificate_file");
        let key = self.optional("server.tls_key_file");
        match (chain, key) {
            (Some(chain), Some(key)) => Some(CertificateFiles { chain, key }),
            (None, None) => None,
            (Some(_), None) => {
                self.fault(
                    "server.tls_key_file",
                    "must be set with server.tls_certificate_file",
                );
                None
            }
            (None, Some(_)) => {
                self.fault(
                    "server.tls_certificate_file",
                    "must be set with server.tls_key_file",
                );
                None
            }
        }
    }

    fn database(&mut self) -> DatabaseSettings {
        let data: PathBuf = self.value("data.dir");
        let url = match self.optional::<String>("database.url") {
            None => DatabaseUrl::Sqlite(data.join("gatehouse.sqlite3")),
            Some(text) => DatabaseUrl::parse(&text).unwrap_or_else(|| {
                self.fault("database.url", "must be sqlite:PATH or postgres://…");
                DatabaseUrl::Sqlite(PathBuf::new())
            }),
        };
        DatabaseSettings {
            read_url: self.replica_of(&url),
            url,
            readers: Some(self.bounded("database.readers", 0, 256)).filter(|readers| *readers > 0),
            writers: Some(self.bounded("database.writers", 0, 16)).filter(|writers| *writers > 0),
            queue_jobs: self.bounded("database.queue_jobs", 16, 1 << 20),
            queue_bytes: self.bounded("database.queue_bytes", 1 << 20, 1 << 34),
            read_timeout: self.seconds_up_to("database.read_timeout_seconds", MAX_DATABASE_SECONDS),
            write_timeout: self
                .seconds_up_to("database.write_timeout_seconds", MAX_DATABASE_SECONDS),
            pooler: self.pooler(),
            journal_limit: self.bounded("database.journal_limit_bytes", 1 << 20, 1 << 44) as u64,
        }
    }

    /// URL of a replica, which only PostgreSQL has.
    fn replica_of(&mut self, url: &DatabaseUrl) -> Option<DatabaseUrl> {
        let text = self.optional::<String>("database.read_url")?;
        let read_url = DatabaseUrl::parse(&text);
        let is_server = |url: &DatabaseUrl| matches!(url, DatabaseUrl::Postgres(_));
        let found = read_url.filter(|read_url| is_server(url) && is_server(read_url));
        if found.is_none() {
            self.fault(
                "database.read_url",
                "must be postgres://…, and so must database.url",
            );
        }
        found
    }

    fn pooler(&mut self) -> Pooler {
        match self.optional::<String>("database.pooler").as_deref() {
            Some("transaction") => Pooler::Transaction,
            Some("none") | None => Pooler::None,
            Some(_) => {
                self.fault("database.pooler", "must be none or transaction");
                Pooler::None
            }
        }
    }

    fn metrics_token(&mut self) -> Option<SecretDigest> {
        let parse = |text: &str| {
            let is_long_enough = text.len() >= MIN_METRICS_TOKEN;
            is_long_enough.then(|| SecretDigest::of(text))
        };
        let rule = format!("must be text of at least {MIN_METRICS_TOKEN} bytes");
        self.secret("metrics.token", parse, &rule)
    }

    fn log(&mut self) -> LogSettings {
        let text: String = self.value("log.level");
        let filter = log_filter(&text).unwrap_or_else(|rule| {
            self.fault("log.level", &rule);
            String::new()
        });
        let format = match self.optional::<String>("log.format").as_deref() {
            Some("text") | None => LogFormat::Text,
            Some("json") => LogFormat::Json,
            Some(_) => {
                self.fault("log.format", "must be text or json");
                LogFormat::Text
            }
        };
        LogSettings { filter, format }
    }

    /// Reads a value that must not be printed, even if it is invalid: then only `rule` is reported.
    pub(super) fn secret<T>(
        &mut self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
        rule: &str,
    ) -> Option<T> {
        let found = self.values.find_ref(key)?;
        let text = found.clone().into_string().map(Zeroizing::new);
        let value = text.and_then(|text| parse(&text));
        if value.is_none() {
            self.fault(key, rule);
        }
        value
    }

    pub(super) fn fault(&mut self, key: &str, text: &str) {
        self.faults.push(ConfigFault::of_key(key, text));
    }

    pub(super) fn optional<T: SettingType>(&mut self, key: &str) -> Option<T> {
        let found = self.values.find_ref(key)?;
        if let Ok(value) = found.deserialize() {
            return Some(value);
        }
        let source = self.figment.get_metadata(found.tag());
        let is_typed = source.is_some_and(|source| matches!(source.source, Some(Source::File(_))));
        // Variables and flags are text, so numbers and words are parsed from them; a file has typed values.
        let text = found.as_str().filter(|_| !is_typed);
        let value = text.and_then(T::from_text);
        if value.is_none() {
            self.faults
                .push(ConfigFault::of_type(key, T::RULE, found, source));
        }
        value
    }

    pub(super) fn value<T: SettingType + Default>(&mut self, key: &str) -> T {
        self.optional(key).unwrap_or_default()
    }

    pub(super) fn bounded(&mut self, key: &str, least: usize, most: usize) -> usize {
        let value = self.optional(key).unwrap_or(least);
        if !(least..=most).contains(&value) {
            self.fault(key, &format!("must be between {least} and {most}"));
        }
        value
    }

    fn seconds(&mut self, key: &str) -> Duration {
        self.seconds_up_to(key, 3600)
    }

    fn seconds_up_to(&mut self, key: &str, most: usize) -> Duration {
        let seconds = self.bounded(key, 1, most);
        Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    }

    /// Reads addresses that commas separate: the first one, and the others.
    fn addresses(&mut self, key: &str) -> (ListenAddress, Vec<ListenAddress>) {
        let harmless = ListenAddress::Http(SocketAddr::from(([127, 0, 0, 1], 0)));
        let Some(text) = self.optional::<String>(key) else {
            return (harmless, Vec::new());
        };
        let addresses = text
            .split(',')
            .map(|address| ListenAddress::parse(address.trim()));
        let addresses: Option<Vec<ListenAddress>> = addresses.collect();
        if let Some((first, others)) = addresses
            .as_deref()
            .and_then(<[ListenAddress]>::split_first)
        {
            return (first.clone(), others.to_vec());
        }
        self.fault(key, ListenAddress::RULE);
        (harmless, Vec::new())
    }

    fn release(&mut self, key: &str) -> Release {
        let Some(text) = self.optional::<String>(key) else {
            return NEWEST;
        };
        release_named(&text).unwrap_or_else(|_| {
            self.fault(key, &format!("must be a release from {OLDEST} to {NEWEST}"));
            NEWEST
        })
    }

    fn word(&mut self, key: &str) -> String {
        let Some(word) = self.optional::<String>(key) else {
            return String::new();
        };
        let well_formed = word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if word.is_empty() || !well_formed {
            self.fault(key, "must be one word of lowercase letters and digits");
        }
        word
    }
}
/// True if a URL has only a host and a path without escapes.
/// The URL is the prefix of all links in pages, and its path that of cookies.
fn is_plain(address: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_plain);
    Url::parse(address).is_ok_and(|url| {
        let path = url.path().trim_matches('/');
        let has_more = url.query().is_some() || url.fragment().is_some();
        let has_user = !url.username().is_empty() || url.password().is_some();
        !has_more && !has_user && (path.is_empty() || path.split('/').all(is_word))
    })
}
