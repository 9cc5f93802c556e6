//! Title, culprit and location, by which people recognise an event in a list.

use super::bounded::cut;
use super::model::{Exception, Frame, Report, Stacktrace};

/// The longest title, in characters.
const MAX_LENGTH: usize = 200;

impl Report {
    /// Exception that was thrown last: the one that an event is about.
    pub fn main_exception(&self) -> Option<&Exception> {
        self.exceptions.last()
    }

    /// Stack trace of the place where an event happened: of the last exception that has one, else of the thread that
    /// crashed or created the event, else of the first thread that has one.
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

    /// Title in one line: type and value of the exception, else the message, the violated policy, or the function.
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
            &title.unwrap_or_else(|| "Event without a message".to_owned()),
            MAX_LENGTH,
        )
    }

    fn title_of(&self, exception: &Exception) -> Option<String> {
        let is_synthetic = exception
            .mechanism
            .as_ref()
            .is_some_and(|mechanism| mechanism.synthetic);
        let value = exception.value.as_deref().and_then(first_line);
        let kind = exception.kind.as_deref();
        // An SDK reports a message that has a stack trace as an exception without a type.
        if let (None, Some(message)) = (kind, value) {
            return Some(message.to_owned());
        }
        let kind = kind.filter(|_| !is_synthetic);
        // A synthetic type says nothing, but the function does.
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

    /// Directive that a browser enforced, if the report names one, and the resource that it blocked.
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

    /// Culprit in one line: the transaction, else the function.
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
        cut(&culprit.unwrap_or_default(), MAX_LENGTH)
    }

    /// Location of the event: file, line and function of the last frame of the program itself.
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

/// Frame where an event happened: the last one of the program itself, else the last one.
/// Skips the SDK's own frames, which are on top when the program reports something itself.
fn crash_frame(frames: &[Frame]) -> Option<&Frame> {
    let others = || frames.iter().rev().filter(|frame| !is_of_sdk(frame));
    let mut own = others().filter(|frame| frame.in_app == Some(true));
    own.next().or_else(|| others().next()).or(frames.last())
}

/// True if a frame belongs to an SDK of the tracker.
fn is_of_sdk(frame: &Frame) -> bool {
    let begins = |text: &Option<String>, names: &[&str]| {
        let text = text.as_deref().unwrap_or_default();
        names.iter().any(|name| text.starts_with(name))
    };
    let has = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        SDK_FOLDERS.iter().any(|folder| text.contains(folder))
    };
    frame.module.as_deref() == Some("sentry_sdk")
        || begins(&frame.module, &SDK_MODULES)
        || begins(&frame.function, &SDK_FUNCTIONS)
        || begins(&frame.filename, &["sentry_sdk/"])
        || has(&frame.filename)
        || has(&frame.abs_path)
}

/// Prefixes of SDK modules: Node, Python, Java, .NET and Go.
const SDK_MODULES: [&str; 5] = [
    "@sentry",
    "sentry_sdk.",
    "io.sentry.",
    "Sentry.",
    "github.com/getsentry/sentry-go",
];

/// Prefixes of SDK functions whose frames have no module: PHP and Rust.
const SDK_FUNCTIONS: [&str; 5] = [
    "Sentry\\",
    "sentry::",
    "sentry_core::",
    "sentry_backtrace::",
    "sentry_panic::",
];

/// Folders of SDK packages.
const SDK_FOLDERS: [&str; 5] = [
    "node_modules/@sentry/",
    "node_modules/@sentry-internal/",
    "/sentry_sdk/",
    "/vendor/sentry/",
    "/gems/sentry-",
];

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::testing::report;

    #[test]
    fn titles_describe_the_event() {
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
            (json!({}), "Event without a message"),
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
        assert_eq!(long.chars().count(), MAX_LENGTH);
    }

    #[test]
    fn a_message_with_a_stack_trace_is_the_title() {
        // This is what captureMessage of the Node SDK sends with attachStacktrace.
        let sent = report(json!({
            "message": "stock is low",
            "exception": {"values": [{
                "value": "stock is low",
                "mechanism": {"type": "generic", "handled": true, "synthetic": true},
                "stacktrace": {"frames": [
                    {"function": "restock", "module": "shop", "filename": "/app/shop.js", "lineno": 4, "in_app": true},
                    {"function": "captureMessage", "module": "@sentry.core.build.cjs:exports",
                     "filename": "/app/node_modules/@sentry/core/build/cjs/exports.js", "in_app": false},
                ]},
            }]},
        }));
        assert_eq!(sent.title(), "stock is low");
        assert_eq!(sent.culprit(), "restock (shop)");
        assert_eq!(
            sent.location().as_deref(),
            Some("/app/shop.js:4 in restock")
        );
    }

    #[test]
    fn frames_of_an_sdk_are_not_where_it_happened() {
        for sdk in [
            json!({"function": "f", "module": "sentry_sdk.api", "filename": "sentry_sdk/api.py"}),
            json!({"function": "f", "filename": "/x/node_modules/@sentry/node/index.js", "in_app": true}),
            json!({"function": "f", "abs_path": "/x/node_modules/@sentry-internal/a/b.js"}),
            json!({"function": "f", "module": "@sentry.node:sdk"}),
            json!({"function": "f", "module": "io.sentry.Hub"}),
            json!({"function": "Sentry\\captureMessage", "filename": "/vendor/sentry/sentry/src/functions.php"}),
            json!({"function": "sentry_core::hub::Hub::capture_message"}),
            json!({"function": "f", "filename": "/x/gems/sentry-ruby-5.0/lib/sentry.rb"}),
        ] {
            let frames = json!({"frames": [{"function": "main", "module": "shop"}, sdk]});
            let sent = report(json!({"exception": {"type": "E", "stacktrace": frames}}));
            assert_eq!(sent.culprit(), "main (shop)", "{sdk}");
            let alone = json!({"frames": [sdk]});
            let sent = report(json!({"exception": {"type": "E", "stacktrace": alone}}));
            assert!(!sent.culprit().is_empty(), "{sdk}");
        }
        let frames = json!({"frames": [{"function": "main", "module": "sentry_importer"}]});
        let named = json!({"frames": [{"function": "run", "module": "lib"}, frames["frames"][0]]});
        let sent = report(json!({"exception": {"type": "E", "stacktrace": named}}));
        assert_eq!(sent.culprit(), "main (sentry_importer)");
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
