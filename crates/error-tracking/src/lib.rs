//! Error tracking: what the SDKs of the tracker send, and which of it is the same error.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`collect`]: from the body of a request to what is stored of it.
//! * [`event`]: events as they are kept, read from whatever an SDK sent.
//! * [`external`]: an external tracker: its addresses, and the shapes of its web API.
//! * [`flow`]: the use cases, over the repository traits.
//! * [`grouping`]: which events are the same error, and why.
//! * [`model`]: keys, ids and levels.
//! * [`protocol`]: DSNs, credentials, envelopes, and JSON as SDKs write it.
//! * [`rules`]: what becomes of an error: regressions, the order of releases, what stays.
//! * [`scrub`]: taking secrets out before anything is stored.
//! * [`store`]: the repository traits.
//! * [`wire`]: the JSON of answers.
//! * [`work`]: requests as work that a store may group.

pub mod collect;
pub mod event;
pub mod external;
pub mod flow;
pub mod grouping;
pub mod model;
pub mod protocol;
pub mod rules;
pub mod scrub;
pub mod store;
pub mod wire;
pub mod work;
