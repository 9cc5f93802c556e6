//! Open alerts of an environment, and the age of what a store keeps.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;

use super::Severity;

/// Number of open alerts of one environment by severity. Triggered and acknowledged alerts are open here; ignored ones
/// need nobody and do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenAlertCounts([u16; 6]);

impl OpenAlertCounts {
    /// Highest count of a severity: a store stops counting there.
    pub const LIMIT: u16 = 100;

    /// Sets the count of a severity, at most [`LIMIT`](Self::LIMIT).
    pub fn set(&mut self, severity: Severity, count: u16) {
        if let Some(place) = self.0.get_mut(Self::place(severity)) {
            *place = count.min(Self::LIMIT);
        }
    }

    /// Returns the count of a severity, at most [`LIMIT`](Self::LIMIT).
    pub fn get(&self, severity: Severity) -> u16 {
        let count = self.0.get(Self::place(severity));
        count.copied().unwrap_or_default()
    }

    /// Returns the severities with open alerts and their counts, the most severe first.
    pub fn by_severity(&self) -> impl Iterator<Item = (Severity, u16)> + '_ {
        let all = Severity::ALL.into_iter().rev();
        all.map(|severity| (severity, self.get(severity)))
            .filter(|(_, count)| *count > 0)
    }

    /// Returns the most severe severity with an open alert.
    pub fn worst(&self) -> Option<Severity> {
        self.by_severity().next().map(|(severity, _)| severity)
    }

    fn place(severity: Severity) -> usize {
        usize::try_from(severity.number()).unwrap_or_default()
    }
}

/// Time of the last change of the resolved alert of a project that changed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldestResolved {
    /// The project.
    pub project_id: ProjectId,
    /// Time of the last change; `None` if the project has no resolved alert.
    pub updated_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_listed_the_most_severe_first_and_stop_at_the_limit() {
        let mut counts = OpenAlertCounts::default();
        assert_eq!(counts.worst(), None);
        counts.set(Severity::Info, 2);
        counts.set(Severity::High, OpenAlertCounts::LIMIT + 1);
        let listed: Vec<_> = counts.by_severity().collect();
        let expected = [
            (Severity::High, OpenAlertCounts::LIMIT),
            (Severity::Info, 2),
        ];
        assert_eq!(listed, expected);
        assert_eq!(counts.worst(), Some(Severity::High));
        assert_eq!(counts.get(Severity::Critical), 0);
    }
}
