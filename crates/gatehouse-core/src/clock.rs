//! The present time, from the system.

pub use api_conventions::system::SystemClock;
