//! The GraphQL API: which names it has, what is said of those that go, and results under old names.

use serde_json::Value;

use super::{Name, Shaper, answer_both, answer_given_or, each, ids};
use crate::model::{Record, Site, Status};

/// The value of `SharedRunnersSetting` that goes, and the one that takes its place.
const SHARED_RUNNERS: [&str; 2] = ["DISABLED_WITH_OVERRIDE", "DISABLED_AND_OVERRIDABLE"];

impl<'s> Shaper<'s> {
    /// Whether the edition has a name: a field such as `Note.confidential`, an argument, a value of an enumeration, a mutation or
    /// a query, as the records write it (specification, Versioning 4). It has every name that no record is about.
    ///
    /// ```
    /// use api_conventions::release::Release;
    /// use deprecations::shaping::Shaper;
    /// use deprecations::{Edition, published};
    ///
    /// let at = |release| Shaper::new(published(), Edition::of(release));
    /// assert!(at(Release(16, 11)).has_graphql("Query.runnerSetup"));
    /// assert!(!at(Release(17, 0)).has_graphql("Query.runnerSetup"));
    /// ```
    #[must_use]
    pub fn has_graphql(&self, name: &str) -> bool {
        let mut records = self.records_of(name);
        !records.any(|record| record.counts(self.at))
    }

    /// Why a name is deprecated at the edition, as introspection answers it under `deprecationReason`: what to use instead, and
    /// the release that announced it. `None` for a name that is not deprecated there, or gone. The specification has no wording.
    #[must_use]
    pub fn graphql_reason(&self, name: &str) -> Option<String> {
        if !self.has_graphql(name) {
            return None;
        }
        let mut records = self.records_of(name);
        let record = records.find(|record| record.status(self.at) == Status::Deprecated)?;
        Some(reason(record))
    }

    /// All names that are deprecated at the edition, each once and with its reason, in the order of the records.
    #[must_use]
    pub fn graphql_deprecations(&self) -> Vec<(&'s str, String)> {
        let mut found: Vec<(&str, String)> = Vec::new();
        for name in self.schedule.records().iter().flat_map(names) {
            if let Some(reason) = self.graphql_reason(name)
                && found.iter().all(|(known, _)| *known != name)
            {
                found.push((name, reason));
            }
        }
        found
    }

    /// A note: `confidential` comes beside `internal`, with the same value, as long as it is there (specification, Versioning 4).
    #[must_use]
    pub fn graphql_note(&self, newest: Value) -> Value {
        let old = Name::new("confidential", self.has(ids::NOTE_CONFIDENTIAL));
        each(newest, &|fields| {
            answer_both(fields, old, Name::lasting("internal"));
        })
    }

    /// A finding: before 16.0, `name` comes beside `title` with the same text, and `projectFingerprint` beside `uuid`
    /// (specification, Versioning 4).
    ///
    /// A fingerprint has another value than a `uuid`. It is answered where the newest form has it, and is never made up.
    #[must_use]
    pub fn graphql_finding(&self, newest: Value) -> Value {
        let name = Name::new("name", self.has(ids::FINDING_NAME));
        let fingerprint = Name::new("projectFingerprint", self.has(ids::PROJECT_FINGERPRINT));
        each(newest, &|fields| {
            answer_both(fields, name, Name::lasting("title"));
            answer_given_or(fields, fingerprint, None);
        })
    }

    /// A requirement: until 17.0 the legacy `iid` comes beside `workItemIid` (specification, Versioning 4).
    ///
    /// The two numbers differ. The legacy one is answered where the newest form has it, and is never made up, because it could be
    /// that of another requirement.
    #[must_use]
    pub fn graphql_requirement(&self, newest: Value) -> Value {
        let iid = Name::new("iid", self.has(ids::REQUIREMENT_IID));
        each(newest, &|fields| answer_given_or(fields, iid, None))
    }

    /// A value of `SharedRunnersSetting` as the edition answers it: before 16.0 it is `DISABLED_WITH_OVERRIDE` for
    /// `DISABLED_AND_OVERRIDABLE`, which clients of these releases may not know (specification, Versioning 4). Any other value
    /// stays as it is.
    #[must_use]
    pub fn graphql_shared_runners_setting<'v>(&self, newest: &'v str) -> &'v str {
        let [old, new] = SHARED_RUNNERS;
        let has_old = self.has(ids::DISABLED_WITH_OVERRIDE);
        match newest {
            _ if newest == new && has_old => old,
            _ if newest == old && !has_old => new,
            _ => newest,
        }
    }

    /// What a client of the edition sends as a `SharedRunnersSetting`, as the newest value. `None` for `DISABLED_WITH_OVERRIDE`
    /// from 16.0 on, where it is no value.
    #[must_use]
    pub fn shared_runners_setting_sent<'v>(&self, sent: &'v str) -> Option<&'v str> {
        let [old, new] = SHARED_RUNNERS;
        match sent {
            _ if sent != old => Some(sent),
            _ if self.has(ids::DISABLED_WITH_OVERRIDE) => Some(new),
            _ => None,
        }
    }

    fn records_of(&self, name: &str) -> impl Iterator<Item = &'s Record> {
        let records = self.schedule.records().iter();
        records.filter(move |record| names(record).any(|found| found == name))
    }
}

/// The names of the GraphQL API that a record touches.
fn names(record: &Record) -> impl Iterator<Item = &str> {
    record.touches.iter().filter_map(|touch| match &touch.site {
        Site::Graphql(name) => Some(name.as_str()),
        _ => None,
    })
}

/// ``Use `internal`. Deprecated in 15.5.``
fn reason(record: &Record) -> String {
    let announced = record.announced();
    match &record.replacement {
        Some(instead) => {
            let instead = instead.trim_end_matches('.');
            format!("Use {instead}. Deprecated in {announced}.")
        }
        None => format!("There is no replacement. Deprecated in {announced}."),
    }
}
