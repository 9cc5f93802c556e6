//! Who calls: caches of good credentials that a revocation empties of what it concerns, and of nothing else.
//!
//! Every entry is a [`cache_entry::CacheEntry`]: it knows the time before it was read, what it follows from, and its TTL. It
//! is fresh only while [`revocations::RevocationTracker`] knows of no revocation since that time. One in this process is
//! noted by [`Database`](crate::database::Database) itself, after the commit and before anybody is answered; one in
//! another process is seen by [`epoch::watch`], several times a second. When the watcher has not been able to read for
//! [`epoch::MAX_STALENESS`], the caches are passed by.
//!
//! All this is measured with the clock that never goes back. What a token itself says of its end is a date and time,
//! and is compared with the clock on the wall.

pub mod activity;
pub mod cache_entry;
pub mod client_keys;
pub mod clients;
pub mod epoch;
pub mod integrations;
mod key_guesses;
pub mod principal;
mod recent_revocations;
pub mod revocations;
pub mod sessions;
pub mod suspects;
pub mod tokens;
pub mod usage;
