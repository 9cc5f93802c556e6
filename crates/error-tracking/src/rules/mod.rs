//! Rules of error tracking.
//! Pure functions: no store, no clock.

pub mod bucket;
pub mod release;
pub mod retention;
pub mod status;
pub mod tags;
