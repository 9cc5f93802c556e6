//! General rule for bodies of unknown senders: what their fields usually mean.
//!
//! The rule adds to a generic payload what the specification's own fields do not say. It applies if the body has a word
//! for its state, a title that is marked with one, or a title under another name than the specification's. A body that
//! says that something is over is then an end, whatever else is in it.

mod scan;
mod table;

use api_conventions::time::Timestamp;
use serde_json::Value;

use self::scan::{FieldMatch, FieldScan};
use self::table::Meaning;
use super::ParseContext;
use super::senders::End;
use crate::model::{AlertIdentity, Severity};
use crate::rules::identity::IdentityScope;
use crate::rules::state::{self, ReportedState};
use crate::rules::title_state;
use crate::rules::{datetime, identity};

pub(super) use table::is_hint;

/// Fields that the rule recognised.
#[derive(Debug)]
pub(super) struct GeneralReading {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) severity: Option<Severity>,
    pub(super) service: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) environment: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) end: Option<End>,
    pub(super) identity: AlertIdentity,
    /// State of the alert, and the field that says so.
    pub(super) state: Option<(ReportedState, String)>,
    /// Sentence for the receipt.
    pub(super) note: String,
}

/// Reads a body whose specified title is `title` and whose specified severity is `word`. Returns `None` if the rule
/// finds neither a state nor a title of its own.
pub(super) fn read(
    body: &Value,
    title: Option<&str>,
    word: Option<&str>,
    context: &ParseContext,
) -> Option<GeneralReading> {
    let scan = FieldScan::of(body);
    let said = said_state(&scan);
    let is_said = said.is_some();
    let named = title_of(&scan, is_said).filter(|_| title.is_none());
    // A body with a specified title has the severities of the specification, which has none for an end.
    let word_of_end = word.filter(|_| title.is_none());
    let stated = state_of(said, &scan, word_of_end, context.received_at);
    let stated = stated.or_else(|| state_in_title(&scan, title));
    if stated.is_none() && named.is_none() {
        return None;
    }
    let report_time = scan.time(Meaning::ReportTime);
    let is_over = matches!(stated, Some((ReportedState::Over, _)));
    let end = is_over.then(|| End::of(scan.time(Meaning::End).or(report_time)));
    let start = scan
        .time(Meaning::Start)
        .or(report_time)
        .filter(|_| !is_over);
    let own = named.as_ref().map(|found| found.text.clone());
    let description = scan
        .all(Meaning::Description)
        .into_iter()
        .map(|found| found.text)
        .find(|text| Some(text) != own.as_ref());
    let severities = context.severities();
    let mut severity = word.and_then(|word| severities.of_sender(word));
    severity = severity.or_else(|| {
        scan.all(Meaning::Severity)
            .iter()
            .find_map(|found| severities.of_sender(&found.text))
    });
    severity = severity.or_else(|| {
        scan.all(Meaning::State)
            .iter()
            .find_map(|found| severities.of_sender(&found.text))
    });
    let mut reading = GeneralReading {
        title: own,
        description,
        severity,
        service: scan.text(Meaning::Service),
        hosts: scan
            .best(Meaning::Host)
            .map(|found| found.texts)
            .unwrap_or_default(),
        environment: scan.text(Meaning::Environment),
        tool: scan.text(Meaning::Tool),
        started_at: start,
        end,
        identity: AlertIdentity::from_bytes([0; 32]),
        state: stated,
        note: String::new(),
    };
    // A message about a service or host with a state of its own differs at the end: `timeout`, `answers again`.
    let is_report = |found: &FieldMatch| found.rank >= table::FIRST_REPORT;
    let place = reading.composed_title();
    let is_of_place = is_said && place.is_some() && named.as_ref().is_some_and(is_report);
    let name = named.as_ref().filter(|_| !is_of_place);
    reading.identity = reading.identity_of(&scan, name, title, body, context.identity_scope());
    reading.note = reading.sentence(named.as_ref());
    let described = body.get("description").and_then(Value::as_str);
    let described = described.or(reading.description.as_deref());
    let described = described.and_then(|text| text.lines().next());
    reading.title = match (reading.title.take(), place) {
        (Some(text), Some(place)) if is_of_place && is_terse(&text) => {
            Some(format!("{place}: {text}"))
        }
        (None, place) if title.is_none() => place.or_else(|| described.map(str::to_owned)),
        (text, _) => text,
    };
    Some(reading)
}

