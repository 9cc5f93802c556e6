//! System clock.

pub use api_conventions::system::SystemClock;
