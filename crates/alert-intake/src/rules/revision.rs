//! Effect of the newest report on an open alert: its severity, and the count of its flaps.

use std::collections::HashSet;

use api_conventions::time::Timestamp;

use super::text::cut_hosts;
use crate::model::{ReportState, Severity};

/// Longest time between an end and the next start that counts as a flap: an hour.
pub const FLAP_MICROS: i64 = 3_600_000_000;

/// Severities of an alert after a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevisedSeverity {
    /// Severity of the alert.
    pub severity: Severity,
    /// Severity according to the sender.
    pub reported: Severity,
}

/// Returns the severities of an open alert after a report with the severity `newest`.
///
/// A report that is more severe than those before raises the severity at once. A less severe one changes it only if
/// `lowers` is set. Otherwise the severity stays, so one that a user chose is not undone by repeats.
pub fn severity_after(state: ReportState, newest: Severity, lowers: bool) -> RevisedSeverity {
    let reported = state.reported_severity;
    if newest > reported {
        RevisedSeverity {
            severity: newest.max(state.severity),
            reported: newest,
        }
    } else if newest < reported && lowers {
        RevisedSeverity {
            severity: newest,
            reported: newest,
        }
    } else {
        RevisedSeverity {
            severity: state.severity,
            reported,
        }
    }
}

/// Returns the hosts of an alert after a report, each once: those known before, then the new ones, up to the bound of
/// all hosts together. Payloads that differ only in their hosts are about one alert, so no host replaces another.
pub fn hosts_after(known: &[String], newest: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let hosts = known.iter().chain(newest).map(String::as_str);
    cut_hosts(hosts.filter(|host| seen.insert(*host)))
}

/// Returns the number of flaps of an alert that fires at `start`, after the one with `flaps` ended at `ended_at`.
pub fn flaps_after(flaps: i64, ended_at: Timestamp, start: Timestamp) -> i64 {
    let pause = start.as_micros().saturating_sub(ended_at.as_micros());
    if pause <= FLAP_MICROS {
        flaps.saturating_add(1)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ReportDigest, Source};

    fn check(now: (Severity, Severity), newest: Severity, lowers: bool) -> (Severity, Severity) {
        let (severity, reported_severity) = now;
        let state = ReportState {
            source: Source::Generic,
            digest: ReportDigest::default(),
            severity,
            reported_severity,
        };
        let after = severity_after(state, newest, lowers);
        (after.severity, after.reported)
    }

    #[test]
    fn a_more_severe_report_raises_the_severity_and_a_less_severe_one_keeps_it() {
        use Severity::{Critical, High, Low, Medium};

        assert_eq!(check((Low, Low), High, false), (High, High));
        assert_eq!(check((High, High), Low, false), (High, High));
        assert_eq!(check((High, High), Low, true), (Low, Low));
        // A user lowered the severity: repeats keep it, and a more severe report raises it.
        assert_eq!(check((Low, High), High, false), (Low, High));
        assert_eq!(check((Low, High), High, true), (Low, High));
        assert_eq!(check((Low, High), Critical, false), (Critical, Critical));
        // A user raised the severity: less than that does not lower it.
        assert_eq!(check((Critical, Low), Medium, true), (Critical, Medium));
    }

    #[test]
    fn hosts_are_collected_up_to_their_bound() {
        let hosts =
            |names: &[&str]| -> Vec<String> { names.iter().map(|&name| name.to_owned()).collect() };
        let after = hosts_after(&hosts(&["a", "b"]), &hosts(&["b", "c", "c"]));
        assert_eq!(after, ["a", "b", "c"]);
        let long = "h".repeat(250);
        assert_eq!(
            hosts_after(&hosts(&[&long]), &hosts(&["0123456789"]))[0],
            long
        );
    }

    #[test]
    fn an_alert_flaps_if_it_fires_again_within_an_hour() {
        let at = |micros| Timestamp::from_micros(micros).unwrap();
        assert_eq!(flaps_after(0, at(0), at(FLAP_MICROS)), 1);
        assert_eq!(flaps_after(4, at(0), at(FLAP_MICROS + 1)), 0);
        assert_eq!(flaps_after(2, at(9), at(0)), 3, "the clock stepped back");
    }
}
