//! Waits after failures.

/// Seconds after each failure in a row. The last one repeats.
const WAITS: [u32; 7] = [5, 30, 120, 300, 900, 1800, 3600];

/// Longest wait that a receiver can ask for, in seconds.
const MAX_RETRY_AFTER: u32 = 24 * 60 * 60;

/// Returns the seconds before the next attempt after this number of failures in a row, at least what the receiver asks
/// for. The wait is up to a tenth longer by `salt`, so that channels of a server that recovers do not all return at once.
pub fn wait_seconds(failures: u32, retry_after: Option<u32>, salt: i64) -> u32 {
    let place = usize::try_from(failures.saturating_sub(1)).unwrap_or(usize::MAX);
    let wait = WAITS.get(place).copied().unwrap_or(3600);
    let extra = salt.unsigned_abs() % (u64::from(wait) / 10 + 1);
    let wait = wait.saturating_add(u32::try_from(extra).unwrap_or_default());
    wait.max(retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_an_hour() {
        let waits: Vec<u32> = (1..=9)
            .map(|failures| wait_seconds(failures, None, 0))
            .collect();
        assert_eq!(waits, [5, 30, 120, 300, 900, 1800, 3600, 3600, 3600]);
        for salt in 0..1000 {
            assert!((3600..=3960).contains(&wait_seconds(20, None, salt)));
        }
    }

    #[test]
    fn a_receiver_can_ask_for_a_longer_wait_up_to_a_day() {
        assert_eq!(wait_seconds(1, Some(60), 0), 60);
        assert_eq!(wait_seconds(7, Some(60), 0), 3600);
        assert_eq!(wait_seconds(1, Some(u32::MAX), 0), 86_400);
    }
}
