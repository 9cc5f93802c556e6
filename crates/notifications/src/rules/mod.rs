//! Rules of the delivery.

mod answer;
mod backoff;

pub use answer::outcome_of_status;
pub use backoff::wait_seconds;
