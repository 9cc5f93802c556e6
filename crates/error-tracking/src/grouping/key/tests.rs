//! Grouping of events: which are together and which are not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::event::testing::report;

fn of(value: Value) -> Grouping {
    group(&report(value))
}

fn together(first: Value, second: Value) -> bool {
    let [first, second] = [of(first), of(second)];
    assert_eq!(
        first.key == second.key,
        first.explanation.inputs == second.explanation.inputs
    );
    first.key == second.key
}

fn frame(function: &str, line: u32, in_app: bool) -> Value {
    json!({"module": "shop", "filename": "shop.py", "function": function, "lineno": line, "in_app": in_app})
}

fn error(kind: &str, value: &str, frames: impl Into<Value>) -> Value {
    json!({"platform": "python", "exception": [{"type": kind, "value": value, "stacktrace": {"frames": frames.into()}}]})
}

#[test]
fn lines_values_and_libraries_are_ignored_if_program_frames_exist() {
    let first = error(
        "KeyError",
        "'a'",
        vec![frame("main", 3, true), frame("get", 9, false)],
    );
    let second = error(
        "KeyError",
        "'b'",
        vec![frame("main", 7, true), frame("fetch", 1, false)],
    );
    assert!(together(first.clone(), second));
    assert_eq!(of(first).explanation.method, Method::ProgramFrames);
}

#[test]
fn another_type_or_function_is_another_error() {
    let first = error("KeyError", "x", vec![frame("main", 3, true)]);
    assert!(!together(
        first.clone(),
        error("ValueError", "x", vec![frame("main", 3, true)])
    ));
    assert!(!together(
        first,
        error("KeyError", "x", vec![frame("other", 3, true)])
    ));
}

#[test]
fn two_lines_of_one_function_are_two_errors_where_the_source_is_known() {
    let with_line = |line: &str, number: u32| {
        let mut frame = frame("main", number, true);
        frame["context_line"] = json!(line);
        error("KeyError", "x", vec![frame])
    };
    assert!(together(
        with_line("  a = cart['id']", 3),
        with_line("a =  cart['id'] ", 9)
    ));
    assert!(!together(
        with_line("a = cart['id']", 3),
        with_line("b = cart['name']", 4)
    ));
}

#[test]
fn without_frames_of_the_program_all_count() {
    let first = error("KeyError", "x", vec![frame("get", 1, false)]);
    assert_eq!(of(first.clone()).explanation.method, Method::AllFrames);
    assert!(!together(
        first,
        error("KeyError", "x", vec![frame("fetch", 1, false)])
    ));
}

#[test]
fn a_recursion_counts_once() {
    let deep = |levels| error("RecursionError", "x", vec![frame("walk", 3, true); levels]);
    assert!(together(deep(2), deep(40)));
}

#[test]
fn without_frames_the_value_counts_but_not_its_numbers() {
    let of_user =
        |user: u32| json!({"exception": {"type": "NotFound", "value": format!("user {user}")}});
    assert!(together(of_user(7), of_user(8)));
    assert!(!together(
        of_user(7),
        json!({"exception": {"type": "NotFound", "value": "cart 7"}})
    ));
    assert_eq!(of(of_user(7)).explanation.method, Method::TypeAndValue);
}

#[test]
fn messages_are_grouped_by_template_and_not_by_parameters() {
    let of_name = |name: &str| json!({"logentry": {"message": "no cart for %s", "formatted": format!("no cart for {name}")}});
    assert!(together(of_name("jane"), of_name("joe")));
    assert_eq!(
        of(of_name("jane")).explanation.inputs[0].text,
        "no cart for %s"
    );
}

