//! The cast: a running server, the callers that the demo makes, and the answers that they get.
//!
//! Each test starts a server of its own on a free port with data of its own, so tests know nothing of each other.

#![expect(dead_code, reason = "each test binary uses its own part of the cast")]

pub mod answer;
pub mod caller;
pub mod outside;
pub mod patience;
pub mod server;

pub use answer::Answer;
pub use caller::Caller;
pub use patience::eventually;
pub use server::Server;
