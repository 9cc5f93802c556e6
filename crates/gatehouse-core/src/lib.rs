//! What Gatehouse does, without the web: use cases that span the domain crates, who may be trusted and for how long,
//! passwords and secrets, and the jobs that run beside requests, over one database.
//!
//! Nothing here knows HTTP. A host that has another front than ours opens a [`Database`](database::Database), and calls
//! the [`flows`] that it wants inside its transactions; [`auth`] tells it whom a token or a session stands for.
//!
//! ```
//! use gatehouse_core::database::open;
//! use gatehouse_core::settings::{DatabaseSettings, DatabaseUrl};
//! use std::time::Duration;
//!
//! let directory = tempfile::tempdir()?;
//! let database = open(&DatabaseSettings {
//!     url: DatabaseUrl::Sqlite(directory.path().join("gatehouse.sqlite3")),
//!     readers: None,
//!     writers: None,
//!     queue_jobs: 4096,
//!     queue_bytes: 64 << 20,
//!     read_timeout: Duration::from_secs(5),
//!     write_timeout: Duration::from_secs(5),
//! })?;
//! database.migrate()?;
//! assert!(database.pending_migrations()?.is_empty());
//! database.close();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod auth;
pub mod cleaning;
pub mod clock;
pub mod database;
pub mod flows;
pub mod passwords;
pub mod private_files;
pub mod randomness;
pub mod readiness;
pub mod scopes;
pub mod searching;
pub mod settings;
pub mod signing_keys;
pub mod vault;
