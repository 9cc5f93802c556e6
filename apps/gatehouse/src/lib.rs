//! Gatehouse server: connects the domain crates to a database, to HTTP and to a command line.
//!
//! The modules, from the inside out: [`config`] is loaded, [`state`] holds the shared state of requests, [`frame`]
//! determines the sender of a request and their permissions, [`areas`] do the work, with one folder per area of the
//! product, and [`server`] and [`cli`] start it all. Use cases, trust and the database are in `gatehouse-core`, rules
//! in the domain crates, and HTTP code independent of Gatehouse in `web-conventions`.
//!
//! A host with its own actix-web application serves the operations that it needs, of one area or of all, with a
//! [`Router`](web_conventions::operations::Router) over an [`AppState`](state::AppState) of its own.

pub mod areas;
pub mod cli;
pub mod config;
pub mod data_files;
mod error_list;
pub mod frame;
pub mod logging;
pub mod provision;
pub mod server;
pub mod state;
#[cfg(feature = "traces")]
mod traces;
