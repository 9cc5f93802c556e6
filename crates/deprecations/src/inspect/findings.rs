//! Collection of findings, within bounds.

use std::collections::BTreeMap;

use crate::model::{Edition, Life, Record, RecordStatus};

use super::report::{Certainty, FileFormat, Finding, InspectionReport, UnknownCall};

/// Maximum number of distinct findings that are kept; the others are only counted.
pub(super) const MAX_FINDINGS: usize = 1_000;

/// Maximum number of unknown operations that are kept; calls of the others are only counted.
pub(super) const MAX_UNKNOWN: usize = 20;

/// Findings so far.
pub(super) struct FindingCollector<'s> {
    at: Edition,
    pub(super) calls: u64,
    unknown_calls: u64,
    outside_calls: u64,
    unread: u64,
    first_unread: Option<u64>,
    breaking_uses: u64,
    deprecated_uses: u64,
    unclear_uses: u64,
    left_off: u64,
    findings: BTreeMap<(String, String, String, Certainty), (&'s Record, OccurrenceCounter)>,
    unknown: BTreeMap<String, OccurrenceCounter>,
}

/// Number of occurrences, and position of the first.
#[derive(Clone, Copy)]
struct OccurrenceCounter {
    occurrences: u64,
    first: u64,
}

impl OccurrenceCounter {
    fn add(&mut self, position: u64) {
        self.occurrences += 1;
        self.first = self.first.min(position);
    }

    fn at(position: u64) -> Self {
        Self {
            occurrences: 1,
            first: position,
        }
    }
}

impl<'s> FindingCollector<'s> {
    pub(super) fn new(at: Edition) -> Self {
        Self {
            at,
            calls: 0,
            unknown_calls: 0,
            outside_calls: 0,
            unread: 0,
            first_unread: None,
            breaking_uses: 0,
            deprecated_uses: 0,
            unclear_uses: 0,
            left_off: 0,
            findings: BTreeMap::new(),
            unknown: BTreeMap::new(),
        }
    }

    /// Status of a record at the edition.
    pub(super) fn status(&self, record: &Record) -> RecordStatus {
        record.status(self.at)
    }

    /// Adds a use of something that a record is about.
    pub(super) fn add(
        &mut self,
        record: &'s Record,
        call: &str,
        certainty: Certainty,
        detail: String,
        position: u64,
    ) {
        let uses = match (certainty, record.counts(self.at)) {
            (Certainty::CannotTell, _) => &mut self.unclear_uses,
            (Certainty::Certain, true) => &mut self.breaking_uses,
            (Certainty::Certain, false) => &mut self.deprecated_uses,
        };
        *uses += 1;
        let key = (record.id.clone(), call.to_owned(), detail, certainty);
        let has_place = self.findings.len() < MAX_FINDINGS;
        match self.findings.get_mut(&key) {
            Some((_, counter)) => counter.add(position),
            None if has_place => {
                self.findings
                    .insert(key, (record, OccurrenceCounter::at(position)));
            }
            None => self.left_off += 1,
        }
    }

    /// Adds a call of an unknown operation.
    pub(super) fn add_unknown(&mut self, call: String, position: u64) {
        self.unknown_calls += 1;
        let has_place = self.unknown.len() < MAX_UNKNOWN;
        match self.unknown.get_mut(&call) {
            Some(counter) => counter.add(position),
            None if has_place => {
                self.unknown.insert(call, OccurrenceCounter::at(position));
            }
            None => {}
        }
    }

    /// Counts a call to something other than the API.
    pub(super) fn add_outside(&mut self) {
        self.outside_calls += 1;
    }

    /// Counts a line or entry that is not a call.
    pub(super) fn add_unread(&mut self, position: u64) {
        self.unread += 1;
        self.first_unread.get_or_insert(position);
    }

    pub(super) fn finish(self, source: FileFormat, not_shown: Vec<String>) -> InspectionReport {
        let at = self.at;
        let mut is_certain: BTreeMap<String, bool> = BTreeMap::new();
        for (record, _, _, certainty) in self.findings.keys() {
            *is_certain.entry(record.clone()).or_default() |= *certainty == Certainty::Certain;
        }
        let findings = self.findings.into_iter();
        let mut findings: Vec<Finding> = findings
            .map(
                |((_, call, detail, certainty), (record, counter))| Finding {
                    record: record.id.clone(),
                    title: record.title.clone(),
                    replacement: record.replacement.clone(),
                    removal: record.removal(),
                    introduced: match record.life {
                        Life::Introduced(release) => Some(release.to_string()),
                        Life::Deprecated { .. } => None,
                    },
                    breaking: record.breaking,
                    status: record.status(at),
                    certainty,
                    call,
                    detail,
                    occurrences: counter.occurrences,
                    first: counter.first,
                },
            )
            .collect();
        // Findings that compare equal keep the order of the map: record, call, detail.
        findings.sort_by_cached_key(|finding| {
            let is_certain = is_certain.get(&finding.record).copied().unwrap_or_default();
            let is_later = finding.removal.is_none();
            let record = finding.record.clone();
            (
                !finding.breaks(),
                !is_certain,
                is_later,
                finding.removal,
                record,
                finding.certainty,
            )
        });
        let unknown = self.unknown.into_iter().map(|(call, counter)| UnknownCall {
            call,
            occurrences: counter.occurrences,
            first: counter.first,
        });
        InspectionReport {
            checked_as: at.to_string(),
            source,
            calls: self.calls,
            unknown_calls: self.unknown_calls,
            outside_calls: self.outside_calls,
            unread: self.unread,
            first_unread: self.first_unread,
            breaking_uses: self.breaking_uses,
            deprecated_uses: self.deprecated_uses,
            unclear_uses: self.unclear_uses,
            findings,
            left_off: self.left_off,
            unknown: unknown.collect(),
            not_shown,
        }
    }
}

/// True if a record is to be reported at an edition.
pub(super) fn is_worth_saying(record: &Record, at: Edition) -> bool {
    record.status(at) != RecordStatus::Current
}
