//! Keys of the process: its addresses, its data, its database, its log and its backups.

use super::{ConfigKey, key};

/// Keys in the order of the documentation.
pub(super) const KEYS: &[ConfigKey] = &[
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
        "database.read_url",
        "",
        "postgres://… of a replica of the database, which answers the reads of callers whenever it has all changes that were made before",
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
        "1073741824",
        "bytes that the write-ahead log of the embedded database (-wal) may take, which is up to 400 MB under load; above that, if another process holds a read transaction open for long, writes are slowed down, and refused with 503 at twice the limit",
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
        "backup.passphrase_file",
        "",
        "file whose first line, at least 12 characters long, encrypts the secret key in these backups; it is read for each (default: the key is in them as it is)",
    ),
];
