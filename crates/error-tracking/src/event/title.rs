//! What people recognise an event by in a list.

use super::bounded::cut;
use super::model::{Exception, Frame, Report, Stacktrace};

/// The longest title, in characters.
const LONGEST: usize = 200;

impl Report {
    /// The exception that was thrown last: the one that an event is about.
    pub fn main_exception(&self) -> Option<&Exception> {
        self.exceptions.last()
    }

    /// The stack trace that shows where an event happened: of the exception that was thrown last and has one, else of the
    /// thread that ended the program or made the event, else of the only one.
    pub fn main_stacktrace(&self) -> Option<&Stacktrace> {
        let of_exception = self.exceptions.iter().rev();
        let mut of_exception = of_exception.filter_map(|exception| exception.stacktrace.as_ref());
        of_exception.next().or_else(|| {
            let threads = self.threads.iter();
            let threads = || threads.clone().filter(|thread| thread.stacktrace.is_some());
            let mut best = threads()
                .filter(|thread| thread.crashed)
                .chain(threads().filter(|thread| thread.current))
                .chain(threads());
            best.next()?.stacktrace.as_ref()
        })
    }

    /// What happened, in one line: the type of the exception and what it says, or the message.
    pub fn title(&self) -> String {
        let title = self
            .main_exception()
            .and_then(|exception| self.title_of(exception))
            .or_else(|| {
                let message = self.message.as_ref()?;
                first_line(&message.formatted).map(str::to_owned)
            })
            .or_else(|| self.title_of_policy())
            .or_else(|| {
                let frame = self.main_stacktrace()?.frames.last()?;
                frame.function.clone()
            });
        cut(
            &title.unwrap_or_else(|| "An event that says nothing".to_owned()),
            LONGEST,
        )
    }

    fn title_of(&self, exception: &Exception) -> Option<String> {
        let is_synthetic = exception
            .mechanism
            .as_ref()
            .is_some_and(|mechanism| mechanism.synthetic);
        let value = exception.value.as_deref().and_then(first_line);
        let kind = exception.kind.as_deref().filter(|_| !is_synthetic);
        // A type that was made up says nothing, but the place does.
        let place = || {
            let frames = &exception
                .stacktrace
                .as_ref()
                .or(self.main_stacktrace())?
                .frames;
            crash_frame(frames)?.function.as_deref()
        };
        match (kind.or_else(|| is_synthetic.then(place)?), value) {
            (Some(kind), Some(value)) => Some(format!("{kind}: {value}")),
            (Some(only), None) | (None, Some(only)) => Some(only.to_owned()),
            (None, None) => exception.kind.clone(),
        }
    }

    /// The rule that a browser enforced, if it names one, and what it refused.
    pub fn policy(&self) -> Option<(Option<&str>, &str)> {
        let report = self.policy_report.as_ref()?;
        let text = |names: [&str; 2]| {
            let mut found = names.iter().filter_map(|name| report.get(name)?.as_str());
            found.next().filter(|text| !text.is_empty())
        };
        let rule = text(["effective_directive", "effective-directive"])
            .or_else(|| text(["violated_directive", "violated-directive"]))
            .and_then(|rule| rule.split_whitespace().next());
        Some((
            rule,
            text(["blocked_uri", "blocked-uri"]).unwrap_or("inline"),
        ))
    }

    fn title_of_policy(&self) -> Option<String> {
        Some(match self.policy()? {
            (Some(rule), source) => format!("Blocked by {rule}: {source}"),
            (None, source) => format!("Blocked: {source}"),
        })
    }

    /// Where it happened, in one line: what the program was doing, else the function.
    pub fn culprit(&self) -> String {
        let place = || {
            let frame = crash_frame(&self.main_stacktrace()?.frames)?;
            let file = frame.module.as_deref().or(frame.filename.as_deref());
            match (file, frame.function.as_deref()) {
                (Some(file), Some(function)) => Some(format!("{function} ({file})")),
                (only, None) | (None, only) => only.map(str::to_owned),
            }
        };
        let culprit = self.transaction.clone().or_else(place);
        cut(&culprit.unwrap_or_default(), LONGEST)
    }

    /// The line where it happened: the file and the function of the last frame of the program itself.
    pub fn location(&self) -> Option<String> {
        let frame = crash_frame(&self.main_stacktrace()?.frames)?;
        let file = frame.filename.as_deref().or(frame.module.as_deref())?;
        let line = frame
            .lineno
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        Some(match &frame.function {
            Some(function) => format!("{file}{line} in {function}"),
            None => format!("{file}{line}"),
        })
    }
}

/// The frame where it happened: the last one of the program itself, else the last one.
fn crash_frame(frames: &[Frame]) -> Option<&Frame> {
    let mut own = frames
        .iter()
        .rev()
        .filter(|frame| frame.in_app == Some(true));
    own.next().or(frames.last())
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::testing::report;

    #[test]
    fn titles_say_what_happened() {
        for (value, expected) in [
            (
                json!({"exception": [{"type": "KeyError"}, {"type": "ValueError", "value": "\nbad\nmore"}]}),
                "ValueError: bad",
            ),
            (json!({"exception": {"type": "ValueError"}}), "ValueError"),
            (json!({"exception": {"value": "only text"}}), "only text"),
            (json!({"message": "a\nb"}), "a"),
            (
                json!({"csp": {"effective_directive": "img-src", "blocked_uri": "http://x.example"}}),
                "Blocked by img-src: http://x.example",
            ),
            (json!({}), "An event that says nothing"),
            (
                json!({"exception": {"type": "SIGSEGV", "mechanism": {"synthetic": true}, "stacktrace": {"frames": [{"function": "crash"}]}}}),
                "crash",
            ),
            (
                json!({"exception": {"type": "SIGSEGV", "mechanism": {"synthetic": true}}}),
                "SIGSEGV",
            ),
        ] {
            assert_eq!(report(value.clone()).title(), expected, "{value}");
        }
        let long = report(json!({"message": "x".repeat(500)})).title();
        assert_eq!(long.chars().count(), LONGEST);
    }

    #[test]
    fn culprits_say_where() {
        let frames = json!({"frames": [
            {"function": "main", "module": "shop", "filename": "shop.py", "lineno": 3, "in_app": true},
            {"function": "get", "filename": "lib/http.py", "in_app": false},
        ]});
        let with_frames = report(json!({"exception": {"type": "E", "stacktrace": frames}}));
        assert_eq!(with_frames.culprit(), "main (shop)");
        assert_eq!(with_frames.location().as_deref(), Some("shop.py:3 in main"));
        let doing = report(json!({"transaction": "/cart", "exception": {"type": "E"}}));
        assert_eq!(
            (doing.culprit(), doing.location()),
            ("/cart".to_owned(), None)
        );
        assert_eq!(report(json!({})).culprit(), "");
    }

    #[test]
    fn the_thread_that_ended_the_program_is_shown() {
        let frames = |name: &str| json!({"frames": [{"function": name}]});
        let threads = report(json!({"threads": [
            {"id": 1, "stacktrace": frames("idle")},
            {"id": 2, "crashed": true, "stacktrace": frames("crash")},
        ]}));
        assert_eq!(threads.title(), "crash");
    }
}
