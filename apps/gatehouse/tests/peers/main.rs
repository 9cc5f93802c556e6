//! The server with peers that are not ours: a real Alertmanager and a real client of the API.

#[path = "../support/mod.rs"]
mod support;

mod alertmanager;
mod alertmanager_process;
mod python_gitlab;
