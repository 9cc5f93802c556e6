//! The database, whatever its engine: one type that is a [`Store`](storage::Store) over transactions behind `dyn`.
//!
//! [`Database`] is the only access to it. The transaction records what a write revokes and stores it for other
//! processes; this process applies it before the write is answered: see `recording`.
//!
//! Only this module knows which adapters exist. Everything above it is compiled once and works on [`ReadTransaction`]
//! and [`WriteTransaction`].

#[cfg(test)]
mod conformance;
mod guarded;
mod open;
mod recording;
mod request_origin;

use accounts::{AccountReadTx, AccountWriteTx};
use alert_intake::store::{
    AlertReadTx, AlertWriteTx, IncidentReadTx, IncidentWriteTx, SilenceReadTx, SilenceWriteTx,
};
use deprecations::{UseReadTx, UseWriteTx};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
use events::{EventReadTx, EventWriteTx};
use notifications::store::{NotificationReadTx, NotificationWriteTx, OnCallReadTx, OnCallWriteTx};
use oauth_provider::{OauthReadTx, OauthWriteTx};
use pipelines::store::{CiReadTx, CiWriteTx};
use projects::{ProjectReadTx, ProjectWriteTx};
use storage::{Pending, StoreError};
use storage_diesel::{
    OpenError, PostgresStore, ReaderStats, ReplicaState, RowSink, ServerState, SqliteStore,
    TransferError, WriterStats,
};

pub use guarded::Database;
pub use open::{OpenDatabaseError, open, open_existing};
pub use request_origin::from_client;
pub use storage_diesel::{JournalStage, JournalState, Latency, ReplicaCondition};

storage::dyn_store! {
    /// A store with all repositories, whatever the engine.
    pub trait CompleteStore {
        /// A read transaction over all repositories.
        type Read: ReadTransaction = AccountReadTx
            + ProjectReadTx
            + AlertReadTx
            + IncidentReadTx
            + SilenceReadTx
            + EventReadTx
            + OauthReadTx
            + ErrorReadTx
            + UseReadTx
            + CiReadTx
            + NotificationReadTx
            + OnCallReadTx;
        /// A write transaction over all repositories. One closure may change several aggregates atomically.
        type Write: WriteTransaction = AccountWriteTx
            + ProjectWriteTx
            + AlertWriteTx
            + IncidentWriteTx
            + SilenceWriteTx
            + EventWriteTx
            + OauthWriteTx
            + ErrorWriteTx
            + UseWriteTx
            + CiWriteTx
            + NotificationWriteTx
            + OnCallWriteTx;
    }
}

/// A write transaction whose type is known or not, for grouped work that calls flows: those take it behind `dyn`.
pub trait AsWriteTransaction: WriteTransaction {
    /// Returns the transaction behind `dyn`.
    fn as_write_transaction(&mut self) -> &mut (dyn WriteTransaction + '_);
}

impl<T: WriteTransaction> AsWriteTransaction for T {
    fn as_write_transaction(&mut self) -> &mut (dyn WriteTransaction + '_) {
        self
    }
}

impl AsWriteTransaction for dyn WriteTransaction + '_ {
    fn as_write_transaction(&mut self) -> &mut (dyn WriteTransaction + '_) {
        self
    }
}

/// An adapter, as the program uses it.
/// A direct write would leave revoked credentials in the caches, so this trait is private to the module. [`Database`]
/// has the same methods and documents them.
trait Engine: CompleteStore {
    fn migrate(&self) -> Result<(), OpenError>;
    fn pending_migrations(&self) -> Result<Vec<String>, OpenError>;
    fn health_check(&self) -> Pending<(), StoreError>;
    fn integrity_errors(&self) -> Result<Vec<String>, OpenError>;
    fn writer_stats(&self) -> WriterStats;
    fn reader_stats(&self) -> ReaderStats;
    fn journal(&self) -> Option<JournalState>;
    fn server_state(&self) -> Option<Pending<ServerState, StoreError>>;
    fn replica_state(&self) -> Option<ReplicaState>;
    fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError>;
    fn close(&self);
}

/// Implements [`Engine`] for an adapter that has its methods; `$journal` returns the state of its journal, `$server` that of
/// its server, and `$replica` that of the server's replica.
macro_rules! engine {
    ($adapter:ident, $journal:expr, $server:expr, $replica:expr) => {
        impl Engine for $adapter {
            fn migrate(&self) -> Result<(), OpenError> {
                self.migrate()
            }

            fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
                self.pending_migrations()
            }

            fn health_check(&self) -> Pending<(), StoreError> {
                self.health_check()
            }

            fn integrity_errors(&self) -> Result<Vec<String>, OpenError> {
                self.integrity_errors()
            }

            fn writer_stats(&self) -> WriterStats {
                self.writer_stats()
            }

            fn reader_stats(&self) -> ReaderStats {
                self.reader_stats()
            }

            fn journal(&self) -> Option<JournalState> {
                $journal(self)
            }

            fn server_state(&self) -> Option<Pending<ServerState, StoreError>> {
                $server(self)
            }

            fn replica_state(&self) -> Option<ReplicaState> {
                $replica(self)
            }

            fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
                self.export(sink)
            }

            fn close(&self) {
                self.close();
            }
        }
    };
}

engine!(
    SqliteStore,
    |store: &SqliteStore| Some(store.journal()),
    |_| None,
    |_| None
);
engine!(
    PostgresStore,
    |_| None,
    |store: &PostgresStore| Some(store.server_state()),
    PostgresStore::replica_state
);
