//! Meaning of the status of an HTTP response.

use crate::model::AttemptOutcome;

/// Returns the outcome of an attempt that was answered with this status.
///
/// Redirects are not followed, and count as refusals: the receiver that a user entered has moved. 410 turns the channel
/// off (Standard Webhooks). 408, 429 and the failures of servers may pass.
pub const fn outcome_of_status(status: u16) -> AttemptOutcome {
    match status {
        200..=299 => AttemptOutcome::Delivered,
        408 | 425 | 429 | 500..=599 => AttemptOutcome::Failed,
        410 => AttemptOutcome::Gone,
        _ => AttemptOutcome::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_final_or_passes() {
        for (status, outcome) in [
            (200, AttemptOutcome::Delivered),
            (204, AttemptOutcome::Delivered),
            (301, AttemptOutcome::Rejected),
            (400, AttemptOutcome::Rejected),
            (401, AttemptOutcome::Rejected),
            (404, AttemptOutcome::Rejected),
            (408, AttemptOutcome::Failed),
            (410, AttemptOutcome::Gone),
            (429, AttemptOutcome::Failed),
            (500, AttemptOutcome::Failed),
            (503, AttemptOutcome::Failed),
            (999, AttemptOutcome::Rejected),
        ] {
            assert_eq!(outcome_of_status(status), outcome, "{status}");
        }
    }
}
