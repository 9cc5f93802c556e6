//! Use cases, one module each. None of them begins or commits a transaction; the caller owns it.

pub mod active_silences;
pub mod authorize;
pub mod create_integration;
pub mod expire;
pub mod heartbeat;
mod idempotency;
pub mod integrations;
mod plan;
pub mod receive;
pub mod record_refusal;
pub mod set_status;
pub mod silences;
pub mod triage;
