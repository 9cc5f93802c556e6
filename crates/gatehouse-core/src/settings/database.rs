//! Settings of the database and its limits.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use storage_diesel::Pooler;

/// Settings of the database.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// URL of the database.
    pub url: DatabaseUrl,
    /// URL of a replica that answers reads of callers, PostgreSQL only; `None` for none.
    pub read_url: Option<DatabaseUrl>,
    /// Number of reading connections; `None` for the database's default.
    pub readers: Option<usize>,
    /// Number of writing connections, PostgreSQL only; `None` for the default.
    pub writers: Option<usize>,
    /// Maximum number of queued writes.
    pub queue_jobs: usize,
    /// Maximum size of queued writes, in bytes.
    pub queue_bytes: usize,
    /// Time limit of a read, including the time it waits.
    pub read_timeout: Duration,
    /// Maximum time that a write waits in the queue.
    pub write_timeout: Duration,
    /// Connection pooler between the server and PostgreSQL.
    pub pooler: Pooler,
    /// Size of the embedded database's journal above which writes are slowed down, in bytes.
    pub journal_limit: u64,
}

impl DatabaseSettings {
    /// Creates the default settings for the database at this URL, suitable for a server of some hundred users.
    ///
    /// A host changes single fields with `..DatabaseSettings::at(url)`, so that it still compiles when a field is
    /// added.
    pub const fn at(url: DatabaseUrl) -> Self {
        Self {
            url,
            read_url: None,
            readers: None,
            writers: None,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            read_timeout: Duration::from_secs(5),
            write_timeout: Duration::from_secs(5),
            pooler: Pooler::None,
            journal_limit: 1 << 30,
        }
    }
}

/// URL of a database.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// An embedded database in this file.
    Sqlite(PathBuf),
    /// A PostgreSQL server, by its connection URL, which may hold a password.
    Postgres(String),
}

impl DatabaseUrl {
    /// Parses `sqlite:PATH`, `postgres://…` or `postgresql://…`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return (!path.is_empty()).then(|| Self::Sqlite(PathBuf::from(path)));
        }
        let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
        is_postgres.then(|| Self::Postgres(text.to_owned()))
    }
}

/// Omits user, password and parameters, so that it is safe to log.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
                write!(
                    f,
                    "postgres://{}",
                    place.split('?').next().unwrap_or_default()
                )
            }
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_url_names_a_file_or_a_server() {
        let sqlite = |path: &str| Some(DatabaseUrl::Sqlite(PathBuf::from(path)));
        assert_eq!(
            DatabaseUrl::parse("sqlite:data/x.sqlite3"),
            sqlite("data/x.sqlite3")
        );
        assert_eq!(DatabaseUrl::parse("sqlite:///var/x"), sqlite("/var/x"));
        assert!(matches!(
            DatabaseUrl::parse("postgresql://h/d"),
            Some(DatabaseUrl::Postgres(_))
        ));
        assert_eq!(DatabaseUrl::parse("sqlite:"), None);
        assert_eq!(DatabaseUrl::parse("mysql://h/d"), None);
    }

    #[test]
    fn printed_database_urls_hide_credentials() {
        let url = DatabaseUrl::parse("postgres://ann:s3cret@db:5432/gate?password=s3cret").unwrap();
        assert_eq!(
            format!("{url} {url:?}"),
            "postgres://db:5432/gate postgres://db:5432/gate"
        );
    }
}
