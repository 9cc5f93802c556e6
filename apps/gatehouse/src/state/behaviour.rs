//! Differences in server behaviour between releases, beyond the parameters and fields of operations.

use api_conventions::release::Edition;
use deprecations::{Life, Record, RecordStatus, Schedule};

/// Behaviour that the server has only in some releases.
/// A handler checks it by this name and never by a release number: the record with that name lists the releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Access tokens without an expiry date may live forever (specification, Limits).
    EndlessTokens,
    /// Pagination links are also in a header `Links` (specification, Pagination).
    LinksHeader,
    /// Alert intake responds with the alerts created from a POST (specification, Alert intake).
    AnswersOfAlertIntake,
    /// Preflight requests to OAuth endpoints are answered (specification, OAuth 2.0 endpoints).
    /// The endpoints are `/oauth/token`, `/oauth/revoke` and `/oauth/userinfo`.
    PreflightOfOAuthEndpoints,
    /// Project pages are also at addresses without `/-/`.
    AddressesWithoutDelimiter,
    /// Suspected spam can be published with a solved CAPTCHA (specification, Status codes).
    CaptchaHeaders,
    /// Developers may import projects into groups in which they may create projects (specification, Removals).
    DeveloperImports,
    /// The status of a paused runner is `paused`, and the one without contact for months `stale` (specification,
    /// States).
    PausedStatusOfRunners,
}

impl Behaviour {
    /// All behaviours.
    pub const ALL: [Self; 8] = [
        Self::EndlessTokens,
        Self::LinksHeader,
        Self::AnswersOfAlertIntake,
        Self::PreflightOfOAuthEndpoints,
        Self::AddressesWithoutDelimiter,
        Self::CaptchaHeaders,
        Self::DeveloperImports,
        Self::PausedStatusOfRunners,
    ];

    /// Name of the behaviour in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EndlessTokens => "endless-tokens",
            Self::LinksHeader => "links-header",
            Self::AnswersOfAlertIntake => "answers-of-alert-intake",
            Self::PreflightOfOAuthEndpoints => "preflight-of-oauth-endpoints",
            Self::AddressesWithoutDelimiter => "addresses-without-delimiter",
            Self::CaptchaHeaders => "captcha-headers",
            Self::DeveloperImports => "developer-imports",
            Self::PausedStatusOfRunners => "paused-status-of-runners",
        }
    }

    /// Finds the record that lists its releases.
    pub fn record(self, schedule: &Schedule) -> Option<&Record> {
        let has_its_name = |record: &&Record| record.behaviours().any(|name| name == self.name());
        schedule.records().iter().find(has_its_name)
    }
}

/// Releases of each behaviour, looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behaviours([Option<Life>; Behaviour::ALL.len()]);

impl Behaviours {
    /// Reads the behaviours of a schedule.
    /// A behaviour without a record applies to all releases.
    pub(super) fn of(schedule: &Schedule) -> Self {
        Self(Behaviour::ALL.map(|one| one.record(schedule).map(|record| record.life)))
    }

    pub(super) fn has(&self, behaviour: Behaviour, at: Edition) -> bool {
        let known = Behaviour::ALL.iter().zip(self.0);
        let life = known
            .filter(|(one, _)| **one == behaviour)
            .find_map(|(_, life)| life);
        life.is_none_or(|life| {
            matches!(
                life.status(at),
                RecordStatus::Current | RecordStatus::Deprecated
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use deprecations::{Enforcement, published};

    use super::*;

    #[test]
    fn every_behaviour_that_a_record_enforces_is_one_of_ours_and_every_one_of_ours_has_its_record()
    {
        let records = published().records().iter();
        let enforced = records.filter(|record| record.enforcement == Enforcement::Enforced);
        let named: BTreeSet<&str> = enforced.flat_map(Record::behaviours).collect();
        let ours: BTreeSet<&str> = Behaviour::ALL.iter().map(|ours| ours.name()).collect();
        assert_eq!(named, ours);
    }
}
