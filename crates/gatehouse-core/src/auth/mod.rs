//! Who calls: caches of good credentials that a revocation empties of what it concerns, and of nothing else.
//!
//! Every entry is a [`kept::Kept`]: it knows the moment before it was read, what it follows from, and how old it may
//! get. It is trusted only while [`trust::Trust`] knows of no loss of power since that moment. A loss in this process is
//! noted by [`Database`](crate::database::Database) itself, after the commit and before anybody is answered; one in
//! another process is seen by [`epoch::watch`], several times a second. When the watcher has not been able to read for
//! [`epoch::TRUST`], the caches are passed by.
//!
//! All this is measured with the clock that never goes back. What a token itself says of its end is a moment of the day,
//! and is compared with the clock on the wall.

pub mod clients;
pub mod epoch;
pub mod integrations;
pub mod kept;
mod memory;
pub mod principal;
pub mod sessions;
pub mod suspects;
pub mod tokens;
pub mod trust;
pub mod usage;
