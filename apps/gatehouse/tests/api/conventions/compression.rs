//! Responses that are compressed on request of the client.

use std::io::Read as _;

use flate2::read::GzDecoder;
use gatehouse::areas::api_help::declarations;
use serde_json::{Value, json};

use crate::support::browser::hidden;
use crate::support::{TestCaller, TestResponse, TestServer};

fn unpacked(answer: &TestResponse) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(&*answer.body)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn with_gzip(caller: &TestCaller) -> TestCaller {
    caller.clone().with("Accept-Encoding", "br;q=1, gzip;q=0.5")
}

#[test]
fn long_responses_are_compressed_for_clients_that_accept_gzip() {
    let server = TestServer::start();
    let developer = server.developer();
    for path in [
        server.below_project("/events?per_page=100"),
        "/api/v4/openapi.json".to_owned(),
    ] {
        let plain = developer.get(&path);
        assert_eq!(
            (plain.header("content-encoding"), plain.header("vary")),
            (None, Some("Origin"))
        );
        let packed = with_gzip(&developer).get(&path);
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(
            packed.headers_named("vary").join(", "),
            "Origin, Accept-Encoding"
        );
        assert!(
            packed.body.len() * 2 < plain.body.len(),
            "{} of {}",
            packed.body.len(),
            plain.body.len()
        );
        assert_eq!(
            packed.header("content-length"),
            Some(packed.body.len().to_string().as_str())
        );
        assert_eq!(unpacked(&packed), plain.body, "{path}");
        // The tag is weak and the same for both forms.
        let tag = packed.header("etag").unwrap();
        assert!(
            tag.starts_with("W/") && plain.header("etag") == Some(tag),
            "{tag}"
        );
        let again = with_gzip(&developer).with("If-None-Match", tag).get(&path);
        assert_eq!(
            (again.status, again.header("content-encoding")),
            (304, None)
        );
        assert_eq!(
            again.headers_named("vary").join(", "),
            "Origin, Accept-Encoding"
        );
        let head = with_gzip(&developer).send("HEAD", &path, b"");
        assert_eq!((head.status, head.header("content-encoding")), (200, None));
    }
    let refused = developer.with("Accept-Encoding", "gzip;q=0, *");
    let plain = refused.get("/api/v4/openapi.json");
    assert_eq!(plain.header("content-encoding"), None);
}

#[test]
fn short_answers_pages_refusals_and_secrets_are_sent_as_they_are() {
    let server = TestServer::start();
    let developer = with_gzip(&server.developer());
    let admin = with_gzip(&server.admin());
    let long = "x".repeat(4000);
    let variables = json!([{ "key": "TOKEN", "value": long }]);
    let body = json!({ "ref": "main", "variables": variables });
    developer
        .post(&server.below_project("/pipeline"), &body)
        .expect(201);
    for _ in 0..12 {
        admin
            .post(
                &server.below_project("/error_tracking/client_keys"),
                &json!({}),
            )
            .assert_ok();
    }
    let below = |path: &str| server.below_project(path);
    for (answer, least) in [
        (developer.get("/api/v4/version"), 0),
        (developer.get(&below("/pipelines/1/variables")), 2000),
        (
            admin.get(&below("/error_tracking/client_keys?per_page=100")),
            1400,
        ),
        (
            server
                .anonymous()
                .with("Accept-Encoding", "gzip")
                .with("Accept", "text/html")
                .get("/users/sign_in"),
            1400,
        ),
        (
            developer.post(
                &below("/issues"),
                &json!({ "title": "a", "description": long }),
            ),
            2000,
        ),
        (developer.get("/api/v4/nothing"), 0),
    ] {
        assert_eq!(answer.header("content-encoding"), None, "{answer:?}");
        assert!(answer.body.len() >= least, "{} bytes", answer.body.len());
    }
}

/// Pages that are the same for everyone except for the token of their forms.
#[test]
fn a_page_without_secrets_is_compressed_and_writes_its_token_differently_each_time() {
    let server = TestServer::start();
    let mut plain = server.signed_in("developer");
    let mut with_gzip = plain.clone().with("Accept-Encoding", "gzip");
    let open = declarations()
        .into_iter()
        .filter(|declared| declared.is_compressible_page);
    let mut looked_at = 0;
    for declared in open {
        let path = declared.path.replace("{area}", "issues");
        let path = path.replace("{release}", "16.0");
        let path = path.replace("{id}", "15-5-note-confidential");
        let mut packed = with_gzip.open(&path);
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        packed.body = unpacked(&packed);
        let plain = plain.open(&path);
        let [first, second] = [&packed, &plain].map(|page| hidden(page, "authenticity_token"));
        assert_ne!(first, second, "{path}");
        assert_eq!(
            packed.text().replace(&first, ""),
            plain.text().replace(&second, ""),
            "{path}"
        );
        looked_at += 1;
    }
    assert!(looked_at >= 5, "{looked_at}");
}

/// The names of the fields of a schema, at any depth.
fn fields(document: &Value, schema: &Value, found: &mut Vec<String>, depth: u32) {
    if depth > 12 {
        return;
    }
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        return fields(
            document,
            document.pointer(pointer).unwrap(),
            found,
            depth + 1,
        );
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.push(name.clone());
        fields(document, inner, found, depth + 1);
    }
    for inner in [&schema["items"], &schema["additionalProperties"]] {
        fields(document, inner, found, depth + 1);
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        for inner in schema[list].as_array().into_iter().flatten() {
            fields(document, inner, found, depth + 1);
        }
    }
}

/// Fields whose names sound like secrets but hold none, each with the reason.
const NO_SECRETS: [(&str, &str); 10] = [
    ("access_token_seconds", "a lifetime"),
    ("id_token_seconds", "a lifetime"),
    ("ci_job_token_scope_enabled", "a setting"),
    ("client_key_id", "the number of a key"),
    ("has_secret", "a flag"),
    ("resource_access_token_events", "a flag"),
    ("resource_deploy_token_events", "a flag"),
    ("token_endpoint", "an address"),
    (
        "token_endpoint_auth_methods_supported",
        "words of the protocol",
    ),
    (
        "id_token_signing_alg_values_supported",
        "words of the protocol",
    ),
];

/// An operation whose fields sound like secrets must declare that it returns some, so that its response is never
/// compressed.
#[test]
fn every_operation_that_returns_secrets_declares_them() {
    let document = gatehouse::areas::api_help::openapi_document(
        "",
        deprecations::Edition::of(deprecations::NEWEST),
    );
    let mut looked_at = 0;
    for declared in declarations() {
        if !declared.is_compressible() || declared.tag.is_none() {
            continue;
        }
        let path = declared.path.replace("{*", "{");
        let answers = &document["paths"][&path]["get"]["responses"]["200"]["content"];
        let mut found = Vec::new();
        for content in answers.as_object().into_iter().flatten() {
            fields(&document, &content.1["schema"], &mut found, 0);
        }
        for field in found {
            let sounds_secret = [
                "secret",
                "password",
                "token",
                "dsn",
                "public_key",
                "client_key",
            ]
            .iter()
            .any(|word| field.contains(word));
            let is_known = NO_SECRETS.iter().any(|(name, _)| *name == field);
            assert!(!sounds_secret || is_known, "{}: {field}", declared.id);
        }
        looked_at += 1;
    }
    assert!(looked_at > 60, "{looked_at} operations");
    let secret = declarations()
        .into_iter()
        .filter(|declared| declared.has_secrets);
    let secret: Vec<&str> = secret.map(|declared| declared.id).collect();
    assert!(secret.contains(&"listPipelineVariables"), "{secret:?}");
}
