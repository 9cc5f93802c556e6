//! The values of error tracking.

mod event_id;
mod key;
mod level;

pub use event_id::EventId;
pub use key::PublicKey;
pub use level::Level;
