//! A client of streams of the feed.

use std::io::{BufRead as _, BufReader};

use serde_json::Value;

use super::TestCaller;

/// An open stream.
pub(crate) struct FeedStream {
    lines: BufReader<ureq::BodyReader<'static>>,
    /// Id that a client sends when it reconnects.
    pub(crate) last_id: Option<i64>,
    /// Reason for the end.
    pub(crate) end: Option<String>,
}

impl FeedStream {
    /// Opens a stream. Returns once it has begun, so that it has every event from then on.
    pub(crate) fn open(caller: &TestCaller, path: &str) -> Self {
        let response = caller.open(path);
        assert_eq!(response.status(), 200);
        for (name, value) in [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache"),
        ] {
            assert_eq!(response.headers()[name], value);
        }
        let mut stream = Self {
            lines: BufReader::new(response.into_body().into_reader()),
            last_id: None,
            end: None,
        };
        assert_eq!(stream.line().as_deref(), Some("retry: 3000"));
        assert_eq!(stream.line().as_deref(), Some(""));
        let position = stream.line().unwrap();
        stream.last_id = position.strip_prefix("id: ").map(|id| id.parse().unwrap());
        assert!(stream.last_id.is_some(), "{position}");
        stream
    }

    /// The event of the next message; `None` at the end of the stream.
    pub(crate) fn next_event(&mut self) -> Option<Value> {
        let mut event = None;
        while let Some(line) = self.line() {
            if let Some(id) = line.strip_prefix("id: ") {
                self.last_id = Some(id.parse().unwrap());
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data: Value = serde_json::from_str(data).unwrap();
                assert_eq!(data["id"].as_i64(), self.last_id);
                event = Some(data);
            } else if let Some(reason) = line.strip_prefix(": end: ") {
                self.end = Some(reason.to_owned());
            } else if event.is_some() && line.is_empty() {
                return event;
            }
        }
        None
    }

    /// The events up to the end of the stream.
    pub(crate) fn remaining(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.next_event()).collect()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = self.lines.read_line(&mut line).unwrap_or_default();
        (length > 0).then(|| line.trim_end_matches('\n').to_owned())
    }
}
