//! Table of all configuration keys: name, default and meaning.

/// Configuration key.
#[derive(Debug, Clone, Copy)]
pub struct ConfigKey {
    /// Path of the key in the file, `section.name`.
    pub path: &'static str,
    /// Default, in the syntax of the file; empty if there is none.
    pub default: &'static str,
    /// Meaning of the key, with its unit.
    pub meaning: &'static str,
}

impl ConfigKey {
    /// Environment variable that sets the key: `server.listen` is `GATEHOUSE_SERVER_LISTEN`.
    pub fn variable(&self) -> String {
        format!("GATEHOUSE_{}", self.path.replace('.', "_").to_uppercase())
    }

    /// True if the value must not be printed: the name of the key ends with a word for a secret.
    pub fn is_secret(&self) -> bool {
        let last = self.path.rsplit(['.', '_']).next().unwrap_or_default();
        let is_public = self.path == "spam.captcha_site_key";
        ["key", "password", "secret", "token"].contains(&last) && !is_public
    }
}

const fn key(path: &'static str, default: &'static str, meaning: &'static str) -> ConfigKey {
    ConfigKey {
        path,
        default,
        meaning,
    }
}

/// All keys.
pub const KEYS: &[ConfigKey] = &[
    key(
        "server.listen",
        "\"127.0.0.1:8080\"",
        "address and port to listen on, such as localhost:8080 or https://0.0.0.0:443, a Unix socket such as unix:/run/gatehouse/http.sock, or several, separated by commas; port 0 picks a free one",
    ),
    key(
        "server.external_url",
        "",
        "URL by which clients reach the server, with the path at which a proxy mounts it, if any; required if the first address is a wildcard or a Unix socket (default: the address that it listens on)",
    ),
    key(
        "server.tls_certificate_file",
        "",
        "PEM file with the certificate of the server, followed by those of its issuers; required for https:// addresses",
    ),
    key(
        "server.tls_key_file",
        "",
        "PEM file with the private key of the certificate",
    ),
    key(
        "server.workers",
        "0",
        "HTTP worker threads; 0 for one per core",
    ),
    key(
        "server.header_timeout_seconds",
        "10",
        "seconds for the request line and the headers to arrive, from the first byte",
    ),
    key(
        "server.body_timeout_seconds",
        "30",
        "seconds for the body of a request to arrive",
    ),
    key(
        "server.write_timeout_seconds",
        "30",
        "seconds that a client may read nothing of a response; then the connection is closed",
    ),
    key(
        "server.keep_alive_seconds",
        "75",
        "seconds that an idle connection stays open",
    ),
    key(
        "server.shutdown_timeout_seconds",
        "30",
        "seconds for running requests to finish at shutdown",
    ),
    key(
        "server.max_query_bytes",
        "16384",
        "longest query string, at most 60000; longer ones get 414",
    ),
    key(
        "server.max_body_bytes",
        "1048576",
        "largest body of an API request",
    ),
    key(
        "server.max_bodies_bytes",
        "134217728",
        "bytes of bodies over 64 KiB in memory at once, of all requests together; further requests are refused with 503 before their body is read",
    ),
    key(
        "server.max_endpoint_bodies_bytes",
        "33554432",
        "the same for the requests to one path, such as an alert endpoint; a larger body is accepted if it is the only one",
    ),
    key(
        "server.trusted_proxies",
        "\"\"",
        "addresses or networks of reverse proxies, separated by commas; their X-Forwarded-For names the address of the client",
    ),
    key(
        "data.dir",
        "\"./data\"",
        "directory of the embedded database and the key files",
    ),
    key(
        "database.url",
        "",
        "sqlite:PATH or postgres://… (default: a file in data.dir)",
    ),
    key(
        "database.readers",
        "0",
        "connections for reads; 0 for the default of the database",
    ),
    key(
        "database.writers",
        "0",
        "connections for closures that write, and as many for grouped work, PostgreSQL only; 0 for the default",
    ),
    key(
        "database.queue_jobs",
        "4096",
        "writes that may wait; further ones are refused with 503",
    ),
    key(
        "database.queue_bytes",
        "67108864",
        "bytes that waiting writes may take",
    ),
    key(
        "database.read_timeout_seconds",
        "5",
        "seconds that a read may take, including the wait, at most 600; then it is canceled and the response is 503",
    ),
    key(
        "database.write_timeout_seconds",
        "5",
        "seconds that a write may wait for its turn, at most 600; then it is refused with 503 and not written",
    ),
    key(
        "database.pooler",
        "\"none\"",
        "set to transaction if a pooler in front of PostgreSQL can give each transaction another connection, such as PgBouncer with pool_mode = transaction; session pooling needs no setting",
    ),
    key(
        "database.journal_limit_bytes",
        "536870912",
        "bytes that the write-ahead log of the embedded database (-wal) may take, which is up to 160 MB under load; above that, if another process holds a read transaction open, writes are slowed down, and refused with 503 at twice the limit",
    ),
    key(
        "security.secret_key",
        "",
        "at least 32 random bytes as hexadecimal digits or base64, the same on every node (default: secret.key in data.dir, created on first start)",
    ),
    key(
        "security.token_prefix",
        "\"ghat_\"",
        "beginning of new access tokens, by which secret scanners recognize them: 1 to 20 of the characters A-Z a-z 0-9 - _; issued tokens stay valid after a change",
    ),
    key(
        "intake.max_body_bytes",
        "16777216",
        "largest body of an alert request, after decompression",
    ),
    key(
        "intake.max_alerts",
        "20000",
        "alerts in one request; requests with more are refused with 413. A request is stored completely or not at all, and others wait while it is written",
    ),
    key(
        "alerts.retention_days",
        "365",
        "days for which resolved alerts are kept after their last change, with their notes; 0 keeps them for ever. Open alerts are never deleted",
    ),
    key(
        "alerts.receipt_retention_days",
        "90",
        "days for which receipts of deliveries are kept, refused ones included; 0 keeps them for ever",
    ),
    key(
        "backup.directory",
        "",
        "existing directory to which the server writes backups, which contain the secret key; servers that share it take turns (default: no backups)",
    ),
    key("backup.every_hours", "24", "hours between two backups"),
    key(
        "backup.keep",
        "7",
        "number of backups to keep; after a new one, the oldest that are named after their time are deleted",
    ),
    key(
        "errors.max_body_bytes",
        "20971520",
        "largest body that the error collector accepts, before and after decompression",
    ),
    key(
        "errors.allowed_networks",
        "\"\"",
        "private addresses or networks in which external trackers are allowed, separated by commas, such as 10.0.0.0/8",
    ),
    key(
        "notifications.allowed_networks",
        "\"\"",
        "private addresses or networks in which receivers of notifications are allowed, separated by commas, such as 10.0.0.0/8",
    ),
    key(
        "mail.host",
        "",
        "host of the mail server that sends e-mail; without it no e-mail is sent",
    ),
    key("mail.port", "587", "port of the mail server"),
    key(
        "mail.security",
        "\"starttls\"",
        "starttls, which is then required, tls from the start, or none",
    ),
    key(
        "mail.allow_plaintext",
        "false",
        "allow mail.security none for a mail server on another machine",
    ),
    key("mail.username", "", "user name at the mail server"),
    key("mail.password", "", "password of that user"),
    key(
        "mail.from",
        "",
        "address from which e-mail is sent; required with mail.host",
    ),
    key(
        "api.release",
        "\"18.0\"",
        "API release that the server implements, 13.10 or later; in quotes, because 15.10 without them would be 15.1",
    ),
    key(
        "api.v5_preview",
        "false",
        "true to serve /api/v5, the API without everything that is announced for removal",
    ),
    key(
        "naming.service",
        "\"service\"",
        "word for the service in names such as service_environment_name",
    ),
    key(
        "naming.tracker",
        "\"tracker\"",
        "word for the tracker in names such as tracker_dsn",
    ),
    key(
        "projects.deletion_delay_days",
        "7",
        "days in which the deletion of a project or a group can be canceled; 0 deletes within a minute",
    ),
    key(
        "projects.max_import_bytes",
        "10485760",
        "largest request that imports a project, at most 67108864; it is kept in memory",
    ),
    key(
        "events.push_events_limit",
        "3",
        "branches, or tags, that one push may create, update or delete with an event for each in the activity feed; one event for all of them if there are more",
    ),
    key(
        "events.max_streams",
        "500",
        "streams of the activity feed that may be open at once, at most 10000; further ones are refused with 503",
    ),
    key(
        "events.max_streams_per_caller",
        "20",
        "the same for one user, or for one address of callers without credentials; further ones are refused with 429",
    ),
    key(
        "events.max_stream_seconds",
        "3600",
        "seconds after which a stream of the activity feed ends, at most 86400; clients then reconnect and continue",
    ),
    key(
        "paging.max_offset",
        "50000",
        "largest offset in lists that support keyset pagination; 0 for no limit",
    ),
    key(
        "oauth.access_token_seconds",
        "7200",
        "lifetime of access tokens, in seconds",
    ),
    key(
        "oauth.max_access_token_seconds",
        "86400",
        "longest lifetime of access tokens that can be set for one application, in seconds",
    ),
    key(
        "oauth.max_id_token_seconds",
        "86400",
        "longest lifetime of ID tokens that can be set for one application, in seconds; 600 for an application without one",
    ),
    key(
        "oauth.code_seconds",
        "60",
        "lifetime of authorization codes, in seconds, at most 600",
    ),
    key(
        "oauth.consent_seconds",
        "600",
        "seconds that a user may take to answer the consent page",
    ),
    key(
        "oauth.refresh_idle_days",
        "90",
        "days after which an unused refresh token expires",
    ),
    key(
        "oauth.grant_days",
        "365",
        "days after which a user must authorize an application again, however often it refreshes its tokens",
    ),
    key(
        "oauth.refresh_repeat_seconds",
        "10",
        "seconds in which the same refresh token gets the same response again, at most 60; reuse after that revokes the grant",
    ),
    key(
        "oauth.public_clients_need_pkce",
        "true",
        "true to require PKCE from public applications",
    ),
    key(
        "oauth.password_grant",
        "true",
        "true to allow the password grant, which exchanges a username and a password for a token",
    ),
    key(
        "oauth.allow_insecure_redirects",
        "false",
        "true to allow plain http redirect URIs on other machines, for development",
    ),
    key(
        "oauth.signing_algorithm",
        "\"RS256\"",
        "algorithm that signs ID tokens: RS256, ES256 or EdDSA",
    ),
    key(
        "oauth.signing_key_days",
        "90",
        "days after which the key that signs ID tokens is rotated",
    ),
    key(
        "sessions.idle_days",
        "7",
        "days without use after which a browser session ends",
    ),
    key(
        "sessions.absolute_days",
        "30",
        "days after which a browser session ends, even if it is in use",
    ),
    key(
        "sessions.second_factor_minutes",
        "10",
        "minutes between the password and the second factor, at most 60",
    ),
    key(
        "sign_in.max_failures",
        "10",
        "wrong passwords for one account, wrong second factors of one user, or wrong secrets of one application from one address, within the window; further attempts are refused with 429",
    ),
    key(
        "sign_in.max_failures_per_address",
        "100",
        "wrong passwords from one address within the window, and, counted separately, wrong application secrets",
    ),
    key(
        "sign_in.failure_window_minutes",
        "10",
        "minutes after which failed attempts no longer count",
    ),
    key(
        "limits.enabled",
        "true",
        "false turns all of the following limits off",
    ),
    key(
        "limits.unauthenticated_api",
        "\"0\"",
        "API requests without credentials, by address: requests and seconds, such as 3600/3600s; 0 for no limit",
    ),
    key(
        "limits.authenticated_api",
        "\"0\"",
        "API requests of a user, such as 7200/3600s",
    ),
    key(
        "limits.unauthenticated_web",
        "\"0\"",
        "requests for pages without a session, by address",
    ),
    key(
        "limits.authenticated_web",
        "\"0\"",
        "requests for pages of a user",
    ),
    key(
        "limits.protected_paths",
        "\"10/60s\"",
        "forms with a password or a second factor, by address before sign-in and by user after it",
    ),
    key(
        "limits.token_endpoint",
        "\"0\"",
        "requests to /oauth/token, by address; one address may be an application that signs many users in",
    ),
    key(
        "limits.issue_creation",
        "\"300/60s\"",
        "new issues of a user",
    ),
    key("limits.note_creation", "\"300/60s\"", "new notes of a user"),
    key(
        "limits.search",
        "\"30/60s\"",
        "lists of issues with a search text, of a user",
    ),
    key(
        "limits.anonymous_search",
        "\"10/60s\"",
        "the same without credentials, by address",
    ),
    key(
        "limits.user_lookup",
        "\"300/600s\"",
        "GET /users/:id of a user who is not an administrator",
    ),
    key(
        "limits.anonymous_project_list",
        "\"400/600s\"",
        "GET /projects without credentials, by address",
    ),
    key(
        "limits.member_deletion",
        "\"60/60s\"",
        "members that a user removes from projects and groups",
    ),
    key(
        "limits.job_list",
        "\"600/60s\"",
        "lists of the jobs of a project, of a user",
    ),
    key(
        "tokens.impersonation_enabled",
        "true",
        "accept impersonation tokens, which administrators create to act as another user",
    ),
    key(
        "passwords.concurrency",
        "0",
        "passwords hashed at the same time; 0 for one per core",
    ),
    key(
        "passwords.queue",
        "64",
        "passwords that may wait to be hashed; further ones are refused with 503",
    ),
    key(
        "registry.url",
        "",
        "URL at which this server reaches a container registry that trusts its tokens; without it there is none",
    ),
    key(
        "registry.host",
        "",
        "host and port of the registry in the names of images, such as registry.example.com (default: those of registry.url)",
    ),
    key(
        "spam.patterns_file",
        "",
        "file of regular expressions, one per line, ignoring case; a matching public snippet, or public issue from a user without a role, is held as spam",
    ),
    key(
        "spam.max_links",
        "",
        "number of links allowed in such a text (default: no limit)",
    ),
    key(
        "spam.service_url",
        "\"https://rest.akismet.com\"",
        "service that checks such texts, with the comment-check API of Akismet; used if spam.service_key is set",
    ),
    key(
        "spam.service_key",
        "",
        "key for that service; without a key no text is sent to it",
    ),
    key(
        "spam.captcha_url",
        "\"https://www.google.com/recaptcha/api\"",
        "CAPTCHA provider, with the API of reCAPTCHA version 2; used if the site key and the secret are set",
    ),
    key(
        "spam.captcha_site_key",
        "",
        "site key of the CAPTCHA that releases texts held as spam",
    ),
    key("spam.captcha_secret", "", "secret of the CAPTCHA"),
    key(
        "log.level",
        "\"info\"",
        "level error, warn, info, debug or trace, or a filter such as gatehouse=debug",
    ),
    key("log.format", "\"text\"", "text or json"),
    key(
        "metrics.token",
        "",
        "token of at least 20 bytes that reads the metrics at /-/metrics (default: no metrics)",
    ),
];

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gatehouse_core::settings::{DatabaseSettings, DatabaseUrl, Pooler};

    use super::*;

    #[test]
    fn the_documented_table_matches_the_configuration_keys() {
        let written = include_str!("../../../../docs/configuration.md");
        let rows: Vec<&str> = written
            .lines()
            .filter(|line| line.starts_with("| `"))
            .collect();
        let expected: Vec<String> = KEYS.iter().map(row).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_defaults_of_the_database_are_those_that_a_host_gets() {
        let of = DatabaseSettings::at(DatabaseUrl::Sqlite(PathBuf::new()));
        let expected = [
            ("database.readers", 0),
            ("database.writers", 0),
            ("database.queue_jobs", of.queue_jobs as u64),
            ("database.queue_bytes", of.queue_bytes as u64),
            ("database.read_timeout_seconds", of.read_timeout.as_secs()),
            ("database.write_timeout_seconds", of.write_timeout.as_secs()),
            ("database.journal_limit_bytes", of.journal_limit),
        ];
        for (path, value) in expected {
            let key = KEYS.iter().find(|key| key.path == path).expect(path);
            assert_eq!(key.default, value.to_string(), "{path}");
        }
        assert_eq!((of.readers, of.writers), (None, None));
        assert_eq!(of.pooler, Pooler::None);
    }

    fn row(key: &ConfigKey) -> String {
        let default = if key.default.is_empty() {
            String::new()
        } else {
            format!("`{}`", key.default)
        };
        let (path, variable, meaning) = (key.path, key.variable(), key.meaning);
        format!("| `{path}` | `{variable}` | {default} | {meaning} |")
    }
}
