//! The Gatehouse server: it wires the domain crates to a database, to HTTP and to a command line.
//!
//! The rooms, from the inside out: [`config`] is read, [`state`] holds what every request shares, [`frame`] says who sent a
//! request and what they may do, [`areas`] do the work, one folder for each area of the product, and [`server`] and [`cli`]
//! start things. Use cases, trust and the database are in `gatehouse-core`, rules in the domain crates, and HTTP that is not
//! about Gatehouse in `web-conventions`.
//!
//! A host that has its own actix-web application serves the operations that it wants, of one area or of all, with a
//! [`Router`](web_conventions::operations::Router) over an [`AppState`](state::AppState) of its own.

pub mod areas;
pub mod cli;
pub mod config;
pub mod data_files;
pub mod frame;
pub mod logging;
mod mistakes;
pub mod provision;
pub mod server;
pub mod state;
