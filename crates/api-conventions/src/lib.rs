//! Shared conventions of the API: ids, times, paging, parameters, scopes and errors.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! The modules follow the specification's section on conventions. Nothing here depends on a web framework, a database
//! or a clock; a framework passes in raw text and gets back values, header pairs and bodies.
//!
//! * [`ids`], [`reference`](mod@reference): ids and encoded paths that identify resources.
//! * [`time`]: times and calendar days.
//! * [`release`]: releases of the service, in order.
//! * [`access`], [`scope`]: roles, visibility and token scopes.
//! * [`secret`]: tokens and keys, which are shown once and stored as digests.
//! * [`page`], [`paging`]: pages, the paging parameters of a list, and the link headers.
//! * [`params`], [`json`]: parameters of queries, forms and JSON bodies.
//! * [`credentials`]: the `Authorization` header.
//! * [`conditional`]: entity tags.
//! * `validation`, with the feature `validator`: validation of records that people send.
//! * `stored`, with the feature `serde`: serialized forms for adapters without columns.
//! * `system`, with the feature of that name: the system clock and random source.
//! * [`avatar`]: images of users.
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
