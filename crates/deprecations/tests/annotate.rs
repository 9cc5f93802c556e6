//! Annotation of an API document for an edition.

#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test is the failure to show"
)]

use deprecations::annotate::annotate;
use deprecations::{Edition, Schedule};
use serde_json::{Value, json};

const OLD: &str = r#"
title = "The lamp's `colour`"
area = "Lamps"
kind = "field"
announced = "15.9"
removal = "16.0"
breaking = true
body = "Read `color`."
enforcement = "enforced"
edited = "2023-02-22"
touches = [
  { endpoints = ["GET /lamps"], field = "parts.colour" },
  { endpoints = ["GET /lamps"], parameter = "tone" },
  { endpoints = ["PUT /lamps"], parameter = "tone" },
  { endpoints = ["DELETE /lamps"] },
]
"#;

const NEW: &str = r#"
title = "Lamps are changed"
area = "Lamps"
kind = "endpoint"
introduced = "15.8"
body = "Change them."
enforcement = "enforced"
edited = "2023-02-22"
touches = [{ endpoints = ["PUT /lamps"] }]
"#;

fn document(at: &str) -> Value {
    let schema = json!({"$ref": "#/components/schemas/Lamp"});
    let body =
        json!({"properties": {"tone": {"type": "string"}, "size": {}}, "required": ["tone"]});
    let mut document = json!({
        "paths": {"/lamps": {
            "get": {
                "parameters": [{"name": "tone"}, {"name": "size"}],
                "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": schema}}}}},
            },
            "put": {
                "requestBody": {"content": {"application/json": {"schema": body}}},
                "responses": {},
            },
            "delete": {"responses": {}},
        }},
        "components": {"schemas": {
            "Lamp": {"properties": {"parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}}}},
            "Part": {
                "anyOf": [
                    {"properties": {"next": {"$ref": "#/components/schemas/Lamp"}}},
                    {"properties": {"colour": {"type": "string"}, "color": {}}, "required": ["colour", "color"]},
                ],
            },
        }},
    });
    let schedule = Schedule::parse([("old", OLD), ("new", NEW)]).unwrap();
    annotate(&mut document, &schedule, Edition::of(at.parse().unwrap()));
    document
}

const COLOUR: &str = "/components/schemas/Part/anyOf/1/properties/colour";

#[test]
fn deprecated_parts_are_marked_with_their_removal() {
    let document = document("15.9");
    let marks = json!({"deprecated": true, "x-deprecation": "old", "x-removal": "16.0", "x-sunset": "2023-05-22"});
    let with = |more: Value| {
        let mut all = marks.clone();
        all.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        all
    };
    let lamps = &document["paths"]["/lamps"];
    assert_eq!(lamps["delete"], with(json!({"responses": {}})));
    assert_eq!(lamps["get"]["parameters"][0], with(json!({"name": "tone"})));
    assert_eq!(lamps["get"]["parameters"][1], json!({"name": "size"}));
    let body = &lamps["put"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["properties"]["tone"], with(json!({"type": "string"})));
    assert_eq!(
        document.pointer(COLOUR).unwrap(),
        &with(json!({"type": "string"}))
    );
    assert_eq!(lamps["put"]["x-since"], "15.8");
}

#[test]
fn removed_and_not_yet_introduced_parts_are_omitted() {
    let newest = document("16.0");
    let lamps = &newest["paths"]["/lamps"];
    assert!(lamps.get("delete").is_none());
    assert_eq!(lamps["get"]["parameters"], json!([{"name": "size"}]));
    let body = &lamps["put"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body, &json!({"properties": {"size": {}}, "required": []}));
    assert_eq!(newest.pointer(COLOUR), None);
    let part = &newest["components"]["schemas"]["Part"]["anyOf"][1];
    assert_eq!(part["required"], json!(["color"]));
    assert!(document("15.7")["paths"]["/lamps"].get("put").is_none());
    assert!(
        document("15.7")["paths"]["/lamps"]["delete"]
            .get("deprecated")
            .is_none()
    );
}

const BOUND: &str = r#"
title = "Tones are short"
area = "Lamps"
kind = "parameter"
announced = "15.9"
removal = "16.0"
breaking = true
body = "Send short tones."
enforcement = "enforced"
edited = "2023-02-22"
touches = [
  { endpoints = ["PUT /lamps"], parameter = "tone", effect.at_most = 9 },
  { endpoints = ["GET /lamps"], parameter = "tone", effect.at_least = 3 },
]
"#;

/// A rule about a parameter only bounds it, and never removes it.
#[test]
fn a_rule_is_written_into_the_schema_once_it_counts() {
    let at = |release: &str| {
        let schema = json!({"type": "string", "maxLength": 99});
        let body = json!({"properties": {"tone": schema}, "required": ["tone"]});
        let mut document = json!({"paths": {"/lamps": {
            "get": {"parameters": [{"name": "tone", "schema": {"type": "string"}}]},
            "put": {"requestBody": {"content": {"application/json": {"schema": body}}}},
        }}});
        let schedule = Schedule::parse([("bound", BOUND)]).unwrap();
        annotate(
            &mut document,
            &schedule,
            Edition::of(release.parse().unwrap()),
        );
        let body = &document["paths"]["/lamps"]["put"]["requestBody"]["content"]["application/json"]
            ["schema"];
        assert_eq!(body["required"], json!(["tone"]), "{release}");
        let query = &document["paths"]["/lamps"]["get"]["parameters"][0]["schema"];
        (body["properties"]["tone"].clone(), query.clone())
    };
    let text = |bounds: Value| {
        let mut schema = json!({"type": "string"});
        schema
            .as_object_mut()
            .unwrap()
            .extend(bounds.as_object().unwrap().clone());
        schema
    };
    assert_eq!(
        at("15.9"),
        (text(json!({"maxLength": 99})), text(json!({})))
    );
    assert_eq!(
        at("16.0"),
        (text(json!({"maxLength": 9})), text(json!({"minLength": 3})))
    );
}
