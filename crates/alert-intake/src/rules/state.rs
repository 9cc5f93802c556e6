//! State of an alert in a sender's own words: it fires, it is over, or somebody acknowledged it.

/// State that a sender reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedState {
    /// The alert fires.
    Firing,
    /// The alert is over.
    Over,
    /// Somebody acknowledged, paused or muted the alert, or it waits: neither a start nor an end.
    Noted,
}

/// Longest text that can be a state, in bytes. Longer texts are messages.
const MAX_LENGTH: usize = 100;

/// Words for the end of an alert.
const OVER: &[&str] = &[
    "available",
    "canceled",
    "cancelled",
    "clear",
    "cleared",
    "close",
    "closed",
    "closing",
    "completed",
    "deactivated",
    "end",
    "ended",
    "fixed",
    "good",
    "green",
    "healthy",
    "inactive",
    "normal",
    "ok",
    "okay",
    "online",
    "operational",
    "pass",
    "passed",
    "passing",
    "recover",
    "recovered",
    "recovery",
    "resolution",
    "resolve",
    "resolved",
    "resolves",
    "responding",
    "restored",
    "solved",
    "succeeded",
    "success",
    "successful",
    "untriggered",
    "up",
];

/// Words for an alert that fires.
const FIRING: &[&str] = &[
    "activated",
    "active",
    "alarm",
    "alerting",
    "bad",
    "breach",
    "breached",
    "broken",
    "create",
    "created",
    "crit",
    "critical",
    "danger",
    "degraded",
    "down",
    "emergency",
    "errored",
    "fail",
    "failed",
    "failing",
    "failure",
    "fatal",
    "fire",
    "fired",
    "firing",
    "major",
    "minor",
    "nodata",
    "offline",
    "open",
    "opened",
    "outage",
    "raise",
    "raised",
    "red",
    "reopened",
    "retriggered",
    "start",
    "started",
    "trigger",
    "triggered",
    "unavailable",
    "unhealthy",
    "unreachable",
    "unresolved",
    "warn",
    "warning",
];

/// Words among them for how bad it is. After a word for the end they name what ended: `ResolvedCritical`.
const LEVELS: &[&str] = &[
    "crit",
    "critical",
    "emergency",
    "fatal",
    "major",
    "minor",
    "red",
    "warn",
    "warning",
];

/// Words among those for the end that name a condition. A level after them is the next condition: `OK CRITICAL`.
pub(super) const CONDITIONS: &[&str] = &["good", "green", "healthy", "normal", "ok", "okay", "up"];

/// Words that name the alert itself, and mean that it fires if no other word says more.
pub(super) const SUBJECTS: &[&str] = &["alert", "error", "incident", "issue", "problem"];

/// Words for what is neither a start nor an end.
const NOTED: &[&str] = &[
    "ack",
    "acked",
    "acknowledge",
    "acknowledged",
    "acknowledgement",
    "acknowledgment",
    "maintenance",
    "muted",
    "paused",
    "pending",
    "silenced",
    "snoozed",
];

/// Words that mean the end only if nothing else is said: `reset`, but not `connection reset`.
const OVER_ALONE: &[&str] = &["alive", "applied", "improved", "ready", "reset"];

/// Words that mean that an alert fires only if nothing else is said.
const FIRING_ALONE: &[&str] = &[
    "dead",
    "disconnected",
    "exceeded",
    "expired",
    "late",
    "missed",
    "missing",
    "overdue",
    "stale",
    "stopped",
    "timeout",
];

/// Words for the end of a task, which may have failed.
const DONE: &[&str] = &["complete", "completed", "done", "finished"];

/// Words that turn the next one around.
pub(super) const NEGATIONS: [&str; 5] = ["cannot", "never", "no", "non", "not"];

/// Words before a former state.
const FORMER: &[&str] = &["from", "previous", "previously", "was"];

/// Parses a state, in any case and with any punctuation: `RESOLVED`, `incident.closed`, `alertResolved`, `OK -> CRITICAL`.
/// The last word that is a state counts. Returns `None` if there is none, or if the text is too long for a state.
pub fn parse(text: &str) -> Option<ReportedState> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let text = text.trim();
    if let Some(alone) = alone(text) {
        return Some(alone);
    }
    let (mut state, mut subject) = (None, None);
    let mut before = String::new();
    for word in words(text) {
        if carries_negation(&before, &word) {
            NEGATIONS[0].clone_into(&mut before);
            continue;
        }
        let is_negated = NEGATIONS.contains(&before.as_str());
        let is_ended = is_level(&word) && ends(&before);
        let is_former = is_ended || FORMER.contains(&before.as_str());
        if is_former {
            before = word;
            continue;
        }
        match of_word(&word) {
            Some(ReportedState::Over) if is_negated => state = Some(ReportedState::Firing),
            Some(ReportedState::Firing) if is_negated => state = Some(ReportedState::Over),
            None if is_negated && word == "data" => state = Some(ReportedState::Firing),
            None if SUBJECTS.contains(&word.as_str()) => subject = Some(ReportedState::Firing),
            None => {}
            known => state = known,
        }
        before = word;
    }
    state.or(subject)
}

