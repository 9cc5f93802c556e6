//! The Gatehouse server: it wires the domain crates to a database, to HTTP and to a command line.
//!
//! The modules go from the outside in: [`cli`] and [`server`] start things, [`routes`] answer requests with the
//! help of [`extract`] and [`http`], [`flows`] do what spans several aggregates, and [`database`] is the store
//! behind all of them. Rules live in the domain crates, not here.
//!
//! A host that has its own actix-web application mounts the areas that it wants with the `configure` function
//! of each module in [`routes`], over an [`AppState`](state::AppState) of its own.

pub mod arrivals;
pub mod auth;
pub mod cleaning;
pub mod cli;
pub mod clock;
pub mod config;
pub mod csrf;
pub mod database;
pub mod extract;
pub mod flows;
pub mod http;
pub mod logging;
pub mod oauth;
pub mod pages;
pub mod passwords;
pub mod private_files;
pub mod provision;
pub mod randomness;
pub mod readiness;
pub mod refusals;
pub mod routes;
pub mod searching;
pub mod server;
pub mod state;
pub mod vault;
