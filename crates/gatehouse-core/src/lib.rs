//! What Gatehouse does, without the web.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`database`]: one type over SQLite and PostgreSQL.
//! * [`flows`]: use cases that span the domain crates.
//! * [`auth`]: whom a token or a session stands for, and for how long that may be remembered.
//! * [`passwords`], [`vault`], [`signing_keys`], [`private_files`], [`randomness`]: secrets.
//! * [`deprecation_uses`]: who uses deprecated things.
//! * [`external_tracker`]: the way to trackers elsewhere.
//! * [`spam`]: what is judged before everybody reads it.
//! * [`backup`]: everything that is stored in one file, and back.
//! * [`cleaning`], [`searching`], [`readiness`], [`clock`]: what runs beside requests.
//! * [`settings`]: what a host decides.

pub mod auth;
pub mod background;
pub mod backup;
pub mod cleaning;
pub mod clock;
pub mod collecting;
pub mod database;
pub mod deleting;
pub mod deprecation_uses;
pub mod external_tracker;
pub mod flows;
mod http_client;
pub mod passwords;
pub mod private_files;
pub mod randomness;
pub mod readiness;
pub mod scopes;
pub mod searching;
pub mod settings;
pub mod signing_keys;
pub mod spam;
pub mod vault;
