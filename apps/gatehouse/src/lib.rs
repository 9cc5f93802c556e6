//! The Gatehouse server: it wires the domain crates to a database, to HTTP and to a command line.
//!
//! The modules go from the outside in: [`cli`] and [`server`] start things, and [`routes`] answer requests with the help of
//! [`extract`] and [`http`]. Use cases, trust and the database are in `gatehouse-core`, rules in the domain crates.
//!
//! A host that has its own actix-web application mounts the areas that it wants with the `configure` function
//! of each module in [`routes`], over an [`AppState`](state::AppState) of its own.

pub mod cli;
pub mod config;
pub mod csrf;
pub mod data_files;
pub mod extract;
pub mod http;
pub mod logging;
pub mod oauth;
pub mod pages;
pub mod provision;
pub mod refusals;
pub mod routes;
pub mod server;
pub mod state;
pub mod wake_batching;
