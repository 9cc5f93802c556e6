//! Error tracking: collects events from the tracker's SDKs and groups them into errors.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`collector`]: processing of request bodies before they are stored.
//! * [`event`]: events, parsed leniently from what an SDK sent.
//! * [`external`]: an external tracker: its addresses, and the formats of its web API.
//! * [`flow`]: the use cases, over the repository traits.
//! * [`grouping`]: grouping of events into errors, with an explanation.
//! * [`model`]: keys, ids and levels.
//! * [`monitors`]: jobs that check in, and the rules of missed and failed runs.
//! * [`protocol`]: DSNs, credentials, envelopes, and JSON as SDKs write it.
//! * [`rules`]: rules of error tracking: regressions, the order of releases, retention.
//! * [`scrub`]: scrubbing of secrets before anything is stored.
//! * [`store`]: the repository traits.
//! * [`wire`]: the JSON of responses.
//! * [`work`]: requests as work that a store may group.

pub mod collector;
pub mod event;
pub mod external;
pub mod flow;
pub mod grouping;
pub mod model;
pub mod monitors;
pub mod protocol;
pub mod rules;
pub mod scrub;
pub mod store;
pub mod wire;
pub mod work;
