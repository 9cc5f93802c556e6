//! The JSON of records and releases.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use deprecations::wire::{RecordJson, ReleaseJson};
use deprecations::{Edition, Schedule};
use serde_json::{Value, json};

const BASE: &str = "https://h.example/";

fn schedule() -> Schedule {
    let files = [
        (
            "15-9-lamp",
            r#"
            title = "Lamps"
            area = "Lamps"
            kind = "field"
            announced = "15.9"
            end_of_support = "15.10"
            removal = "16.0"
            breaking = true
            replacement = "`b`"
            body = "Read `b`."
            enforcement = "announced"
            reason = "There are no lamps."
            edited = "2023-02-22"
            touches = [
                { endpoints = ["GET /api/v4/lamps"], field = "a.b" },
                { endpoints = ["PUT /api/v4/lamps"], parameter = "c", null = true },
                { endpoints = ["PUT /api/v4/lamps"], parameter = "c", value = "d" },
                { endpoints = ["POST /api/v4/lamps"] },
                { graphql = "Lamp.a" },
                { pages = ["lamps"] },
                { behaviour = "dim" },
            ]
            "#,
        ),
        (
            "15-9-shade",
            r#"
            title = "Shades"
            area = "Lamps"
            kind = "parameter"
            introduced = "15.9"
            body = "Use it."
            enforcement = "enforced"
            edited = "2023-02-22"
            touches = [{ endpoints = ["GET /api/v4/lamps"], parameter = "shade" }]
            "#,
        ),
        (
            "15-9-undated",
            r#"
            title = "Undated"
            area = "Lamps"
            kind = "behaviour"
            announced = "15.8"
            removal = "undated"
            body = "Wait."
            enforcement = "announced"
            reason = "There is nothing to wait for."
            edited = "2023-02-22"
            touches = [{ behaviour = "wait" }]
            "#,
        ),
    ];
    Schedule::parse(files).unwrap()
}

fn at(name: &str) -> Edition {
    Edition::of(name.parse().unwrap())
}

fn ids(list: &Value) -> Vec<&str> {
    let records = list.as_array().unwrap().iter();
    records
        .map(|record| record["id"].as_str().unwrap())
        .collect()
}

#[test]
fn record_json_reflects_the_edition() {
    let schedule = schedule();
    let record = schedule.find("15-9-lamp").unwrap();
    let answered = serde_json::to_value(RecordJson::new(record, at("15.11"), BASE)).unwrap();
    let expected = json!({
        "id": "15-9-lamp",
        "title": "Lamps",
        "area": "Lamps",
        "kind": "field",
        "announced": "15.9",
        "announced_on": "2023-02-22",
        "removal": "16.0",
        "removal_on": "2023-05-22",
        "end_of_support": "15.10",
        "breaking": true,
        "replacement": "`b`",
        "body": "Read `b`.",
        "status": "deprecated",
        "enforcement": "announced",
        "touches": [
            { "endpoint": "GET /api/v4/lamps", "field": "a.b" },
            { "endpoint": "PUT /api/v4/lamps", "parameter": "c", "value": null },
            { "endpoint": "PUT /api/v4/lamps", "parameter": "c", "value": "d" },
            { "endpoint": "POST /api/v4/lamps" },
            { "graphql": "Lamp.a" },
            { "pages": ["lamps"] },
            { "behaviour": "dim" },
        ],
        "introduced": null,
        "web_url": "https://h.example/-/deprecations/15-9-lamp",
    });
    assert_eq!(answered, expected);

    let later = serde_json::to_value(RecordJson::new(record, at("16.0"), BASE)).unwrap();
    assert_eq!(later["status"], "removed");
}

#[test]
fn introduced_records_have_no_removal() {
    let schedule = schedule();
    let record = schedule.find("15-9-shade").unwrap();
    let answered = serde_json::to_value(RecordJson::new(record, at("15.8"), BASE)).unwrap();
    assert_eq!(answered["introduced"], "15.9");
    assert_eq!(answered["announced_on"], "2023-02-22");
    assert_eq!(answered["status"], "absent");
    for name in [
        "announced",
        "removal",
        "removal_on",
        "end_of_support",
        "replacement",
    ] {
        assert_eq!(answered[name], Value::Null, "{name}");
    }
}

#[test]
fn release_json_lists_its_changes_and_pending_removals() {
    let schedule = schedule();
    let release = |name| serde_json::to_value(ReleaseJson::new(&schedule, at(name), BASE)).unwrap();
    let announcing = release("15.9");
    assert_eq!(announcing["release"], "15.9");
    assert_eq!(announcing["released_on"], "2023-02-22");
    assert_eq!(ids(&announcing["announced"]), ["15-9-lamp"]);
    assert_eq!(ids(&announcing["introduced"]), ["15-9-shade"]);
    assert_eq!(
        ids(&announcing["deprecated"]),
        ["15-9-lamp", "15-9-undated"]
    );
    assert!(ids(&announcing["removed"]).is_empty());
    let removing = release("16.0");
    assert_eq!(ids(&removing["removed"]), ["15-9-lamp"]);
    assert_eq!(ids(&removing["deprecated"]), ["15-9-undated"]);
    assert_eq!(removing["removed"][0]["status"], "removed");
}

#[test]
fn the_preview_removes_remaining_deprecations() {
    let preview = Edition::preview("18.0".parse().unwrap());
    let answered = serde_json::to_value(ReleaseJson::new(&schedule(), preview, BASE)).unwrap();
    assert_eq!(answered["release"], "v5");
    assert_eq!(answered["released_on"], Value::Null);
    assert_eq!(ids(&answered["removed"]), ["15-9-undated"]);
    assert!(ids(&answered["deprecated"]).is_empty());
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_names_all_members() {
    let schema = schemars::schema_for!(ReleaseJson);
    let text = serde_json::to_string(&schema).unwrap();
    for name in [
        "RecordJson",
        "TouchJson",
        "removal_on",
        "deprecated",
        "behaviour",
    ] {
        assert!(text.contains(name), "{name}");
    }
}
