//! The document of a small host.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web_conventions::operations::document::{Info, document};
use web_conventions::operations::{
    Answer, Declaration, Kind, Operation, Pages, Parameter, Release, get, post,
};

use crate::support::{open, secret};

/// A thing, as callers see it.
#[derive(Serialize, JsonSchema)]
struct Thing {
    /// Its number.
    id: i64,
    name: Option<String>,
}

fn described(operations: &[Operation]) -> Value {
    let info = Info {
        title: "Things",
        version: "1.0.0",
        description: "An example.",
        server_url: "",
    };
    let declared: Vec<Arc<Declaration>> = operations
        .iter()
        .map(|operation| Arc::clone(operation.declaration()))
        .collect();
    document(info, &declared, Release::LATEST)
}

#[test]
fn an_operation_is_described_by_its_declaration() {
    let list = get("listThings", "/things", secret)
        .documented("things", "List things")
        .takes([Parameter::query(
            "state",
            Kind::Word(&["open", "closed"]),
            "The state.",
        )])
        .paged(Pages::Offset)
        .answers(Answer::json::<Vec<Thing>>(200, "The things."));
    let document = described(&[list]);
    let operation = &document["paths"]["/things"]["get"];
    assert_eq!(operation["operationId"], "listThings");
    assert_eq!(operation["security"][0], json!({"accessToken": ["api"]}));
    let names: Vec<&str> = operation["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|parameter| parameter["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["state", "page", "per_page"]);
    let statuses: Vec<&String> = operation["responses"].as_object().unwrap().keys().collect();
    assert_eq!(statuses, ["200", "304", "400", "401", "403", "414", "503"]);
    let body = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(body["items"]["$ref"], "#/components/schemas/Thing");
    let schema = &document["components"]["schemas"]["Thing"];
    assert_eq!(
        schema["properties"]["name"]["type"],
        json!(["string", "null"])
    );
}

#[test]
fn fields_of_the_body_become_one_body_in_each_type() {
    let create = post("createThing", "/things", secret)
        .documented("things", "Create a thing")
        .takes([
            Parameter::body("name", Kind::Text { min: 1, max: 80 }, "The name.").required(),
            Parameter::body("is_public", Kind::Boolean, "Whether everybody sees it."),
        ]);
    let document = described(&[create]);
    let body = &document["paths"]["/things"]["post"]["requestBody"];
    assert_eq!(body["required"], true);
    let schema = &body["content"]["application/json"]["schema"];
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["name"]["maxLength"], 80);
    assert_eq!(
        schema,
        &body["content"]["application/x-www-form-urlencoded"]["schema"]
    );
}

#[test]
fn what_has_no_tag_and_what_is_gone_stands_in_no_document() {
    let gone = open("gone", "/gone")
        .documented("things", "Gone")
        .until(Release(1, 0));
    let document = described(&[open("page", "/page"), gone]);
    assert_eq!(document["paths"], json!({}));
}
