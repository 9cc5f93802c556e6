//! Incidents of alerts: the settings of a project, and the links between alerts and incidents.

use api_conventions::ids::{AlertId, IssueId, ProjectId};

use super::Severity;

/// Longest template for descriptions of incidents, in characters.
pub const MAX_INCIDENT_TEMPLATE: usize = 50_000;

/// Set of severities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeveritySet(u8);

impl SeveritySet {
    /// All severities.
    pub const ALL: Self = Self(0b11_1111);

    /// Returns the set with these bits: bit n is the severity with number n. `None` if a bit has no severity.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !Self::ALL.0 == 0 {
            Some(Self(bits))
        } else {
            None
        }
    }

    /// Returns the bits of the set.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// True if the set contains a severity.
    pub const fn contains(self, severity: Severity) -> bool {
        self.0 & (1 << severity.number()) != 0
    }

    /// Returns the severities, from least to most critical.
    pub fn severities(self) -> impl Iterator<Item = Severity> {
        let all = Severity::ALL.into_iter();
        all.filter(move |severity| self.contains(*severity))
    }
}

impl FromIterator<Severity> for SeveritySet {
    fn from_iter<I: IntoIterator<Item = Severity>>(severities: I) -> Self {
        let bit = |severity: Severity| 1 << severity.number();
        Self(
            severities
                .into_iter()
                .map(bit)
                .fold(0, |all, bit| all | bit),
        )
    }
}

/// Settings of a project for incidents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentSettings {
    /// The project.
    pub project_id: ProjectId,
    /// True if intake creates an incident for each new alert.
    pub create_incidents: bool,
    /// Severities of the alerts for which intake creates incidents.
    pub severities: SeveritySet,
    /// Markdown appended to the description of each incident that is created from an alert, at most
    /// [`MAX_INCIDENT_TEMPLATE`] characters; may be empty.
    pub template: String,
    /// True if an incident closes when the last of its open alerts is resolved.
    pub close_incidents: bool,
}

impl IncidentSettings {
    /// Returns the settings of a project that has not changed them: no incidents are created automatically, and
    /// incidents close when their alerts are resolved.
    pub const fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            create_incidents: false,
            severities: SeveritySet::ALL,
            template: String::new(),
            close_incidents: true,
        }
    }

    /// True if intake creates an incident for an alert of this severity.
    pub const fn creates_for(&self, severity: Severity) -> bool {
        self.create_incidents && self.severities.contains(severity)
    }
}

/// Link between an alert and its incident, an issue of the same project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncidentLink {
    /// The project.
    pub project_id: ProjectId,
    /// The alert, which has at most one incident.
    pub alert_id: AlertId,
    /// The incident, which may have several alerts.
    pub issue_id: IssueId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_severities_has_its_members_and_no_others() {
        let some: SeveritySet = [Severity::Critical, Severity::Info].into_iter().collect();
        let members: Vec<Severity> = some.severities().collect();
        assert_eq!(members, [Severity::Info, Severity::Critical]);
        assert_eq!(SeveritySet::from_bits(some.bits()), Some(some));
        assert_eq!(SeveritySet::from_bits(0b100_0000), None);
        let all: SeveritySet = Severity::ALL.into_iter().collect();
        assert_eq!(all, SeveritySet::ALL);
        assert_eq!(
            Severity::ALL
                .into_iter()
                .filter(|one| all.contains(*one))
                .count(),
            6
        );
    }

    #[test]
    fn incidents_are_created_only_when_switched_on_and_for_the_chosen_severities() {
        let mut settings = IncidentSettings::new(ProjectId::new(1));
        assert!(!settings.creates_for(Severity::Critical) && settings.close_incidents);
        settings.create_incidents = true;
        settings.severities = [Severity::High].into_iter().collect();
        assert!(settings.creates_for(Severity::High) && !settings.creates_for(Severity::Critical));
    }
}
