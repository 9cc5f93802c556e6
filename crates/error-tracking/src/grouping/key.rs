//! Grouping keys of events.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::explanation::{Explanation, Input, InputKind, Method};
use super::frames::{self, FrameSelection};
use super::text::normalised;
use crate::event::{Exception, Report, Stacktrace};

/// Current version of the grouping rules.
pub const VERSION: u16 = 1;

/// Grouping key: the same for all events of an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey([u8; 16]);

impl GroupKey {
    /// Creates a key from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for GroupKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = data_encoding::HEXLOWER.encode(&self.0);
        write!(formatter, "GroupKey({digits})")
    }
}

/// Grouping key of an event, with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// The key.
    pub key: GroupKey,
    /// Explanation of the key.
    pub explanation: Explanation,
    /// Keys of the same event under earlier versions of the rules, the first version first.
    /// An event whose error is known by one of them stays with it, so that a better rule never splits an existing
    /// error.
    pub older: Vec<GroupKey>,
}

/// Computes the grouping key of an event.
/// The same event always has the same key.
pub fn group(report: &Report) -> Grouping {
    let (method, inputs) = of_fingerprint(report).unwrap_or_else(|| by_default(report));
    let explanation = Explanation {
        version: VERSION,
        method,
        inputs,
    };
    Grouping {
        key: key(&explanation),
        explanation,
        // These are the first rules. Later versions add the keys of these here.
        older: Vec::new(),
    }
}

/// Digest of all inputs.
/// Each input has its length before it, so that no two lists produce the same bytes.
fn key(explanation: &Explanation) -> GroupKey {
    let mut digest = Sha256::new();
    digest.update(explanation.version.to_be_bytes());
    for input in &explanation.inputs {
        let word = input.part.word();
        digest.update([u8::try_from(word.len()).unwrap_or(u8::MAX)]);
        digest.update(word);
        digest.update((input.text.len() as u64).to_be_bytes());
        digest.update(&input.text);
    }
    let mut bytes = [0; 16];
    for (byte, digit) in bytes.iter_mut().zip(digest.finalize()) {
        *byte = digit;
    }
    GroupKey(bytes)
}

fn input(part: InputKind, text: impl Into<String>) -> Input {
    Input {
        part,
        text: text.into(),
    }
}

/// Groups by the fingerprint that the program set.
/// A part of it may stand for the default grouping.
fn of_fingerprint(report: &Report) -> Option<(Method, Vec<Input>)> {
    let is_default = |part: &String| {
        let inner = part
            .trim()
            .strip_prefix("{{")
            .and_then(|part| part.strip_suffix("}}"));
        inner.is_some_and(|inner| inner.trim() == "default")
    };
    if report.fingerprint.iter().all(is_default) {
        return None;
    }
    let mut inputs = Vec::new();
    for part in &report.fingerprint {
        if is_default(part) {
            inputs.extend(by_default(report).1);
        } else {
            inputs.push(input(InputKind::Fingerprint, part.as_str()));
        }
    }
    Some((Method::Fingerprint, inputs))
}

/// Groups by the default rules.
fn by_default(report: &Report) -> (Method, Vec<Input>) {
    let found = by_exceptions(report)
        .or_else(|| by_threads(report))
        .or_else(|| by_policy(report))
        .or_else(|| by_message(report));
    found.unwrap_or((Method::Nothing, Vec::new()))
}

