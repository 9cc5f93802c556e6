//! The tracker's wire protocol: where SDKs send, how they prove a key, and what they send. A brand name in this module is one
//! that SDKs put on the wire and that nobody can rename.

pub mod client_report;
pub mod credentials;
pub mod dsn;
pub mod encoding;
pub mod envelope;
pub mod feedback;
pub mod item;
pub mod json;
pub mod policy_report;
pub mod rate_limit;
pub mod sessions;
pub mod shorten;
