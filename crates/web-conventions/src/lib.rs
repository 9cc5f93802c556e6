//! HTTP for a versioned REST API.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`operations`]: the operations of the API, each declared once beside its handler, with the router and the `OpenAPI`
//!   document built from the declarations;
//! * [`edge`]: middleware around every request;
//! * [`connection`]: connections with a timeout for every wait for a client;
//! * [`body`], [`params`], [`form_data`], [`media_type`]: reading of requests within limits;
//! * [`answer`], [`failure`]: JSON responses, conditional requests, and refusals;
//! * [`event_stream`]: responses that send events as they happen;
//! * [`cookie`], [`cors`], [`mount`], [`networks`]: support for browsers and proxies;
//! * [`refusals`]: rate-limited logging of refused requests;
//! * [`wake_batching`]: waiting for a store that answers in batches.

pub mod answer;
pub mod body;
pub mod body_budget;
mod compression;
pub mod connection;
pub mod cookie;
pub mod cors;
pub mod early_response;
pub mod edge;
pub mod event_stream;
pub mod failure;
pub mod form_data;
pub mod media_type;
pub mod mount;
pub mod networks;
pub mod operations;
pub mod params;
pub mod refusals;
pub mod wake_batching;