/// Returns the best title that is more than a state or a number. `Title` is one only in a body with a state: without one, the
/// specification's names are exact.
fn title_of(scan: &FieldScan<'_>, is_said: bool) -> Option<FieldMatch> {
    let mut all = scan.all(Meaning::Title);
    all.retain(|found| is_said || !found.is_other_title());
    let is_name = |found: &&FieldMatch| {
        found.text.contains(char::is_alphabetic)
            && !state::words(&found.text).all(|word| state::is_state_word(&word))
    };
    let named = all.iter().find(is_name);
    named
        .or_else(|| all.iter().find(|found| !found.text.is_empty()))
        .cloned()
}

/// True if a message says too little without its place: `timeout`, `disk full`.
fn is_terse(message: &str) -> bool {
    state::words(message).count() <= 2
}

/// Returns the state that a title or a message is marked with, for a body that has no field for it. A level such as
/// `CRITICAL:` in a specified title is no state: such a body has the identity of the specification.
fn state_in_title(scan: &FieldScan<'_>, title: Option<&str>) -> Option<(ReportedState, String)> {
    let is_level = |title: &&str| {
        state::words(title)
            .next()
            .is_some_and(|word| state::is_level(&word))
    };
    let specified = title.filter(|title| !is_level(title));
    let specified = specified.and_then(title_state::of_title);
    let specified = specified.map(|state| (state, "title".to_owned()));
    specified.or_else(|| {
        let all = scan.all(Meaning::Title).into_iter();
        all.filter(|_| title.is_none())
            .find_map(|found| Some((title_state::of_title(&found.text)?, found.path)))
    })
}

/// Returns the state that a field says, and its path. A body that says so in two ways is over if one of them says that
/// it is over; fields further up count before those inside.
fn said_state(scan: &FieldScan<'_>) -> Option<(ReportedState, String)> {
    let mut states: Vec<(usize, ReportedState, String)> = Vec::new();
    let mut done = None;
    let is_state = |text: &str| {
        state::words(text).count() <= 2 || state::is_change(text) || state::is_event(text)
    };
    for found in scan.all(Meaning::State) {
        let is_loose = found.rank >= table::FIRST_LOOSE_STATE;
        let is_other = is_loose && (!is_state(&found.text) || state::is_kind(&found.text));
        if let Some(state) = state::parse(&found.text).filter(|_| !is_other) {
            if state::is_done(&found.text) {
                done = done.or(Some((state, found.path)));
            } else {
                states.push((found.depth, state, found.path));
            }
        }
    }
    for found in scan.all(Meaning::StateNumber) {
        if let Ok(number) = found.text.parse::<u8>() {
            states.push((found.depth, flagged(number == 0), found.path));
        }
    }
    for found in scan.all(Meaning::FiringFlag) {
        if let Some(fires) = found.flag {
            states.push((found.depth, flagged(!fires), found.path));
        }
    }
    for found in scan.all(Meaning::OverFlag) {
        let counts = found.rank < table::FIRST_LOOSE_FLAG || states.is_empty();
        if let Some(is_over) = found.flag.filter(|_| counts) {
            states.push((found.depth, flagged(is_over), found.path));
        }
    }
    let top = states.iter().map(|(depth, _, _)| *depth).min();
    let order = |state: ReportedState| match state {
        ReportedState::Over => 0,
        ReportedState::Noted => 1,
        ReportedState::Firing => 2,
    };
    states.retain(|(depth, _, _)| Some(*depth) == top);
    states.sort_by_key(|(_, state, _)| order(*state));
    let said = states.into_iter().next();
    let said = said.map(|(_, state, path)| (state, path)).or(done);
    said.or_else(|| hinted_state(scan))
}

/// Returns the state of a value such as `OFFLINE`, or of a reason such as `ReconciliationSucceeded`. Most other values and reasons say
/// why an alert fires: `closed`, `subscription_canceled`.
fn hinted_state(scan: &FieldScan<'_>) -> Option<(ReportedState, String)> {
    scan.all(Meaning::StateHint).into_iter().find_map(|found| {
        let is_hint = state::is_condition(&found.text) || state::is_success(&found.text);
        let state = state::parse(&found.text).filter(|_| is_hint)?;
        Some((state, found.path))
    })
}

/// Returns the state, and the path of the field that says so: a severity or a past time may say that the alert is over.
fn state_of(
    said: Option<(ReportedState, String)>,
    scan: &FieldScan<'_>,
    severity: Option<&str>,
    received_at: Timestamp,
) -> Option<(ReportedState, String)> {
    let cleared = || {
        severity
            .filter(|word| is_cleared(word))
            .map(|_| (ReportedState::Over, "severity".to_owned()))
    };
    let ended = || {
        let ends = scan.all(Meaning::End);
        let past =
            |found: &FieldMatch| datetime::parse(&found.text).is_some_and(|end| end <= received_at);
        ends.into_iter()
            .find(past)
            .map(|found| (ReportedState::Over, found.path))
    };
    match said {
        Some((ReportedState::Firing, path)) => cleared().or(Some((ReportedState::Firing, path))),
        Some(said) => Some(said),
        None => cleared().or_else(ended),
    }
}

