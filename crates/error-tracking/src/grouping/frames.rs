//! Inputs of a grouping key from a stack trace.

use super::names;
use crate::event::{Frame, Stacktrace};

/// Longest source line that is used, in bytes.
/// A longer one was not written by a person.
const MAX_LINE_LENGTH: usize = 120;

/// Selection of the frames that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameSelection {
    /// The frames of the program itself.
    Program,
    /// All frames.
    All,
}

/// Frames of a stack trace as texts, in order.
/// Line numbers, columns and variables are left out, so that the key stays the same when the program changes in other
/// places; a frame that calls itself counts once.
pub(super) fn texts(trace: &Stacktrace, platform: &str, which: FrameSelection) -> Vec<String> {
    let counted = |frame: &&Frame| which == FrameSelection::All || frame.in_app == Some(true);
    let frames = trace.frames.iter().filter(counted);
    let texts = frames.filter_map(|frame| text(frame, platform));
    let mut texts: Vec<String> = texts.collect();
    texts.dedup();
    // A single script without a function says only which page was open.
    if let ([only], [frame]) = (texts.as_slice(), trace.frames.as_slice())
        && frame.function.is_none()
        && frame
            .abs_path
            .as_deref()
            .or(frame.filename.as_deref())
            .is_some_and(names::is_address)
        && !only.contains(" | ")
    {
        return Vec::new();
    }
    texts
}

fn text(frame: &Frame, platform: &str) -> Option<String> {
    let platform = frame.platform.as_deref().unwrap_or(platform);
    let module = frame
        .module
        .as_deref()
        .map(str::trim)
        .filter(|module| !module.is_empty());
    let place = module
        .map(|module| names::module(module, platform).into_owned())
        .or_else(|| {
            let file = frame.filename.as_deref().or(frame.abs_path.as_deref())?;
            names::file(file)
        });
    let function = frame.function.as_deref();
    let function = function.and_then(|function| names::function(function, platform));
    let line = frame
        .context_line
        .as_deref()
        .filter(|_| names::has_context_lines(platform))
        .and_then(line);
    if function.is_none() && line.is_none() && place.is_none() {
        return None;
    }
    let mut text = match (place, function) {
        (Some(place), Some(function)) => format!("{place}: {function}"),
        (Some(place), None) => place,
        (None, Some(function)) => function.into_owned(),
        (None, None) => String::new(),
    };
    if let Some(line) = line {
        text.push_str(" | ");
        text.push_str(&line);
    }
    Some(text)
}

/// Source line with single spaces; `None` if it is blank or too long.
fn line(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let is_line = !line.is_empty() && line.len() <= MAX_LINE_LENGTH;
    is_line.then_some(line)
}
