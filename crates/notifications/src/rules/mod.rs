//! Rules of the delivery, and of on-call schedules.

mod answer;
mod backoff;
mod on_call;

pub use answer::outcome_of_status;
pub use backoff::wait_seconds;
pub use on_call::Rota;
