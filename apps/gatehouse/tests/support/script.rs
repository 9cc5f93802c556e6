//! Requests and their expected responses as a script.

use serde_json::Value;

use super::TestCaller;

/// Plays a script: a line with a request, as `METHOD PATH BODY`, and a line with its response, as `STATUS BODY`. Paths
/// are below `base`, which is `.` itself; a body may be missing, `"*"` in that of a response is any value, and an
/// object with a field `...` may have others. Empty lines are skipped.
///
/// # Panics
/// If a response differs, or a line cannot be read.
#[track_caller]
pub(crate) fn play(caller: &TestCaller, base: &str, script: &str) {
    let caller = caller.clone().with("Content-Type", "application/json");
    let lines: Vec<&str> = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    for pair in lines.chunks(2) {
        let [request, expected] = pair else {
            panic!("{pair:?} has no answer")
        };
        let mut words = request.splitn(3, ' ');
        let method = words.next().unwrap();
        let path = words.next().filter(|path| *path != ".");
        let path = format!("{base}{}", path.unwrap_or_default());
        let body = words.next().unwrap_or_default();
        let answer = caller.send(method, &path, body.as_bytes());
        let (status, body) = expected.split_once(' ').unwrap_or((expected, ""));
        assert_eq!(answer.status.to_string(), status, "{request}: {answer:?}");
        if !body.is_empty() {
            let found = answer.json();
            let expected: Value = body.parse().unwrap();
            assert!(
                matches(&found, &expected),
                "{request}\n found {found}\nwanted {expected}"
            );
        }
    }
}

/// True if a value equals the expected one, in which `"*"` is any value. An object with a field `...` may have others,
/// too.
fn matches(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (_, Value::String(any)) if any == "*" => true,
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(expected)
                    .all(|(one, other)| matches(one, other))
        }
        (Value::Object(found), Value::Object(expected)) if expected.contains_key("...") => {
            let mut named = expected.iter().filter(|(name, _)| *name != "...");
            named.all(|(name, value)| found.get(name).is_some_and(|one| matches(one, value)))
        }
        (Value::Object(found), Value::Object(expected)) => {
            let is_expected = |(name, value)| {
                expected
                    .get(name)
                    .is_some_and(|other| matches(value, other))
            };
            found.len() == expected.len() && found.iter().all(is_expected)
        }
        _ => found == expected,
    }
}
