//! Wire protocol of the tracker: endpoints, credentials and payloads.
//! A brand name in this module is one that SDKs put on the wire and that cannot be renamed.

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
