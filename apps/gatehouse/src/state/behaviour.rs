//! What the server does otherwise in some releases, beyond what operations take and answer.

use api_conventions::release::Edition;
use deprecations::{Life, Record, Schedule, Status};

/// Something that the server does in some releases and not in others. A handler asks for it by this name and never for a number
/// of a release: the record that has the name says which releases they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// Access tokens may live for ever when nobody names their last day (specification, Limits).
    EndlessTokens,
    /// The links to other pages stand in a header `Links`, too (specification, Pagination).
    LinksHeader,
    /// Alert intake answers with the alerts that a POST became (specification, Alert intake).
    AnswersOfAlertIntake,
    /// Browsers may ask before they send to `/oauth/token`, `/oauth/revoke` and `/oauth/userinfo` (specification, OAuth 2.0
    /// endpoints).
    PreflightOfOAuthEndpoints,
    /// Pages of a project are found without `/-/` in their address.
    AddressesWithoutDelimiter,
    /// What is held because it looks like spam goes through with an answered CAPTCHA (specification, Status codes).
    CaptchaHeaders,
    /// Developers import projects into groups in which they may make projects (specification, Removals).
    DeveloperImports,
}

impl Behaviour {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::EndlessTokens,
        Self::LinksHeader,
        Self::AnswersOfAlertIntake,
        Self::PreflightOfOAuthEndpoints,
        Self::AddressesWithoutDelimiter,
        Self::CaptchaHeaders,
        Self::DeveloperImports,
    ];

    /// The name by which records call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EndlessTokens => "endless-tokens",
            Self::LinksHeader => "links-header",
            Self::AnswersOfAlertIntake => "answers-of-alert-intake",
            Self::PreflightOfOAuthEndpoints => "preflight-of-oauth-endpoints",
            Self::AddressesWithoutDelimiter => "addresses-without-delimiter",
            Self::CaptchaHeaders => "captcha-headers",
            Self::DeveloperImports => "developer-imports",
        }
    }

    /// The record that says in which releases it is.
    pub fn record(self, schedule: &Schedule) -> Option<&Record> {
        let has_its_name = |record: &&Record| record.behaviours().any(|name| name == self.name());
        schedule.records().iter().find(has_its_name)
    }
}

/// In which releases the server behaves in which ways, looked up once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behaviours([Option<Life>; Behaviour::ALL.len()]);

impl Behaviours {
    /// Those of a schedule. What no record speaks of is done in all releases.
    pub(super) fn of(schedule: &Schedule) -> Self {
        Self(Behaviour::ALL.map(|one| one.record(schedule).map(|record| record.life)))
    }

    pub(super) fn has(&self, behaviour: Behaviour, at: Edition) -> bool {
        let known = Behaviour::ALL.iter().zip(self.0);
        let life = known
            .filter(|(one, _)| **one == behaviour)
            .find_map(|(_, life)| life);
        life.is_none_or(|life| matches!(life.status(at), Status::Current | Status::Deprecated))
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
