//! Tests of the API document, for a small host.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web_conventions::operations::document::{Info, document};
use web_conventions::operations::{
    Body, Declaration, Operation, Pages, Parameter, ParameterKind, RateClass, ResponseSpec, get,
    post,
};

use crate::support::{open, own, secret};

/// A sample resource.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Thing")]
struct SampleResource {
    /// Id.
    id: i64,
    name: Option<String>,
}

fn described(operations: &[Operation]) -> Value {
    let info = Info {
        title: "Things",
        version: "1.0.0",
        description: "An example.",
        server_url: "",
        common: &[Parameter::header(
            "Act-As",
            ParameterKind::ANY_TEXT,
            "User to act as.",
        )],
    };
    let declared: Vec<Arc<Declaration>> = operations
        .iter()
        .map(|operation| Arc::clone(operation.declaration()))
        .collect();
    document(info, &declared)
}

/// Returns the names of an operation's parameters, including shared ones by reference.
fn names(operation: &Value) -> Vec<&str> {
    let parameters = operation["parameters"].as_array().unwrap().iter();
    let name = |parameter: &'_ Value| parameter.get("name").is_some();
    parameters
        .map(|parameter| {
            let at = if name(parameter) { "name" } else { "$ref" };
            let text = parameter[at].as_str().unwrap();
            text.trim_start_matches("#/components/parameters/")
        })
        .collect()
}

#[test]
fn an_operation_is_described_by_its_declaration() {
    let list = get("listThings", "/things", secret)
        .documented("things", "List things")
        .takes([Parameter::query(
            "state",
            ParameterKind::Word(&["open", "closed"]),
            "The state.",
        )])
        .paged(Pages::Offset)
        .limited("things")
        .response(ResponseSpec::json::<Vec<SampleResource>>(
            200,
            "The things.",
        ));
    let document = described(&[list]);
    let operation = &document["paths"]["/things"]["get"];
    assert_eq!(operation["operationId"], "listThings");
    assert_eq!(operation["x-rate-limit"], "things");
    assert_eq!(operation["security"][0], json!({"accessToken": ["api"]}));
    assert_eq!(
        names(operation),
        ["state", "page", "per_page", "Act-As", "If-None-Match"]
    );
    let statuses: Vec<&String> = operation["responses"].as_object().unwrap().keys().collect();
    assert_eq!(
        statuses,
        [
            "200", "304", "400", "401", "403", "405", "414", "429", "503"
        ]
    );
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
            Parameter::body("name", ParameterKind::Text { min: 1, max: 80 }, "The name.")
                .required(),
            Parameter::body(
                "is_public",
                ParameterKind::Boolean,
                "True if everyone can see it.",
            ),
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
fn a_form_names_its_lists_with_brackets() {
    let create = post("createThing", "/things", secret)
        .documented("things", "Create a thing")
        .takes([Parameter::body("tags", ParameterKind::Texts, "The tags.").required()]);
    let document = described(&[create]);
    let content = &document["paths"]["/things"]["post"]["requestBody"]["content"];
    for (media_type, name) in [
        ("application/json", "tags"),
        ("application/x-www-form-urlencoded", "tags[]"),
    ] {
        let schema = &content[media_type]["schema"];
        assert_eq!(schema["required"], json!([name]));
        assert_eq!(schema["properties"][name]["type"], "array");
    }
}

#[test]
fn parameters_are_documented_as_they_are_accepted() {
    let list = get("listThings", "/things", secret)
        .documented("things", "List things")
        .takes([
            Parameter::query("level", ParameterKind::Number(&[10, 20]), "The level."),
            Parameter::query("gone", ParameterKind::False, "Deleted things."),
            Parameter::query(
                "scopes",
                ParameterKind::SpacedWords(&["a", "b"]),
                "The scopes.",
            )
            .example("a b"),
        ])
        .paged(Pages::OffsetAndKeyset);
    let document = described(&[list]);
    let parameters = document["paths"]["/things"]["get"]["parameters"].clone();
    let schema = |at: usize| parameters[at]["schema"].clone();
    assert_eq!(schema(0), json!({"type": "integer", "enum": [10, 20]}));
    assert_eq!(schema(1), json!({"type": "boolean", "const": false}));
    assert_eq!(schema(2)["pattern"], r"^\s*(a|b)(\s+(a|b))*\s*$");
    assert_eq!(schema(2)["examples"], json!(["a b"]));
    assert_eq!(schema(4)["not"], json!({"const": 0}));
    // An empty value of anything but a text counts as absent.
    assert_eq!(parameters[0]["allowEmptyValue"], true);
    assert_eq!(parameters[2].get("allowEmptyValue"), None);
}

#[test]
fn a_body_that_is_no_set_of_parameters_is_described_by_its_schema() {
    const ANY: Body = Body {
        media_type: "application/json",
        schema: |_| schemars::json_schema!({"type": "object"}),
    };
    let send = post("send", "/things", own)
        .documented("things", "Send things")
        .reads(ANY);
    let document = described(&[send]);
    let operation = &document["paths"]["/things"]["post"];
    let expected = json!({
        "required": true,
        "content": {"application/json": {"schema": {"type": "object"}}},
    });
    assert_eq!(operation["requestBody"], expected);
    assert_eq!(
        operation["security"],
        json!([{"thingKeyBearer": []}, {"thingKeyBasic": []}])
    );
    assert_eq!(operation["responses"].get("404"), None);
}

/// Error body of another protocol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
struct ProtocolError {
    /// Error code.
    error: &'static str,
}

#[test]
fn an_operation_of_another_protocol_is_described_in_its_words() {
    let exchange = post("exchange", "/exchange", own)
        .documented("things", "Exchange a thing")
        .takes([
            Parameter::header(
                "Idempotency-Key",
                ParameterKind::Text { min: 1, max: 255 },
                "The key.",
            ),
            Parameter::form(
                "scope",
                ParameterKind::Scope(&["a", "b"]),
                "Requested scopes.",
            ),
        ])
        .rated(RateClass::Guess)
        .refuses_with(Body::json::<ProtocolError>())
        .response(ResponseSpec::refusal(422, "Invalid thing."));
    let document = described(&[exchange]);
    let operation = &document["paths"]["/exchange"]["post"];
    // The API's own credentials and parameters are not accepted.
    assert_eq!(names(operation), ["Idempotency-Key"]);
    assert_eq!(operation["parameters"][0]["in"], "header");
    let content = operation["requestBody"]["content"].as_object().unwrap();
    assert_eq!(
        content.keys().collect::<Vec<_>>(),
        ["application/x-www-form-urlencoded"]
    );
    let scope = "/application~1x-www-form-urlencoded/schema/properties/scope/pattern";
    let body = &operation["requestBody"]["content"];
    assert_eq!(body.pointer(scope).unwrap(), "^( *(a|b)( +(a|b))* *)?$");
    for status in ["400", "422", "429", "503"] {
        let schema = &operation["responses"][status]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{status}");
    }
    let basic = &document["components"]["securitySchemes"]["thingKeyBasic"];
    assert_eq!(basic["scheme"], "basic");
}

#[test]
fn operations_without_a_tag_are_not_documented() {
    let document = described(&[open("page", "/page")]);
    assert_eq!(document["paths"], json!({}));
}
