//! Pushes as JSON, in the column `push_data`.

use ::events::{CommitRange, PushData, PushedRef, PushedRefs, RefAction, RefKind};
use serde_json::{Value, json};

/// Formats a push: the ref with its commits, or the number of refs of a bulk push.
pub(super) fn push_json(push: &PushData) -> String {
    let kind = push.ref_kind.as_str();
    let json = match &push.refs {
        PushedRefs::One(one) => json!({
            "kind": kind,
            "name": one.name,
            "before": one.commits.before(),
            "after": one.commits.after(),
            "commit_count": one.commit_count,
            "commit_title": one.commit_title,
        }),
        PushedRefs::Many { action, count } => json!({
            "kind": kind,
            "action": action.as_str(),
            "count": count,
        }),
    };
    json.to_string()
}

/// Parses a push; `None` if the text is none.
pub(super) fn read_push(text: &str) -> Option<PushData> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let number = |name: &str| -> Option<u32> { stored.get(name)?.as_u64()?.try_into().ok() };
    let refs = match stored.get("action") {
        Some(action) => PushedRefs::Many {
            action: RefAction::parse(action.as_str()?)?,
            count: number("count")?,
        },
        None => PushedRefs::One(PushedRef {
            name: stored.get("name")?.as_str()?.to_owned(),
            commits: CommitRange::new(
                optional_text(&stored, "before")?,
                optional_text(&stored, "after")?,
            )?,
            commit_count: number("commit_count")?,
            commit_title: optional_text(&stored, "commit_title")?,
        }),
    };
    Some(PushData {
        ref_kind: RefKind::parse(stored.get("kind")?.as_str()?)?,
        refs,
    })
}

/// Text that may be null; `None` if the value is missing or something else.
#[expect(
    clippy::option_option,
    reason = "a null is a value, and a missing member an error"
)]
fn optional_text(stored: &Value, name: &str) -> Option<Option<String>> {
    match stored.get(name)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows exist in these forms, so a new form needs code that still reads them.
    #[test]
    fn stored_forms_are_stable() {
        for text in [
            r#"{"after":"b","before":"a","commit_count":3,"commit_title":"Fix","kind":"branch","name":"main"}"#,
            r#"{"after":"b","before":null,"commit_count":0,"commit_title":null,"kind":"tag","name":"v1"}"#,
            r#"{"after":null,"before":"a","commit_count":0,"commit_title":null,"kind":"branch","name":"old"}"#,
            r#"{"action":"removed","count":5,"kind":"branch"}"#,
        ] {
            let push = read_push(text).expect(text);
            let again: Value = serde_json::from_str(&push_json(&push)).unwrap();
            assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn texts_that_contradict_themselves_are_rejected() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"kind":"branch"}"#,
            r#"{"kind":"note","action":"removed","count":5}"#,
            r#"{"kind":"branch","action":"opened","count":5}"#,
            r#"{"kind":"branch","action":"removed","count":-1}"#,
            r#"{"kind":"branch","name":"a","before":null,"after":null,"commit_count":0,"commit_title":null}"#,
            r#"{"kind":"branch","name":"a","before":"a","after":1,"commit_count":0,"commit_title":null}"#,
            r#"{"kind":"branch","name":"a","before":"a","after":"b","commit_count":0}"#,
        ] {
            assert_eq!(read_push(text), None, "{text}");
        }
    }
}