const fn flagged(is_over: bool) -> ReportedState {
    if is_over {
        ReportedState::Over
    } else {
        ReportedState::Firing
    }
}

/// True if a severity says that there is no problem any more.
fn is_cleared(word: &str) -> bool {
    matches!(state::parse(word), Some(ReportedState::Over))
}

impl GeneralReading {
    /// True if the body reports neither a start nor an end.
    pub(super) fn is_noted(&self) -> bool {
        matches!(self.state, Some((ReportedState::Noted, _)))
    }

    /// Returns the identity: the sender's key, else the name without its state with host, service and environment, else
    /// all fields that do not change from report to report.
    fn identity_of(
        &self,
        scan: &FieldScan<'_>,
        named: Option<&FieldMatch>,
        title: Option<&str>,
        body: &Value,
        scope: IdentityScope<'_>,
    ) -> AlertIdentity {
        let hosts = self.hosts.iter().map(String::as_str);
        // Where the type of an alert has an id, the id of the alert is that of the message.
        let has_type = body.get("alertTypeId").is_some();
        let keys = scan.all(Meaning::Key).into_iter();
        let mut keys = keys.filter(|found| !(has_type && found.path == "alertId"));
        if let Some(key) = keys.find(|found| !found.text.is_empty()) {
            return identity::of_sender(scope, "", &["key", &key.text]);
        }
        if let Some(key) = scan.text(Meaning::RuleKey) {
            let parts: Vec<&str> = ["rule", &key].into_iter().chain(hosts).collect();
            return identity::of_sender(scope, "", &parts);
        }
        let is_message = named.is_some_and(|found| found.rank >= table::FIRST_MESSAGE);
        let name = title.or(named.map(|found| found.text.as_str()));
        let name = name.map(|name| stable_name(name, is_message));
        let service = self.service.as_deref();
        let part = scan.text(Meaning::Part).unwrap_or_default();
        if name.is_none() && self.hosts.is_empty() && service.is_none() {
            let rest = identity::of_rest(scope, body, &scan::is_volatile);
            return rest.unwrap_or_else(|| identity::of_sender(scope, "", &["nothing"]));
        }
        let name = name.unwrap_or_default();
        let parts = [
            "name",
            &name,
            service.unwrap_or_default(),
            self.environment.as_deref().unwrap_or_default(),
        ];
        let part = Some(part.as_str()).filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.into_iter().chain(part).chain(hosts).collect();
        identity::of_sender(scope, "", &parts)
    }

    /// Returns a title from host and service, if there are any.
    fn composed_title(&self) -> Option<String> {
        let host = self.hosts.first().map(String::as_str);
        let parts: Vec<&str> = [host, self.service.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Returns the sentence for the receipt: the fields that the title and the state came from.
    fn sentence(&self, named: Option<&FieldMatch>) -> String {
        let title = named.map(|found| format!("the title from {:?}", found.path));
        let state = self.state.as_ref().map(|(state, path)| {
            let word = match state {
                ReportedState::Firing => "fires",
                ReportedState::Over => "is over",
                ReportedState::Noted => "is acknowledged or waits",
            };
            format!("the state from {path:?} ({word})")
        });
        let parts: Vec<String> = [title, state].into_iter().flatten().collect();
        format!("read by the general rule: {}", parts.join(", "))
    }
}

/// Words that come with a state and say nothing by themselves.
const FILLERS: [&str; 18] = [
    "after",
    "again",
    "back",
    "been",
    "came",
    "following",
    "for",
    "has",
    "in",
    "is",
    "new",
    "now",
    "on",
    "since",
    "the",
    "to",
    "was",
    "went",
];

/// Returns a name without the words for its state, so that `[FIRING] Disk` and `[RESOLVED] Disk` are one. A message also
/// loses its numbers. A name that has nothing else stays whole.
pub(super) fn stable_name(name: &str, is_message: bool) -> String {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_kept = |word: &String| {
        let is_filler = state::is_state_word(word) || FILLERS.contains(&word.as_str());
        let is_changing = is_message && is_number(word);
        !is_filler && !is_changing
    };
    let kept: Vec<String> = state::words(name).filter(is_kept).collect();
    if kept.is_empty() {
        name.to_lowercase()
    } else {
        kept.join(" ")
    }
}

#[cfg(test)]
mod tests;
