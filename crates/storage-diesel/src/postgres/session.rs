//! Connections to the server, and the scope of their settings.
//!
//! A connection of our own keeps its settings and its prepared statements. A pooler in transaction mode gives each
//! transaction another connection of the server, which others use before and after: there, every transaction begins
//! with the settings that it needs, names no statement, and leaves nothing behind.

use std::sync::Arc;

use diesel::connection::{CacheSize, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_types::Bool;

use crate::error::OpenError;

/// Settings of every connection.
/// A commit is answered when it is on the server's disk, whatever the server's own default is. Statements are not
/// compiled to machine code first (`jit`): each of ours reads few rows, but if the server expected many, it would
/// compile for a twentieth of a second or longer each time.
const SESSION: [&str; 4] = [
    "synchronous_commit = on",
    "timezone = 'UTC'",
    "client_min_messages = warning",
    "jit = off",
];

/// Setting that only some roles may change: messages in the language that this program parses.
/// For other roles the refused setting does no harm.
const LANGUAGE: &str = "lc_messages = 'C'";

/// Connection pooler between a store and its server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pooler {
    /// No pooler, or one that gives a client a connection of the server until it disconnects (session mode).
    #[default]
    None,
    /// Pooler that gives a client a connection of the server for one transaction, such as `PgBouncer` in transaction
    /// mode.
    Transaction,
}

/// Address of the server, with the kind of pooler.
#[derive(Debug, Clone)]
pub(super) struct Link {
    url: Arc<str>,
    pooler: Pooler,
    /// Settings of transactions, if connections have none.
    common: Arc<[&'static str]>,
}

impl Link {
    /// Creates the link to the server at `url`.
    ///
    /// # Errors
    /// If there is a pooler and the allowed settings cannot be queried.
    pub(super) fn new(url: String, pooler: Pooler) -> Result<Self, OpenError> {
        let mut link = Self {
            url: url.into(),
            pooler,
            common: SESSION.into(),
        };
        if pooler == Pooler::Transaction {
            let mut connection = link.establish()?;
            let tried = format!("BEGIN; SET LOCAL {LANGUAGE}");
            let mut common = SESSION.to_vec();
            if connection.batch_execute(&tried).is_ok() {
                common.push(LANGUAGE);
            }
            connection.batch_execute("ROLLBACK")?;
            link.common = common.into();
        }
        Ok(link)
    }

    /// Returns the link to another server of the same database, behind the same kind of pooler.
    pub(super) fn to(&self, url: String) -> Self {
        Self {
            url: url.into(),
            ..self.clone()
        }
    }

