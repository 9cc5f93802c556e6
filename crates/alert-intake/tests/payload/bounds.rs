//! Truncation of texts to their bounds, which count characters and not bytes. Long texts are never refused.

use alert_intake::model::Source;
use alert_intake::payload::parse;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{context, delivery, generic, item, webhook};

/// Fields with a bound of their own, and the bound.
const BOUNDED: [(&str, usize); 5] = [
    ("title", 200),
    ("description", 1000),
    ("service", 100),
    ("monitoring_tool", 100),
    ("service_environment_name", 255),
];

/// Characters of one to four bytes, and a combining one.
const CHARACTERS: [char; 5] = ['a', 'é', '€', '😀', '\u{301}'];

fn field(name: &str, text: &str) -> String {
    let alert = generic(&json!({ name: text }).to_string());
    match name {
        "title" => alert.title,
        "description" => alert.description,
        "service" => alert.service,
        "monitoring_tool" => alert.monitoring_tool,
        _ => alert.environment_name.unwrap(),
    }
}

#[test]
fn a_text_as_long_as_its_bound_is_whole() {
    for (name, bound) in BOUNDED {
        for character in CHARACTERS {
            let text = character.to_string().repeat(bound);
            assert_eq!(field(name, &text), text, "{name} {character:?}");
        }
    }
}

#[test]
fn truncated_texts_fit_the_limit_including_the_dots() {
    for (name, bound) in BOUNDED {
        for character in CHARACTERS {
            let text = character.to_string().repeat(bound + 1);
            let expected = format!("{}...", character.to_string().repeat(bound - 3));
            assert_eq!(field(name, &text), expected, "{name} {character:?}");
        }
    }
}

#[test]
fn the_cut_falls_between_characters_of_any_width() {
    let text = format!("{}😀e\u{301}€{}", "a".repeat(195), "b".repeat(10));
    let expected = format!("{}😀e...", "a".repeat(195));
    assert_eq!(field("title", &text), expected);
}

#[test]
fn blanks_around_a_text_do_not_count() {
    let text = format!("  {}  ", "a".repeat(200));
    assert_eq!(field("title", &text), "a".repeat(200));
}

#[test]
fn a_text_of_a_megabyte_is_cut_like_any_other() {
    assert_eq!(
        field("description", &"é".repeat(500_000)).chars().count(),
        1000
    );
}

#[test]
fn hosts_share_their_characters_and_the_last_one_is_cut_without_dots() {
    let cases: [(Value, Vec<String>); 5] = [
        (json!("😀".repeat(255)), vec!["😀".repeat(255)]),
        (json!("😀".repeat(256)), vec!["😀".repeat(255)]),
        (
            json!(["é".repeat(254), "ab", "c"]),
            vec!["é".repeat(254), "a".to_owned()],
        ),
        (json!(["a".repeat(255), "b"]), vec!["a".repeat(255)]),
        (
            json!([["a".repeat(100), "b".repeat(100)], "c".repeat(56)]),
            vec!["a".repeat(100), "b".repeat(100), "c".repeat(55)],
        ),
    ];
    for (hosts, expected) in cases {
        assert_eq!(
            generic(&json!({ "hosts": hosts }).to_string()).hosts,
            expected
        );
    }
}

#[test]
fn the_texts_of_an_item_have_the_same_bounds() {
    let alert = item(&json!({
        "annotations": {"title": "é".repeat(201), "description": "é".repeat(1001)},
        "labels": {"service_environment_name": "é".repeat(256)},
    }));
    assert_eq!(alert.title, format!("{}...", "é".repeat(197)));
    assert_eq!(alert.description, format!("{}...", "é".repeat(997)));
    assert_eq!(
        alert.environment_name,
        Some(format!("{}...", "é".repeat(252)))
    );
}

#[test]
fn group_keys_and_user_agents_are_truncated_too() {
    let mut body = webhook(&json!([]));
    body["groupKey"] = json!("é".repeat(1001));
    let key = delivery(&body.to_string(), Source::Metrics)
        .context
        .group_key;
    assert_eq!(key, Some(format!("{}...", "é".repeat(997))));
    let mut context = context();
    context.user_agent = Some("é".repeat(201));
    let agent = parse(b"{}", Source::Generic, &context)
        .unwrap()
        .context
        .user_agent;
    assert_eq!(agent, Some(format!("{}...", "é".repeat(197))));
}

#[test]
fn a_text_that_is_cut_does_not_change_who_the_alert_is() {
    let long = |end: &str| format!("{}{end}", "a".repeat(300));
    let [first, second] = ["x", "y"].map(|end| generic(&json!({"title": long(end)}).to_string()));
    assert_eq!(first.title, second.title);
    assert_ne!(first.identity, second.identity);
}

proptest! {
    #[test]
    fn no_field_ever_exceeds_its_bound(title in "\\PC{0,260}", hosts in proptest::collection::vec("\\PC{0,120}", 0..6)) {
        let alert = generic(&json!({"title": title, "service": title, "hosts": hosts}).to_string());
        prop_assert!(alert.title.chars().count() <= 200 && !alert.title.is_empty());
        prop_assert!(alert.service.chars().count() <= 100);
        let total: usize = alert.hosts.iter().map(|host| host.chars().count()).sum();
        prop_assert!(total <= 255 && alert.hosts.iter().all(|host| !host.is_empty()));
    }
}
