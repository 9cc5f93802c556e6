//! Authentication of callers: caches of valid credentials, from which a revocation removes only the affected entries.
//!
//! Every entry is a [`cache_entry::CacheEntry`]: it holds the time just before it was read, the subjects it depends on,
//! and its TTL. It is fresh only while [`revocations::RevocationTracker`] knows of no revocation since that time.
//! [`Database`](crate::database::Database) itself records the revocations of this process, after the commit and before
//! any response; [`epoch::watch`] detects those of other processes several times a second. When the watcher has not
//! been able to read for [`epoch::MAX_STALENESS`], the caches are bypassed.
//!
//! These times come from the monotonic clock. The expiry of a token itself is a date and time, and is compared with the
//! wall clock.

pub mod activity;
pub mod cache_entry;
pub mod client_keys;
pub mod clients;
pub mod epoch;
pub mod failed_attempts;
pub mod integrations;
mod key_guesses;
pub mod principal;
mod recent_revocations;
pub mod revocations;
pub mod sessions;
pub mod tokens;
pub mod usage;
