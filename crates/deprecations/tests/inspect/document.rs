//! API documents.

use deprecations::inspect::FileFormat;
use serde_json::{Value, json};

use crate::{check, found, found_in};

fn document(server: &str, path: &str, method: &str, operation: &Value) -> String {
    let text = json!({
        "openapi": "3.1.0",
        "servers": [{ "url": server }],
        "paths": { path: { method: operation, "parameters": [], "x-other": [] } },
        "components": {
            "parameters": { "Status": { "name": "status", "in": "query", "schema": { "$ref": "#/components/schemas/Status" } } },
            "schemas": {
                "Status": { "type": "string", "enum": ["active", "on"] },
                "Lamp": {
                    "allOf": [{ "$ref": "#/components/schemas/Named" }],
                    "properties": {
                        "status": { "anyOf": [{ "$ref": "#/components/schemas/Status" }, { "type": "null" }] },
                        "assets": { "properties": { "links": { "type": "array", "items": { "$ref": "#/components/schemas/Link" } } } },
                    },
                },
                "Named": { "properties": { "name": { "type": "string", "maxLength": 9 }, "next": { "$ref": "#/components/schemas/Lamp" } } },
                "Link": { "properties": { "external": { "type": "boolean" }, "filepath": {} } },
            },
        },
    });
    serde_json::to_string_pretty(&text).unwrap()
}

fn body(schema: &Value) -> Value {
    json!({ "content": { "application/json": { "schema": schema } } })
}

fn lamp() -> Value {
    json!({ "$ref": "#/components/schemas/Lamp" })
}

#[test]
fn operations_are_found_with_any_names_of_parameters() {
    for (server, path) in [
        ("https://h.example/git/api/v4/", "/lamps/{lamp_id}/changes"),
        ("/", "/api/v4/lamps/{id}/changes/"),
    ] {
        let report = check("16.0", &document(server, path, "get", &json!({}))).unwrap();
        assert_eq!(report.source, FileFormat::OpenApi);
        assert_eq!(
            found(&report),
            ["15-1-changes | GET /api/v4/lamps/:id/changes | the whole operation | 1 from 1"]
        );
    }
    let other = check(
        "16.0",
        &document("/", "/api/v4/lamps/newest", "get", &json!({})),
    )
    .unwrap();
    assert_eq!(other.unknown[0].call, "GET /api/v4/lamps/newest");
    assert_eq!(
        check("16.0", &document("/", "/lamps", "get", &json!({})))
            .unwrap()
            .outside_calls,
        1
    );
}

#[test]
fn parameters_are_found_through_references() {
    let operation = json!({ "parameters": [
        { "$ref": "#/components/parameters/Status" },
        { "name": "filepath", "in": "query", "schema": {} },
        { "name": "paused", "in": "header", "schema": {} },
        { "name": "search", "in": "query", "schema": { "minLength": 3 } },
        { "name": "updated_after", "in": "query", "schema": {} },
        { "$ref": "https://elsewhere.example/x" },
        7,
    ] });
    assert_eq!(
        found_in(&document("/api/v4", "/lamps", "get", &operation)),
        [
            "15-5-pair? | GET /api/v4/lamps | the parameter `updated_after`, which needs `order_by=updated_at` | 1 from 1",
            "15-2-path | GET /api/v4/lamps | the parameter `filepath` | 1 from 1",
            "15-3-status | GET /api/v4/lamps | the parameter `status` with the value `active` | 1 from 1",
        ]
    );
    let open = json!({ "parameters": [{ "name": "status", "in": "query", "schema": { "type": "string" } }] });
    let found = found_in(&document("/api/v4", "/lamps", "get", &open));
    assert!(found[0].starts_with("15-3-status? |"), "{found:?}");
}

#[test]
fn members_of_bodies_are_found() {
    let operation = json!({ "requestBody": body(&lamp()) });
    let found = found_in(&document("/api/v4", "/lamps", "post", &operation));
    assert_eq!(
        found,
        ["15-2-path | POST /api/v4/lamps | the parameter `assets[links][][filepath]` | 1 from 1"]
    );

    let cases = [
        (json!({ "type": ["boolean", "null"] }), "15-4-null | "),
        (
            json!({ "type": "boolean", "nullable": true }),
            "15-4-null | ",
        ),
        (json!({ "type": "boolean" }), ""),
        (json!({ "enum": [true, null] }), "15-4-null | "),
        (json!({}), "15-4-null? | "),
    ];
    for (schema, expected) in cases {
        let whole = json!({ "properties": { "private": schema } });
        let operation = json!({ "requestBody": body(&whole) });
        let found = found_in(&document("/api/v4", "/lamps/{id}", "put", &operation));
        assert!(found.concat().starts_with(expected), "{whole} {found:?}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{whole}");
    }
    let named = json!({ "requestBody": body(&lamp()) });
    let found = found_in(&document("/api/v4", "/lamps/{id}", "put", &named));
    assert_eq!(
        found,
        [
            "15-6-lengths? | PUT /api/v4/lamps/:id | the parameter `name`, which may be longer than 5 characters | 1 from 1"
        ]
    );
}

#[test]
fn fields_of_answers_are_found() {
    let operation = json!({ "responses": { "200": body(&lamp()), "404": body(&lamp()) } });
    assert_eq!(
        found_in(&document("/api/v4", "/lamps/{id}", "get", &operation)),
        [
            "15-7-links | GET /api/v4/lamps/:id | the field `assets.links.external` of the response | 1 from 1",
            "15-3-status | GET /api/v4/lamps/:id | the field `status` with the value `active` of the response | 1 from 1",
        ]
    );
    let list =
        json!({ "responses": { "default": body(&json!({ "type": "array", "items": lamp() })) } });
    let found = found_in(&document("/api/v4", "/lamps", "get", &list));
    assert!(
        found[0].starts_with("15-3-status | GET /api/v4/lamps | the field"),
        "{found:?}"
    );
    let refused = json!({ "responses": { "4XX": body(&lamp()) } });
    assert!(found_in(&document("/api/v4", "/lamps/{id}", "get", &refused)).is_empty());
}

#[test]
fn references_in_circles_end() {
    let circle = json!({ "$ref": "#/paths/~1api~1v4~1lamps~1{id}/get/responses/200" });
    let operation = json!({ "responses": { "200": circle } });
    assert!(found_in(&document("/", "/api/v4/lamps/{id}", "get", &operation)).is_empty());
    let schema = json!({ "anyOf": [{ "$ref": "#/components/schemas/Lamp" }, { "$ref": "#/paths/~1api~1v4~1lamps~1{id}/get/responses/200/content/application~1json/schema" }, { "$ref": "#/paths/~1api~1v4~1lamps~1{id}/get/responses/200/content/application~1json/schema" }] });
    let operation = json!({ "responses": { "200": body(&schema) } });
    let found = found_in(&document("/", "/api/v4/lamps/{id}", "get", &operation));
    assert!(found[0].starts_with("15-7-links | "), "{found:?}");
}
