//! Stack traces for display.

use std::fmt::Write as _;

use error_tracking::event::{Exception, Frame, Report, Stacktrace};
use serde_json::{Map, Value};

use super::event::{EventField, clamped, fields};
use crate::frame::page::format::counted;

/// Variables of a frame that are shown.
const MAX_VARIABLES: usize = 20;
/// Maximum length of a trace as text, in characters.
const MAX_TRACE_TEXT: usize = 12_000;

/// Order in which the calls of a trace are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallOrder {
    /// Most recent call first.
    NewestFirst,
    /// Most recent call last.
    OldestFirst,
}

/// Stack trace of an exception or a thread.
pub(super) struct TraceView {
    /// Relation to the trace above, such as "Caused by".
    pub(super) join: &'static str,
    /// Type of the exception, or name of the thread.
    pub(super) kind: String,
    /// Message of the exception.
    pub(super) value: String,
    /// Marks, such as "Unhandled".
    pub(super) marks: Vec<String>,
    /// Calls of the trace, in runs.
    pub(super) runs: Vec<CallRun>,
    /// Plain text of the trace, for copying.
    pub(super) text: String,
}

/// Consecutive calls, either of the program itself or of libraries.
pub(super) struct CallRun {
    /// Label of a folded run; empty for the program's own calls, which are expanded.
    pub(super) folded: String,
    pub(super) calls: Vec<CallView>,
}

/// A call.
pub(super) struct CallView {
    pub(super) place: String,
    pub(super) function: String,
    pub(super) lines: Vec<SourceLine>,
    pub(super) variables: Vec<EventField>,
}

/// A line of source code.
pub(super) struct SourceLine {
    pub(super) number: String,
    pub(super) text: String,
    /// True for the line of the call.
    pub(super) is_current: bool,
}

/// Traces of an event: its exceptions, the last one raised first, or its threads if it has no exception.
pub(super) fn traces(report: &Report, order: CallOrder) -> Vec<TraceView> {
    let is_python = report.platform == "python";
    let exceptions = report.exceptions.iter().rev().enumerate();
    let mut all: Vec<TraceView> = exceptions
        .map(|(place, one)| of_exception(one, place > 0, order, is_python))
        .collect();
    if all.is_empty() {
        for thread in &report.threads {
            let Some(trace) = &thread.stacktrace else {
                continue;
            };
            let name = thread.name.as_deref().or(thread.id.as_deref());
            let crashed = thread.crashed.then(|| "Crashed".to_owned());
            all.push(TraceView {
                join: "",
                kind: format!("Thread {}", name.unwrap_or_default()),
                value: String::new(),
                marks: crashed.into_iter().collect(),
                runs: runs(trace, order),
                text: text("", "", &trace.frames, is_python),
            });
        }
    }
    all
}

fn of_exception(one: &Exception, is_cause: bool, order: CallOrder, is_python: bool) -> TraceView {
    let kind = one.kind.clone().unwrap_or_default();
    let value = one.value.clone().unwrap_or_default();
    let none = Stacktrace::default();
    let trace = one.stacktrace.as_ref().unwrap_or(&none);
    let mechanism = one.mechanism.as_ref();
    let unhandled =
        mechanism.and_then(|how| (how.handled == Some(false)).then(|| "Unhandled".to_owned()));
    let how = mechanism.and_then(|how| how.kind.clone());
    TraceView {
        join: if is_cause { "Caused by" } else { "" },
        marks: unhandled.into_iter().chain(how).collect(),
        runs: runs(trace, order),
        text: text(&kind, &value, &trace.frames, is_python),
        kind,
        value: clamped(&value, 4_000),
    }
}

/// Splits the calls into runs: the program's own calls are expanded, the others folded.
/// If no call is known to be the program's own, all are expanded.
fn runs(trace: &Stacktrace, order: CallOrder) -> Vec<CallRun> {
    let knows_own = trace.frames.iter().any(|frame| frame.in_app == Some(true));
    let is_open = |frame: &Frame| !knows_own || frame.in_app == Some(true);
    let mut frames: Vec<&Frame> = trace.frames.iter().collect();
    if order == CallOrder::NewestFirst {
        frames.reverse();
    }
    let chunks = frames.chunk_by(|one, other| is_open(one) == is_open(other));
    chunks
        .map(|chunk| {
            let number = chunk.len() as u64;
            let is_folded = chunk.first().is_some_and(|frame| !is_open(frame));
            let many = counted(number, "library frame", "library frames");
            CallRun {
                folded: if is_folded { many } else { String::new() },
                calls: chunk.iter().copied().map(call).collect(),
            }
        })
        .collect()
}

