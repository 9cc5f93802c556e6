//! Store on a PostgreSQL server.

mod integrity;
mod limits;
mod over_arrays;
mod replica;
mod session;
mod store;
mod transaction;

pub(crate) use over_arrays::over_arrays;
pub use replica::{ReplicaCondition, ReplicaState};
pub use session::Pooler;
pub use store::{PostgresOptions, PostgresStore, ServerState};
pub use transaction::PgWriteTx;

/// A read transaction on PostgreSQL.
pub type PgReadTx<'t> = crate::transaction::ReadTx<'t, diesel::PgConnection>;