/// Parses a text of one word that is a state only by itself.
fn alone(text: &str) -> Option<ReportedState> {
    let is_in = |list: &[&str]| list.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_in(OVER_ALONE) {
        Some(ReportedState::Over)
    } else {
        is_in(FIRING_ALONE).then_some(ReportedState::Firing)
    }
}

/// True if a text says that a task ended, and nothing of how: `workflow-completed`. Another field may say that it failed.
pub(crate) fn is_done(text: &str) -> bool {
    let mut states =
        words(text).filter(|word| of_word(word).is_some() || DONE.contains(&word.as_str()));
    let mut is_any = false;
    let is_all = states.all(|word| {
        is_any = true;
        DONE.contains(&word.as_str())
    });
    is_any && is_all
}

/// Words between a negation and what it negates: `no longer healthy`, `could not be resolved`.
const BETWEEN: &[&str] = &[
    "be",
    "been",
    "completely",
    "entirely",
    "fully",
    "longer",
    "yet",
];

/// True if a word keeps the negation before it, as in `not yet`, or makes one: `failed to`.
fn carries_negation(before: &str, word: &str) -> bool {
    let is_kept = NEGATIONS.contains(&before) && BETWEEN.contains(&word);
    is_kept || (word == "to" && DOUBTS.contains(&before))
}

/// True if a word of an alert that fires says how bad it is.
pub(crate) fn is_level(word: &str) -> bool {
    LEVELS.contains(&word)
}

/// True if a word says that something ended.
fn ends(word: &str) -> bool {
    of_word(word) == Some(ReportedState::Over) && !CONDITIONS.contains(&word)
}

/// True if a text names a change from one state to another: `OK_TO_FIRING`.
pub fn is_change(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    match words.as_slice() {
        [from, to, state] => to == "to" && of_word(from).is_some() && of_word(state).is_some(),
        _ => false,
    }
}

/// Words after which an event is named: `checkFailedNotification`.
const EVENTS: &[&str] = &["event", "message", "notification", "webhook"];

/// True if a text names an event that ends with a state: `ALERT_NOTIFICATION_CLEAR`, `uptimeCheckFailedNotification`.
pub fn is_event(text: &str) -> bool {
    let is_identifier = !text.trim().contains(char::is_whitespace);
    let words: Vec<String> = words(text).collect();
    let mut words = words.iter().rev().map(String::as_str);
    let last = words.find(|word| !EVENTS.contains(word));
    let is_state = |word: &str| of_word(word).is_some() && !CONDITIONS.contains(&word);
    is_identifier && last.is_some_and(is_state)
}

/// Words for conditions that devices report, besides [`CONDITIONS`].
const REPORTED: [&str; 3] = ["offline", "online", "operational"];

/// True if a text is one word for the condition of something: `OFFLINE`, `ok`.
pub(crate) fn is_condition(text: &str) -> bool {
    let word = text.trim().to_lowercase();
    CONDITIONS.contains(&word.as_str()) || REPORTED.contains(&word.as_str())
}

/// Words for a success, among those for the end.
const SUCCESSES: [&str; 4] = ["recovered", "resolved", "restored", "succeeded"];

/// True if a text is a name of several words that ends with a success: `ReconciliationSucceeded`.
pub(crate) fn is_success(text: &str) -> bool {
    let is_identifier = !text.trim().contains(char::is_whitespace);
    let words: Vec<String> = words(text).collect();
    let last = words.last().filter(|_| words.len() > 1);
    is_identifier && last.is_some_and(|word| SUCCESSES.contains(&word.as_str()))
}

/// Words after which a sentence does not say that something recovered.
pub(super) const DOUBTS: &[&str] = &[
    "cannot", "fail", "failed", "fails", "if", "unable", "until", "unless", "when", "whether",
];

/// True if a text only says what kind of thing a body is about, as `alert` or `incident`: no state.
pub fn is_kind(text: &str) -> bool {
    words(text).all(|word| word != "problem" && SUBJECTS.contains(&word.as_str()))
}

