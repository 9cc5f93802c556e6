//! Access logs: Common and Combined Log Format (Apache HTTP Server, `mod_log_config`), and one JSON object a line.

use api_conventions::params::Params;
use serde_json::Value;

use super::call::{RecordedCall, RecordedResponse, fields, has_body, method, pairs, query_of};
use super::checker::CallChecker;
use super::line::LineFields;

/// Maximum length of a line that is read, in bytes. Servers refuse requests long before that.
const MAX_LINE: usize = 1 << 20;

/// A call, as described by a log line.
pub(super) struct LogCall<'l> {
    pub(super) method: &'l str,
    pub(super) target: &'l str,
    /// Parameters given separately from the target.
    pub(super) query: LogQuery,
    pub(super) status: Option<u16>,
}

/// A query given separately from the target.
pub(super) enum LogQuery {
    /// The target is everything that was sent, including the query if there was one.
    InTarget,
    /// The query as it was sent.
    Text(String),
    /// Names and values of the query and, with some programs, of the body.
    Pairs(Vec<(String, String)>),
    /// The target is a path alone, and the line has no query.
    NotShown,
}

/// Checks all lines, one at a time.
pub(super) fn read(text: &str, checker: &mut CallChecker<'_, '_>) {
    for (position, line) in (1..).zip(text.lines()) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if line.len() > MAX_LINE || !take(line, position, checker) {
            checker.findings.add_unread(position);
        }
    }
}

/// Checks a line; `false` if it is not a call.
fn take(line: &str, position: u64, checker: &mut CallChecker<'_, '_>) -> bool {
    if !line.starts_with('{') {
        return plain(line).is_some_and(|entry| call(&entry, position, checker));
    }
    let Ok(object) = serde_json::from_str::<Value>(line) else {
        return false;
    };
    let fields = LineFields::of(&object);
    let own = fields.entry();
    // Programs that collect the output of others wrap their lines.
    let wrapped = || {
        let inner = fields.text(&["log", "message", "msg", "line"])?;
        plain(inner.trim_ascii())
    };
    let entry = own.or_else(wrapped);
    entry.is_some_and(|entry| call(&entry, position, checker))
}

fn call(entry: &LogCall<'_>, position: u64, checker: &mut CallChecker<'_, '_>) -> bool {
    let Some(method) = method(entry.method) else {
        return false;
    };
    let in_target = query_of(entry.target).map(pairs).unwrap_or_default();
    let beside = match &entry.query {
        LogQuery::Text(text) => pairs(text.strip_prefix('?').unwrap_or(text)),
        LogQuery::Pairs(found) => fields(found),
        LogQuery::InTarget | LogQuery::NotShown => Params::default(),
    };
    let is_path_alone =
        matches!(entry.query, LogQuery::NotShown) && query_of(entry.target).is_none();
    let has_answer = method != "HEAD" && !matches!(entry.status, Some(204 | 304 | 400..));
    checker.call(&RecordedCall {
        target: entry.target,
        parameters: in_target.merged(beside),
        shows_parameters: !has_body(&method) && !is_path_alone,
        body: None,
        response: if has_answer {
            RecordedResponse::Hidden
        } else {
            RecordedResponse::Nothing
        },
        method,
        position,
    });
    true
}

/// Parses a line in Common or Combined Log Format: the request is in quotes after the time, followed by the status.
fn plain(line: &str) -> Option<LogCall<'_>> {
    let after_time = line.find("] \"").map(|at| at + 2);
    let start = after_time.or_else(|| line.find('"'))? + 1;
    let rest = line.get(start..)?;
    let (request, rest) = rest.split_at_checked(end_of_text(rest)?)?;
    let mut entry = request_line(request)?;
    let status = rest.get(1..)?.split_ascii_whitespace().next();
    entry.status = status.and_then(|status| status.parse().ok());
    Some(entry)
}

/// Parses a request line (RFC 9112, section 3), such as `GET /a?b=c HTTP/1.1`; the version may be missing.
pub(super) fn request_line(line: &str) -> Option<LogCall<'_>> {
    let (method, rest) = line.split_once(' ')?;
    let target = match rest.rsplit_once(' ') {
        Some((target, version)) if version.starts_with("HTTP/") => target,
        _ => rest,
    };
    let is_address = target.starts_with('/') || target.contains("://");
    is_address.then_some(LogCall {
        method,
        target,
        query: LogQuery::InTarget,
        status: None,
    })
}

/// Position of the quote that ends a text, skipping escaped ones.
fn end_of_text(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}
