//! Table of all configuration keys: name, default and meaning.

/// Configuration key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Path of the key in the file, `section.name`.
    pub path: &'static str,
    /// Default, in the syntax of the file; empty if there is none.
    pub default: &'static str,
    /// Meaning of the key, with its unit.
    pub meaning: &'static str,
}

impl Key {
    /// Environment variable that sets the key: `server.listen` is `GATEHOUSE_SERVER_LISTEN`.
    pub fn variable(&self) -> String {
        format!("GATEHOUSE_{}", self.path.replace('.', "_").to_uppercase())
    }
}

const fn key(path: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key {
        path,
        default,
        meaning,
    }
}

/// All keys.
pub const KEYS: &[Key] = &[
    key(
        "server.listen",
        "\"127.0.0.1:8080\"",
        "address and port to listen on; port 0 takes a free one",
    ),
    key(
        "server.external_url",
        "",
        "how clients reach the server, with the path below which a proxy has it, if any; the listening address when absent, which is not enough when that is all addresses of the machine",
    ),
    key(
        "server.workers",
        "0",
        "HTTP worker threads; 0 for one per core",
    ),
    key(
        "server.header_timeout_seconds",
        "10",
        "seconds for the first line and the headers of a request to arrive, from the first byte",
    ),
    key(
        "server.body_timeout_seconds",
        "30",
        "seconds for the body of a request to arrive",
    ),
    key(
        "server.write_timeout_seconds",
        "30",
        "seconds that a client may take no byte of an answer; then its connection is cut",
    ),
    key(
        "server.keep_alive_seconds",
        "75",
        "seconds that an idle connection stays open",
    ),
    key(
        "server.shutdown_timeout_seconds",
        "30",
        "seconds for running requests to end at shutdown",
    ),
    key(
        "server.max_query_bytes",
        "16384",
        "longest query string, at most 60000; longer ones are answered 414",
    ),
    key(
        "server.max_body_bytes",
        "1048576",
        "largest body of an API request",
    ),
    key(
        "server.max_bodies_bytes",
        "134217728",
        "bytes of bodies over 64 KiB that are held at once, of all requests together; more are refused with 503 before they are read",
    ),
    key(
        "server.max_endpoint_bodies_bytes",
        "33554432",
        "the same of the requests to one address, such as an alert endpoint; a larger body is taken when it is the only one",
    ),
    key(
        "server.trusted_proxies",
        "\"\"",
        "addresses or networks of reverse proxies, separated by commas, whose X-Forwarded-For says where a client is",
    ),
    key(
        "data.dir",
        "\"./data\"",
        "where the embedded database lives",
    ),
    key(
        "database.url",
        "",
        "sqlite:PATH or postgres://…; a file in data.dir when absent",
    ),
    key(
        "database.readers",
        "0",
        "reading connections; 0 for the database's default",
    ),
    key(
        "database.writers",
        "0",
        "writing connections for closures, and as many for grouped work, PostgreSQL only; 0 for the default",
    ),
    key(
        "database.queue_jobs",
        "4096",
        "writes that may wait; more are refused with 503",
    ),
    key(
        "database.queue_bytes",
        "67108864",
        "bytes that waiting writes may hold",
    ),
    key(
        "database.read_timeout_seconds",
        "5",
        "seconds that a read may take, waiting included, at most 600; then it is stopped and answered 503",
    ),
    key(
        "database.write_timeout_seconds",
        "5",
        "seconds that a write may wait for its turn, at most 600; then it is refused with 503, unwritten",
    ),
    key(
        "database.pooler",
        "\"none\"",
        "transaction where a pooler before PostgreSQL gives each transaction another connection, as PgBouncer does with pool_mode = transaction; its session mode needs nothing",
    ),
    key(
        "database.journal_limit_bytes",
        "536870912",
        "bytes that the journal of the embedded database (-wal) may take, which is up to 160 MB under load; past that, because another process keeps a read open, writes are slowed down, and refused with 503 at twice as many",
    ),
    key(
        "security.secret_key",
        "",
        "hexadecimal digits or base64 of at least 32 random bytes, the same on every node; kept in secret.key in data.dir, made on the first start, when absent",
    ),
    key(
        "intake.max_body_bytes",
        "16777216",
        "largest body of an alert, after decompression",
    ),
    key(
        "intake.max_alerts",
        "20000",
        "alerts in one request; more are refused with 413. A request is stored whole or not at all, and others wait while it is written",
    ),
    key(
        "errors.max_body_bytes",
        "20971520",
        "largest body that the error collector takes, before and after decompression",
    ),
    key(
        "errors.allowed_networks",
        "\"\"",
        "addresses or networks that are not public and in which external trackers may nevertheless be, separated by commas, such as 10.0.0.0/8",
    ),
    key(
        "api.release",
        "\"18.0\"",
        "the release as which the server runs, from 13.10 on: what it takes and answers is what that release does; in quotes, so that 15.10 is not 15.1",
    ),
    key(
        "api.v5_preview",
        "false",
        "whether /api/v5 is served: the API without all that is announced to go",
    ),
    key(
        "naming.service",
        "\"service\"",
        "the word for the service in names such as service_environment_name",
    ),
    key(
        "naming.tracker",
        "\"tracker\"",
        "the word for the tracker in names such as tracker_dsn",
    ),
    key(
        "projects.deletion_delay_days",
        "7",
        "days for which the deletion of a project or a group can be cancelled; 0 deletes within a minute",
    ),
    key(
        "projects.max_import_bytes",
        "10485760",
        "largest request that imports a project, at most 67108864; it is held in memory",
    ),
    key(
        "paging.max_offset",
        "50000",
        "rows that offset paging may pass over in lists with keyset pages; 0 for no limit",
    ),
    key(
        "oauth.access_token_seconds",
        "7200",
        "seconds that an access token works",
    ),
    key(
        "oauth.max_access_token_seconds",
        "86400",
        "longest lifetime of access tokens that one application can have of its own, in seconds",
    ),
    key(
        "oauth.max_id_token_seconds",
        "86400",
        "longest lifetime of id tokens that one application can have of its own, in seconds; 600 unless it has one",
    ),
    key(
        "oauth.code_seconds",
        "60",
        "seconds in which an authorization code can be redeemed, at most 600",
    ),
    key(
        "oauth.consent_seconds",
        "600",
        "seconds that a user may think about a request for consent",
    ),
    key(
        "oauth.refresh_idle_days",
        "90",
        "days after which an unused refresh token no longer works",
    ),
    key(
        "oauth.grant_days",
        "365",
        "days after which a user must authorize an application anew, however often it refreshes",
    ),
    key(
        "oauth.refresh_repeat_seconds",
        "10",
        "seconds in which the same refresh token gets the same answer again, at most 60; later its reuse ends the grant",
    ),
    key(
        "oauth.public_clients_need_pkce",
        "true",
        "whether applications that keep no secret must use PKCE",
    ),
    key(
        "oauth.password_grant",
        "true",
        "whether a username and a password can be exchanged for a token",
    ),
    key(
        "oauth.allow_insecure_redirects",
        "false",
        "whether plain http addresses of other machines may be registered, for development",
    ),
    key(
        "oauth.signing_algorithm",
        "\"RS256\"",
        "how id tokens are signed: RS256, ES256 or EdDSA",
    ),
    key(
        "oauth.signing_key_days",
        "90",
        "days after which another key signs id tokens",
    ),
    key(
        "sessions.idle_days",
        "7",
        "days without use after which a session of a browser ends",
    ),
    key(
        "sessions.absolute_days",
        "30",
        "days after which it ends, however much it is used",
    ),
    key(
        "sessions.second_factor_minutes",
        "10",
        "minutes in which the second factor must follow the password, at most 60",
    ),
    key(
        "sign_in.max_failures",
        "10",
        "wrong passwords for one account, wrong second factors of one user, or wrong secrets of one application from one address, within the window; more are refused with 429",
    ),
    key(
        "sign_in.max_failures_per_address",
        "100",
        "wrong passwords, and apart from them wrong secrets of applications, from one address within the window",
    ),
    key(
        "sign_in.failure_window_minutes",
        "10",
        "minutes after which failures are forgotten",
    ),
    key(
        "passwords.concurrency",
        "0",
        "passwords that are hashed at the same time; 0 for one per core",
    ),
    key(
        "passwords.queue",
        "64",
        "passwords that may wait to be hashed; more are refused with 503",
    ),
    key(
        "spam.patterns_file",
        "",
        "a file of regular expressions, one a line; a public issue by somebody without a role that one of them matches, in either case, is held as spam",
    ),
    key(
        "spam.max_links",
        "",
        "links that such an issue may have; no limit when absent",
    ),
    key(
        "spam.service_url",
        "\"https://rest.akismet.com\"",
        "a service that judges such issues as Akismet's comment-check does, asked when there is a key for it",
    ),
    key(
        "spam.service_key",
        "",
        "the key for that service; without one no text is sent to it",
    ),
    key(
        "spam.captcha_url",
        "\"https://www.google.com/recaptcha/api\"",
        "a provider of CAPTCHAs as reCAPTCHA's version 2, used when there are keys for it",
    ),
    key(
        "spam.captcha_site_key",
        "",
        "the public key of the CAPTCHA that lets through what is held",
    ),
    key("spam.captcha_secret", "", "the secret that belongs to it"),
    key(
        "log.level",
        "\"info\"",
        "error, warn, info, debug or trace, or a filter such as gatehouse=debug",
    ),
    key("log.format", "\"text\"", "text or json"),
];

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gatehouse_core::settings::{DatabaseSettings, DatabaseUrl, Pooler};

    use super::*;

    #[test]
    fn the_written_table_tells_every_key_as_it_is() {
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

    fn row(key: &Key) -> String {
        let default = if key.default.is_empty() {
            String::new()
        } else {
            format!("`{}`", key.default)
        };
        let (path, variable, meaning) = (key.path, key.variable(), key.meaning);
        format!("| `{path}` | `{variable}` | {default} | {meaning} |")
    }
}
