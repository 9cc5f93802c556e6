//! HTTP for a versioned REST API.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`operations`]: what the API does, each declared once beside its handler, with the router and the `OpenAPI` document that
//!   come from the declarations;
//! * [`edge`]: what happens around every request;
//! * [`connection`]: connections on which every wait for a client has an end;
//! * [`body`], [`params`], [`form_data`], [`media_type`]: reading requests within bounds;
//! * [`answer`], [`failure`]: answering with JSON, conditionally, and refusing;
//! * [`cookie`], [`cors`], [`mount`], [`networks`]: what browsers and proxies need;
//! * [`refusals`]: logging what is refused by its rate;
//! * [`wake_batching`]: awaiting a store that answers in batches.

pub mod answer;
pub mod body;
pub mod body_budget;
mod compression;
pub mod connection;
pub mod cookie;
pub mod cors;
pub mod early_response;
pub mod edge;
pub mod failure;
pub mod form_data;
pub mod media_type;
pub mod mount;
pub mod networks;
pub mod operations;
pub mod params;
pub mod refusals;
pub mod wake_batching;