    /// Opens a connection without settings, for statements that need none.
    pub(super) fn establish(&self) -> Result<PgConnection, OpenError> {
        let mut connection = PgConnection::establish(&self.url)?;
        if self.pooler == Pooler::Transaction {
            connection.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        Ok(connection)
    }

    /// Returns the URL of the server.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Applies the settings to a new connection, unless the pooler would not keep them.
    pub(super) fn configure(
        &self,
        connection: &mut PgConnection,
        settings: &[String],
    ) -> QueryResult<()> {
        if self.pooler == Pooler::Transaction {
            connection.set_prepared_statement_cache_size(CacheSize::Disabled);
            return Ok(());
        }
        // Outside of a transaction, so that an error has no effect on later statements.
        let _ = connection.batch_execute(&format!("SET {LANGUAGE}"));
        let own = settings.iter().map(String::as_str);
        let all = SESSION.into_iter().chain(own);
        let all: Vec<String> = all.map(|setting| format!("SET {setting};")).collect();
        connection.batch_execute(&all.concat())
    }

    /// Returns the text that begins a transaction: `begin`, followed by all settings if its connection keeps none.
    pub(super) fn begin(&self, begin: &str, settings: &[String]) -> String {
        let mut text = begin.to_owned();
        if self.pooler == Pooler::Transaction {
            let own = settings.iter().map(String::as_str);
            for setting in self.common.iter().copied().chain(own) {
                text.push_str("; SET LOCAL ");
                text.push_str(setting);
            }
        }
        text
    }
}

#[derive(QueryableByName)]
struct ReadOnly {
    #[diesel(sql_type = Bool)]
    standby: bool,
    #[diesel(sql_type = Bool)]
    read_only: bool,
}

/// Verifies that the server accepts writes, according to its own status.
///
/// # Errors
/// [`OpenError::ReadOnly`] if it does not.
pub(super) fn require_writable(connection: &mut PgConnection) -> Result<(), OpenError> {
    let found: ReadOnly = diesel::sql_query(
        "SELECT pg_is_in_recovery() AS standby, \
         current_setting('default_transaction_read_only')::boolean AS read_only",
    )
    .get_result(connection)?;
    if found.standby {
        Err(OpenError::ReadOnly(
            "it is a standby (pg_is_in_recovery); name the primary server in database.url, or add \
             target_session_attrs=read-write to it",
        ))
    } else if found.read_only {
        Err(OpenError::ReadOnly(
            "default_transaction_read_only is on for this database or user; turn it off",
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::sql_types::Text;
    use storage::{Store as _, StoreError};
    use test_databases::{Bouncer, TestDatabase};

    use super::*;
    use crate::transaction::Transaction as _;
    use crate::{PostgresOptions, PostgresStore};

    #[derive(QueryableByName)]
    struct SessionSetting {
        #[diesel(sql_type = Text)]
        setting: String,
    }

    /// Settings of this program that could leak to other clients.
    const NAMES: [&str; 12] = [
        "synchronous_commit",
        "timezone",
        "client_min_messages",
        "jit",
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "default_transaction_read_only",
        "plan_cache_mode",
        "enable_seqscan",
        "enable_indexscan",
        "enable_bitmapscan",
    ];

    fn current_setting(connection: &mut PgConnection, name: &str) -> String {
        let current_setting =
            diesel::sql_query("SELECT current_setting($1) AS setting").bind::<Text, _>(name);
        current_setting
            .get_result::<SessionSetting>(connection)
            .unwrap()
            .setting
    }

    fn pooled() -> (PostgresOptions, Option<TestDatabase>) {
        let options = PostgresOptions {
            pooler: Pooler::Transaction,
            ..PostgresOptions::default()
        };
        (options, TestDatabase::empty())
    }

    #[test]
    fn behind_a_pooler_a_transaction_has_its_settings_and_leaves_none_behind() {
        let (options, Some(database)) = pooled() else {
            return;
        };
        database.set_default("synchronous_commit", "off");
        let Some(bouncer) = Bouncer::in_transaction_mode() else {
            return;
        };
        let url = bouncer.url(&database);
        let store = PostgresStore::open(&url, options).unwrap();
        store.migrate().unwrap();
        assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
        assert_eq!(store.integrity_errors().unwrap(), Vec::<String>::new());
        let settings = store.write(|tx| {
            let connection = tx.connection()?;
            let names = ["synchronous_commit", "plan_cache_mode", "lock_timeout"];
            Ok::<_, StoreError>(names.map(|name| current_setting(connection, name)))
        });
        assert_eq!(
            settings.wait().unwrap(),
            ["on", "force_custom_plan", "4s"].map(str::to_owned)
        );
        let settings = store.read(|tx| {
            let names = ["statement_timeout", "enable_seqscan", "timezone"];
            Ok::<_, StoreError>(names.map(|name| current_setting(tx.connection, name)))
        });
        assert_eq!(
            settings.wait().unwrap(),
            ["5s", "off", "UTC"].map(str::to_owned)
        );
        store.health_check().wait().unwrap();
        store.close();
        let mut fresh = PgConnection::establish(database.url()).unwrap();
        let expected = NAMES.map(|name| current_setting(&mut fresh, name));
        // Concurrent transactions have different connections of the server.
        let mut clients: Vec<_> = (0..Bouncer::CONNECTIONS)
            .map(|_| {
                let mut client = PgConnection::establish(&url).unwrap();
                client.set_prepared_statement_cache_size(CacheSize::Disabled);
                client.batch_execute("BEGIN").unwrap();
                client
            })
            .collect();
        for client in &mut clients {
            assert_eq!(NAMES.map(|name| current_setting(client, name)), expected);
        }
    }

    #[test]
    fn a_read_only_server_is_reported_as_read_only() {
        let Some(database) = TestDatabase::empty() else {
            return;
        };
        database.set_default("default_transaction_read_only", "on");
        let store = PostgresStore::open(database.url(), PostgresOptions::default()).unwrap();
        for refused in [
            store.migrate().unwrap_err(),
            store.pending_migrations().unwrap_err(),
        ] {
            assert!(matches!(refused, OpenError::ReadOnly(_)), "{refused}");
        }
    }
}
