//! The vocabulary that every part of the service shares.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! The modules follow the specification's section on conventions. Nothing here knows a web framework, a database
//! or a clock; a framework hands in raw text and gets back values, header pairs and bodies.
//!
//! * [`ids`], [`reference`](mod@reference): numbers and encoded paths that name things.
//! * [`time`]: times and calendar days.
//! * [`release`]: releases of the service, in their order.
//! * [`access`], [`scope`]: who may do what.
//! * [`secret`]: tokens and keys, which are shown once and kept as digests.
//! * [`page`], [`paging`]: pages, what a client asks of a list, and the headers that lead through it.
//! * [`params`], [`json`]: parameters of queries, forms and JSON bodies.
//! * [`credentials`]: the `Authorization` header.
//! * [`conditional`]: entity tags.
//! * `validation`, with the feature `validator`: records that people send.
//! * `stored`, with the feature `serde`: forms in which adapters without columns keep values.
//! * `system`, with the feature of that name: the clock and the randomness of the machine.
//! * [`avatar`]: pictures of users.
//! * [`error`]: the error bodies of the API, in one place.

pub mod access;
pub mod avatar;
pub mod conditional;
pub mod credentials;
pub mod error;
pub mod ids;
pub mod json;
mod named;
pub mod page;
pub mod paging;
pub mod params;
pub mod reference;
pub mod release;
pub mod scope;
pub mod secret;
#[cfg(feature = "serde")]
pub mod stored;
#[cfg(feature = "system")]
pub mod system;
pub mod time;
#[cfg(feature = "validator")]
pub mod validation;