fn call(frame: &Frame) -> CallView {
    let numbered = |text: &String, number: Option<u32>, is_current| SourceLine {
        number: number.map(|number| number.to_string()).unwrap_or_default(),
        text: clamped(text, 300),
        is_current,
    };
    let before = frame.pre_context.len();
    let away = |steps: usize, is_before: bool| {
        let steps = u32::try_from(steps).ok()?;
        let line = frame.lineno?;
        if is_before {
            line.checked_sub(steps)
        } else {
            line.checked_add(steps)
        }
    };
    let mut lines = Vec::new();
    if let Some(current) = &frame.context_line {
        let pre = frame.pre_context.iter().enumerate();
        lines.extend(pre.map(|(at, text)| numbered(text, away(before - at, true), false)));
        lines.push(numbered(current, frame.lineno, true));
        let post = frame.post_context.iter().enumerate();
        lines.extend(post.map(|(at, text)| numbered(text, away(at + 1, false), false)));
    }
    CallView {
        place: place(frame),
        function: frame.function.clone().unwrap_or_else(|| "?".to_owned()),
        lines,
        variables: variables(&frame.vars),
    }
}

fn variables(all: &Map<String, Value>) -> Vec<EventField> {
    fields(all).into_iter().take(MAX_VARIABLES).collect()
}

/// Location of a call: the file with its line and column.
fn place(frame: &Frame) -> String {
    let file = frame.filename.as_deref().or(frame.module.as_deref());
    let file = file
        .or(frame.package.as_deref())
        .or(frame.instruction_addr.as_deref());
    let mut place = file.unwrap_or("unknown file").to_owned();
    for number in [frame.lineno, frame.colno].into_iter().flatten() {
        let _ = write!(place, ":{number}");
    }
    place
}

/// Formats a trace as its language prints it.
fn text(kind: &str, value: &str, frames: &[Frame], is_python: bool) -> String {
    let mut text = String::new();
    let head = format!("{kind}: {value}");
    if is_python {
        text.push_str("Traceback (most recent call last):\n");
        for frame in frames {
            let (file, function) = (frame.filename.as_deref(), frame.function.as_deref());
            let line = frame.lineno.unwrap_or_default();
            let _ = writeln!(
                text,
                "  File \"{}\", line {line}, in {}",
                file.unwrap_or("?"),
                function.unwrap_or("?")
            );
            if let Some(source) = &frame.context_line {
                let _ = writeln!(text, "    {}", source.trim());
            }
        }
        text.push_str(&head);
    } else {
        text.push_str(&head);
        for frame in frames.iter().rev() {
            let function = frame.function.as_deref().unwrap_or("?");
            let _ = write!(text, "\n    at {function} ({})", place(frame));
        }
    }
    clamped(&text, MAX_TRACE_TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, line: u32, is_own: Option<bool>) -> Frame {
        Frame {
            filename: Some("shop.py".to_owned()),
            function: Some(function.to_owned()),
            lineno: Some(line),
            in_app: is_own,
            pre_context: vec!["before".to_owned()],
            context_line: Some(" here".to_owned()),
            ..Frame::default()
        }
    }

    fn names(runs: &[CallRun]) -> Vec<(usize, bool)> {
        let named = |run: &CallRun| (run.calls.len(), !run.folded.is_empty());
        runs.iter().map(named).collect()
    }

    #[test]
    fn calls_of_libraries_are_folded_where_the_programs_are_known() {
        let mut trace = Stacktrace {
            frames: vec![
                frame("main", 1, Some(true)),
                frame("handle", 2, Some(false)),
                frame("wrap", 3, None),
                frame("pay", 4, Some(true)),
            ],
            ..Stacktrace::default()
        };
        let newest = runs(&trace, CallOrder::NewestFirst);
        assert_eq!(names(&newest), [(1, false), (2, true), (1, false)]);
        assert_eq!(newest[0].calls[0].function, "pay");
        assert_eq!(newest[1].folded, "2 library frames");
        let oldest = runs(&trace, CallOrder::OldestFirst);
        assert_eq!(oldest[0].calls[0].function, "main");
        for frame in &mut trace.frames {
            frame.in_app = None;
        }
        assert_eq!(names(&runs(&trace, CallOrder::NewestFirst)), [(4, false)]);
    }

    #[test]
    fn lines_have_their_numbers() {
        let call = call(&frame("pay", 7, None));
        let numbers: Vec<(&str, bool)> = call
            .lines
            .iter()
            .map(|line| (line.number.as_str(), line.is_current))
            .collect();
        assert_eq!(numbers, [("6", false), ("7", true)]);
        assert_eq!(call.place, "shop.py:7");
    }

    #[test]
    fn a_trace_is_text_as_its_language_writes_it() {
        let frames = [frame("main", 1, None), frame("pay", 4, None)];
        assert_eq!(
            text("KeyError", "'a'", &frames, true),
            "Traceback (most recent call last):\n  File \"shop.py\", line 1, in main\n    here\n  File \"shop.py\", line 4, in pay\n    here\nKeyError: 'a'"
        );
        assert_eq!(
            text("Error", "a", &frames, false),
            "Error: a\n    at pay (shop.py:4)\n    at main (shop.py:1)"
        );
    }
}
