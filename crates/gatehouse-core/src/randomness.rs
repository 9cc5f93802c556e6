//! Random bytes from the operating system.

pub use api_conventions::system::OsRandomness;