/// True if a lower-case word names a state, or the alert itself.
pub fn is_state_word(word: &str) -> bool {
    of_word(word).is_some() || SUBJECTS.contains(&word)
}

fn of_word(word: &str) -> Option<ReportedState> {
    let is_in = |list: &[&str]| list.binary_search(&word).is_ok();
    if is_in(OVER) {
        Some(ReportedState::Over)
    } else if is_in(FIRING) {
        Some(ReportedState::Firing)
    } else if is_in(NOTED) {
        Some(ReportedState::Noted)
    } else {
        None
    }
}

/// Splits a text into its words in lower case, also where a capital letter follows a small one.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let pieces = text.split(|c: char| !c.is_alphanumeric());
    pieces.flat_map(humps).map(str::to_lowercase)
}

/// Splits `alertResolved` into `alert` and `Resolved`.
fn humps(piece: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut rest, mut was_small) = (piece, false);
    for (at, c) in piece.char_indices() {
        if was_small && c.is_uppercase() {
            let start = piece.len() - rest.len();
            let (part, next) = rest.split_at(at - start);
            parts.push(part);
            rest = next;
        }
        was_small = c.is_lowercase();
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lists_are_sorted_and_no_word_is_in_two() {
        for list in [
            OVER,
            FIRING,
            NOTED,
            LEVELS,
            CONDITIONS,
            OVER_ALONE,
            FIRING_ALONE,
        ] {
            assert!(list.is_sorted(), "{list:?}");
        }
        let mut all = [OVER, FIRING, NOTED, SUBJECTS, OVER_ALONE, FIRING_ALONE].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn states_in_the_words_of_senders() {
        let table = [
            (
                Some(ReportedState::Over),
                "resolved|RESOLVED|Recovered|ok|OK|✅ Up|incident.closed|alertResolved|CRITICAL -> OK|clear|\
                 problem resolved|Resolved (was critical)|issue_resolved|Back to normal|not firing|RECOVERY|DEACTIVATED",
            ),
            (
                Some(ReportedState::Firing),
                "firing|PROBLEM|alert|Down|🔴 Down|incident.triggered|OK to CRITICAL|no data|NoData|no_data|not ok|\
                 unresolved|Re-Triggered|open|CRITICAL (was OK)|ALARM|non-operational",
            ),
            (
                Some(ReportedState::Noted),
                "acknowledged|ACKNOWLEDGEMENT|incident.acknowledged|paused|pending",
            ),
            (
                None,
                "|web-1|7|a message about something|certificate expired|data",
            ),
        ];
        for (expected, texts) in table {
            for text in texts.split('|') {
                assert_eq!(parse(text), expected, "{text}");
            }
        }
        assert_eq!(parse(&"ok ".repeat(40)), None);
        for (text, expected) in [
            ("ResolvedCritical", ReportedState::Over),
            ("POLICY_CLOSE_WARNING", ReportedState::Over),
            ("OK_TO_CRITICAL", ReportedState::Firing),
            ("POLICY_OPEN_CRITICAL", ReportedState::Firing),
            ("not responding", ReportedState::Firing),
            ("under_maintenance", ReportedState::Noted),
            ("no longer healthy", ReportedState::Firing),
            ("could not be resolved", ReportedState::Firing),
            ("failed to recover", ReportedState::Firing),
            ("no longer firing", ReportedState::Over),
            ("Reset", ReportedState::Over),
            ("timeout", ReportedState::Firing),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        assert_eq!(parse("connection reset"), None);
        for (text, is_only_done) in [
            ("workflow-completed", true),
            ("finished", true),
            ("completed successful", false),
            ("failed", false),
            ("disk", false),
        ] {
            assert_eq!(is_done(text), is_only_done, "{text}");
        }
        assert!(is_change("FIRING_TO_OK") && !is_change("move to disk"));
        assert!(is_condition("OFFLINE") && is_condition("ok") && !is_condition("closed"));
        assert!(is_success("ReconciliationSucceeded") && !is_success("succeeded"));
        assert!(!is_success("subscription_canceled") && !is_success("it was resolved"));
        for (text, is_named) in [
            ("uptimeCheckFailedNotification", true),
            ("ALERT_NOTIFICATION_CLEAR", true),
            ("backup_completed_with_errors", false),
            ("user_signed_up", false),
            ("the backup has failed", false),
        ] {
            assert_eq!(is_event(text), is_named, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_state_or_not(text in "\\PC{0,60}") {
            let _ = parse(&text);
            prop_assert!(words(&text).all(|word| !word.is_empty()));
        }
    }
}