fn by_exceptions(report: &Report) -> Option<(Method, Vec<Input>)> {
    let exceptions = members(&report.exceptions);
    let platform = report.platform.as_str();
    // The frames of each exception, if one of them has any that count.
    let frames_of = |which: FrameSelection| {
        let traces = exceptions.iter().map(|one| one.stacktrace.as_ref());
        let texts = traces.map(|trace| Some(frames::texts(trace?, platform, which)));
        let texts: Vec<Option<Vec<String>>> = texts.collect();
        let counts = texts.iter().flatten().any(|texts| !texts.is_empty());
        counts.then_some(texts)
    };
    let (method, frames) = if let Some(frames) = frames_of(FrameSelection::Program) {
        (Method::ProgramFrames, frames)
    } else if let Some(frames) = frames_of(FrameSelection::All) {
        (Method::AllFrames, frames)
    } else {
        (Method::TypeAndValue, vec![None; exceptions.len()])
    };
    let mut seen: Vec<Vec<Input>> = Vec::new();
    for (exception, frames) in exceptions.iter().zip(frames) {
        let inputs = of_exception(exception, frames);
        // An exception group equals its members, however often each of them occurs.
        let is_known = exceptions.len() < report.exceptions.len() && seen.contains(&inputs);
        if !inputs.is_empty() && !is_known {
            seen.push(inputs);
        }
    }
    let inputs: Vec<Input> = seen.into_iter().flatten().collect();
    (!inputs.is_empty()).then_some((method, inputs))
}

/// Exceptions that count: an exception group does not, if its members are present.
fn members(exceptions: &[Exception]) -> Vec<&Exception> {
    let is_parent = |exception: &&Exception| {
        let Some(mechanism) = &exception.mechanism else {
            return false;
        };
        let is_of = |other: &Exception| {
            let parent = other
                .mechanism
                .as_ref()
                .and_then(|mechanism| mechanism.parent_id);
            parent.is_some() && parent == mechanism.exception_id
        };
        mechanism.is_exception_group && exceptions.iter().any(is_of)
    };
    let members = exceptions.iter().filter(|exception| !is_parent(exception));
    members.collect()
}

/// Inputs of an exception: its frames, if they count and it has a stack trace, or else its value.
fn of_exception(exception: &Exception, frames: Option<Vec<String>>) -> Vec<Input> {
    let mechanism = exception.mechanism.as_ref();
    let is_synthetic = mechanism.is_some_and(|mechanism| mechanism.synthetic);
    let mut inputs = Vec::new();
    if let Some(kind) = exception.kind.as_deref().filter(|_| !is_synthetic) {
        inputs.push(input(InputKind::Type, kind));
    }
    if let Some(frames) = frames {
        inputs.extend(frames.into_iter().map(|text| input(InputKind::Frame, text)));
    } else {
        let value = exception.value.as_deref().map(normalised);
        inputs.extend(value.map(|value| input(InputKind::Value, value)));
    }
    inputs
}

fn of_frames(
    trace: &Stacktrace,
    platform: &str,
    which: FrameSelection,
) -> impl Iterator<Item = Input> + use<> {
    let texts = frames::texts(trace, platform, which).into_iter();
    texts.map(|text| input(InputKind::Frame, text))
}

/// Groups by the thread that crashed or created the event, or by the only one.
fn by_threads(report: &Report) -> Option<(Method, Vec<Input>)> {
    let is_told = report.threads.len() == 1
        || report
            .threads
            .iter()
            .any(|thread| thread.crashed || thread.current);
    let trace = report.main_stacktrace().filter(|_| is_told)?;
    for (method, which) in [
        (Method::ProgramFrames, FrameSelection::Program),
        (Method::AllFrames, FrameSelection::All),
    ] {
        let inputs: Vec<Input> = of_frames(trace, &report.platform, which).collect();
        if !inputs.is_empty() {
            return Some((method, inputs));
        }
    }
    None
}

fn by_policy(report: &Report) -> Option<(Method, Vec<Input>)> {
    let (rule, source) = report.policy()?;
    let rule = rule?;
    // The host of a URL is enough: each page has resources of its own.
    let source = url::Url::parse(source)
        .ok()
        .and_then(|address| address.host_str().map(str::to_owned))
        .unwrap_or_else(|| source.to_owned());
    Some((
        Method::Policy,
        vec![
            input(InputKind::Rule, rule),
            input(InputKind::Source, source),
        ],
    ))
}

fn by_message(report: &Report) -> Option<(Method, Vec<Input>)> {
    let message = report.message.as_ref()?;
    let text = message.template.as_ref().unwrap_or(&message.formatted);
    let text = normalised(text);
    (!text.is_empty()).then(|| (Method::Message, vec![input(InputKind::Message, text)]))
}

#[cfg(test)]
mod tests;
