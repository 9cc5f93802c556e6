//! Who calls: a cache of good credentials that a revocation empties at once.
//!
//! Every entry is stamped with the authentication epoch that held in the very transaction that read it. The
//! epoch rises in the same transaction as any loss of power, so an entry with an older stamp is never trusted.
//! A loss of power in this process raises the known epoch before its answer is sent; one in another process is
//! seen by a watcher that reads the one-row table several times a second. When the watcher has not been able to
//! read it for [`epoch::TRUST`], the cache is passed by.

pub mod clients;
pub mod ended;
pub mod epoch;
pub mod integrations;
pub mod principal;
pub mod sessions;
pub mod suspects;
pub mod tokens;
pub mod usage;