#[test]
fn a_custom_fingerprint_overrides_default_grouping() {
    let named = |parts: Value, kind: &str| json!({"fingerprint": parts, "exception": {"type": kind, "value": "x"}});
    assert!(together(
        named(json!(["db"]), "A"),
        named(json!(["db"]), "B")
    ));
    assert!(!together(
        named(json!(["db"]), "A"),
        named(json!(["web"]), "A")
    ));
    let with_default = json!(["{{ default }}", "db"]);
    assert!(!together(
        named(with_default.clone(), "A"),
        named(with_default, "B")
    ));
    let alone = |part: &str| named(json!([part]), "A");
    assert!(together(alone("{{ default }}"), alone("{{default}}")));
    assert!(together(
        alone("{{ default }}"),
        json!({"exception": {"type": "A", "value": "x"}})
    ));
    assert_eq!(
        of(named(json!(["db"]), "A")).explanation.method,
        Method::Fingerprint
    );
}

#[test]
fn parts_are_not_glued_together() {
    let named = |parts: Value| json!({"fingerprint": parts});
    assert!(!together(
        named(json!(["ab", "c"])),
        named(json!(["a", "bc"]))
    ));
    assert!(!together(named(json!(["a"])), json!({"message": "a"})));
}

#[test]
fn synthetic_exception_types_do_not_affect_grouping() {
    let synthetic = |kind: &str| {
        let mut event = error(kind, "x", vec![frame("main", 3, true)]);
        event["exception"][0]["mechanism"] = json!({"type": "onerror", "synthetic": true});
        event
    };
    assert!(together(synthetic("Error"), synthetic("SIGSEGV")));
}

#[test]
fn an_exception_group_is_grouped_by_its_members() {
    let group = |kinds: &[&str]| {
        let mut values: Vec<Value> = kinds
            .iter()
            .zip(1..)
            .map(|(kind, id)| json!({"type": kind, "value": "x", "mechanism": {"exception_id": id, "parent_id": 0}}))
            .collect();
        values.push(
            json!({"type": "ExceptionGroup", "value": format!("{} errors", kinds.len()),
            "mechanism": {"exception_id": 0, "is_exception_group": true}}),
        );
        json!({"exception": {"values": values}})
    };
    assert!(together(group(&["A", "B"]), group(&["A", "B", "A", "A"])));
    assert!(!together(group(&["A", "B"]), group(&["A", "C"])));
}

#[test]
fn reports_of_browsers_are_together_by_rule_and_host() {
    let report = |rule: &str, source: &str| json!({"csp": {"effective_directive": rule, "blocked_uri": source}});
    assert!(together(
        report("img-src", "https://x.example/1"),
        report("img-src", "https://x.example/2")
    ));
    assert!(!together(
        report("img-src", "https://x.example"),
        report("font-src", "https://x.example")
    ));
    assert!(!together(
        report("img-src", "https://x.example"),
        report("img-src", "https://y.example")
    ));
}

#[test]
fn events_without_content_are_grouped_together() {
    assert!(together(
        json!({}),
        json!({"tags": {"a": "b"}, "threads": [{"id": 1}, {"id": 2}]})
    ));
    assert_eq!(of(json!({})).explanation.method, Method::Nothing);
}

#[test]
fn an_explanation_reads_back() {
    let explanation = of(error("KeyError", "x", vec![frame("main", 3, true)])).explanation;
    let written = serde_json::to_string(&explanation).unwrap();
    assert_eq!(
        serde_json::from_str::<Explanation>(&written).unwrap(),
        explanation
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("type".to_owned()),
        Just("value".to_owned()),
        Just("values".to_owned()),
        Just("stacktrace".to_owned()),
        Just("frames".to_owned()),
        Just("function".to_owned()),
        Just("in_app".to_owned()),
        Just("mechanism".to_owned()),
        "[a-z]{1,8}",
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_event_has_one_key_and_is_kept_as_it_is_read(
        exception in any_json(), threads in any_json(), message in any_json(), fingerprint in any_json(), tags in any_json(),
    ) {
        let sent = json!({"exception": exception, "threads": threads, "message": message,
            "fingerprint": fingerprint, "tags": tags, "contexts": tags, "request": message, "user": threads});
        let first = report(sent.clone());
        prop_assert_eq!(group(&first), group(&report(sent)));
        let kept: Report = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
        prop_assert_eq!(group(&kept).key, group(&first).key);
        prop_assert_eq!(kept.title(), first.title());
    }
}
