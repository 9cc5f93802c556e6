//! Events as programs report them: the stack of an error is the same each time, its context always differs.

use serde_json::{Value, json};

use crate::scatter::scatter;

/// Approximate size of an event without source lines and breadcrumbs, in bytes.
const BASE_BYTES: usize = 770;
/// Approximate size of a frame with its source lines, in bytes.
const FRAME_BYTES: usize = 1000;
/// Approximate size of a breadcrumb, in bytes.
const BREADCRUMB_BYTES: usize = 200;

/// Words in lines of code and messages.
const WORDS: [&str; 24] = [
    "order", "basket", "invoice", "customer", "payment", "session", "address", "voucher", "stock",
    "parcel", "tariff", "refund", "load", "store", "check", "merge", "price", "render", "notify",
    "reserve", "settle", "parse", "queue", "retry",
];

/// The event with this number, of one of the errors, whose JSON has about `bytes` bytes. It has no id: the server
/// assigns one.
pub(crate) fn event(number: i64, error: i64, bytes: usize) -> Value {
    let remaining = bytes.saturating_sub(BASE_BYTES);
    let frames = remaining * 2 / 3 / FRAME_BYTES;
    let breadcrumbs = remaining.saturating_sub(frames * FRAME_BYTES) / BREADCRUMB_BYTES;
    let mut trace: Vec<Value> = (0..frames)
        .map(|index| frame(error, index, number))
        .collect();
    trace.push(json!({
        "filename": format!("shop/{}.py", word(error, 1)), "function": function(error, frames),
        "module": format!("shop.{}", word(error, 1)), "lineno": error % 500 + 1, "in_app": true,
    }));
    let mixed = scatter(number);
    json!({
        "platform": "python",
        "level": pick(error, &["error", "warning", "fatal", "error"]),
        "environment": pick(number, &["production", "staging", "production", "testing"]),
        "release": format!("shop@1.{}.{}", mixed % 7, mixed % 3),
        "server_name": format!("web-{}", mixed % 40),
        "transaction": format!("/{}/{}", word(error, 2), word(error, 3)),
        "user": {"id": (mixed % 50_000).to_string(), "ip_address": format!("10.0.{}.{}", mixed % 200, mixed % 251)},
        "tags": {"tenant": format!("tenant-{}", mixed % 300), "zone": pick(number, &["a", "b", "c"])},
        "contexts": {
            "runtime": {"name": "CPython", "version": "3.12.4"},
            "trace": {"trace_id": format!("{mixed:016x}{:016x}", scatter(-number)), "span_id": format!("{:016x}", scatter(!number))},
        },
        "exception": {"values": [{
            "type": format!("{}Error{error}", word(error, 4)),
            "value": format!("{} {mixed} cannot be {}d: {} left of {}", word(error, 5), word(error, 6), mixed % 90, mixed % 977),
            "mechanism": {"type": "generic", "handled": false},
            "stacktrace": {"frames": trace},
        }]},
        "breadcrumbs": {"values": (0..breadcrumbs).map(|index| breadcrumb(number, index)).collect::<Vec<_>>()},
    })
}

/// An envelope with an event, as SDKs send it.
pub(crate) fn envelope(event: &Value) -> Vec<u8> {
    let event = event.to_string();
    let header = json!({ "type": "event", "length": event.len() });
    format!("{{\"sent_at\":\"2026-01-01T00:00:00Z\"}}\n{header}\n{event}\n").into_bytes()
}

fn frame(error: i64, index: usize, number: i64) -> Value {
    let of = error * 64 + i64::try_from(index).unwrap_or_default();
    let lines = |first: i64, count: i64| -> Vec<String> {
        (first..first + count)
            .map(|number| line(of, number))
            .collect()
    };
    let around = scatter(number ^ of);
    json!({
        "filename": format!("shop/{}/{}.py", word(of, 7), word(of, 8)),
        "abs_path": format!("/srv/shop/releases/current/shop/{}/{}.py", word(of, 7), word(of, 8)),
        "module": format!("shop.{}.{}", word(of, 7), word(of, 8)),
        "function": function(error, index),
        "lineno": scatter(of) % 900 + 6,
        "in_app": !scatter(of).is_multiple_of(3),
        "pre_context": lines(0, 5),
        "context_line": line(of, 5),
        "post_context": lines(6, 5),
        "vars": {"self": format!("<{} object at 0x{:012x}>", word(of, 9), around % (1 << 47)), "number": (around % 100_000).to_string()},
    })
}

fn breadcrumb(number: i64, index: usize) -> Value {
    let of = scatter(number.wrapping_mul(131) + i64::try_from(index).unwrap_or_default());
    let mixed = of.cast_signed();
    json!({
        "timestamp": format!("2026-01-01T00:{:02}:{:02}.{:03}Z", of % 60, (of >> 8) % 60, (of >> 16) % 1000),
        "type": "http", "category": word(mixed, 10), "level": "info",
        "message": format!("{} {} {} took {} ms", word(mixed, 11), word(mixed, 12), of % 1_000_000, of % 400),
        "data": {"status_code": 200, "url": format!("http://{}.example.com/{}/{}", word(mixed, 13), word(mixed, 14), of % 10_000)},
    })
}

/// A line of code, always the same for the same place.
fn line(of: i64, number: i64) -> String {
    let word = |which: i64| word(of, number * 8 + which);
    let indent = "    ".repeat(index(of + number, 3) + 1);
    format!(
        "{indent}{} = self.{}_{}({}, {}={})",
        word(0),
        word(1),
        word(2),
        word(3),
        word(4),
        scatter(of + number) % 64
    )
}

fn function(error: i64, index: usize) -> String {
    let of = error * 64 + i64::try_from(index).unwrap_or_default();
    format!("{}_{}_{error}", word(of, 15), word(of, 16))
}

fn word(of: i64, salt: i64) -> &'static str {
    pick(of.wrapping_mul(1009) + salt, &WORDS)
}

/// Picks a word, always the same for the same number.
fn pick(number: i64, words: &[&'static str]) -> &'static str {
    words.get(index(number, words.len())).unwrap_or(&"")
}

/// A number below `many`, always the same for the same input.
fn index(number: i64, many: usize) -> usize {
    let mixed = scatter(number) >> 16;
    usize::try_from(mixed).unwrap_or_default() % many
}
