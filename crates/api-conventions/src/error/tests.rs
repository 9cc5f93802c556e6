//! Table of error responses from the specification.

use super::*;

#[test]
fn bodies_are_those_of_the_specification() {
    let cases = [
        (
            ApiError::unauthorized(),
            401,
            r#"{"message":"401 Unauthorized"}"#,
        ),
        (
            ApiError::missing_attribute("name"),
            400,
            r#"{"message":"400 (Bad request) \"name\" not given"}"#,
        ),
        (
            ApiError::unknown_route(),
            404,
            r#"{"error":"404 Not Found"}"#,
        ),
        (
            ApiError::method_not_allowed("GET"),
            405,
            r#"{"error":"405 Not Allowed"}"#,
        ),
        (
            ApiError::not_found("Project"),
            404,
            r#"{"message":"404 Project Not Found"}"#,
        ),
        (
            ApiError::looks_like_spam("no"),
            400,
            r#"{"message":{"error":"no"}}"#,
        ),
        (
            ApiError::captcha_needed("no", SpamLogId::new(42), "key"),
            409,
            r#"{"captcha_site_key":"key","message":{"error":"no"},"needs_captcha_response":true,"spam_log_id":42}"#,
        ),
        (
            ApiError::internal(),
            500,
            r#"{"message":"500 Internal Server Error"}"#,
        ),
    ];
    for (error, status, body) in cases {
        assert_eq!(
            (error.status(), error.body().to_string().as_str()),
            (status, body)
        );
    }
}

#[test]
fn a_refusal_for_scope_names_the_scope_in_body_and_challenge() {
    let error = ApiError::insufficient_scope("sudo");
    assert_eq!(error.body()["scope"], "sudo");
    assert!(error.headers().iter().any(|(name, value)| {
        *name == "WWW-Authenticate" && value.contains("insufficient_scope")
    }));
}

#[test]
fn validation_failures_are_nested_as_specified() {
    let mut failures = ValidationFailures::default();
    failures.add("name", "can't be blank");
    failures.add("name", "is too short");
    failures
        .embedded("namespace")
        .add("path", "has already been taken");
    assert_eq!(
        ApiError::validation(&failures).body().to_string(),
        r#"{"message":{"name":["can't be blank","is too short"],"namespace":{"path":["has already been taken"]}}}"#
    );
}

#[test]
fn temporary_failures_have_a_retry_after_header() {
    let error = ApiError::storage_failure(true);
    assert_eq!(
        (error.status(), error.headers()),
        (503, &[("Retry-After", "1".to_owned())][..])
    );
    assert_eq!(ApiError::storage_failure(false).status(), 500);
}

#[test]
fn failures_are_reported_to_people_in_one_line() {
    let mut failures = ValidationFailures::default();
    failures.add("name", "can't be blank");
    failures.add("path", "is too long");
    failures.embedded("owner").add("name", "is taken");
    failures.embedded("sound");
    assert_eq!(
        failures.to_string(),
        "name can't be blank; path is too long; owner: name is taken"
    );
}

#[test]
fn error_bodies_gain_a_message_unless_the_specification_defines_them() {
    for (error, sent) in [
        (
            ApiError::invalid_parameters(&["page is invalid".to_owned()]),
            r#"{"error":"page is invalid","message":"page is invalid"}"#,
        ),
        (
            ApiError::method_not_allowed("GET"),
            r#"{"error":"405 Not Allowed","message":"405 Not Allowed"}"#,
        ),
        (
            ApiError::two_access_tokens(),
            r#"{"error":"invalid_request","error_description":"Both Authorization header and payload includes access token.","message":"Both Authorization header and payload includes access token."}"#,
        ),
        (ApiError::unknown_route(), r#"{"error":"404 Not Found"}"#),
        (
            ApiError::insufficient_scope("sudo"),
            r#"{"error":"insufficient_scope","error_description":"The request requires higher privileges than provided by the access token.","scope":"sudo"}"#,
        ),
        (
            ApiError::unauthorized(),
            r#"{"message":"401 Unauthorized"}"#,
        ),
        (
            ApiError::looks_like_spam("a"),
            r#"{"message":{"error":"a"}}"#,
        ),
        (
            ApiError::missing_attribute("a"),
            r#"{"message":"400 (Bad request) \"a\" not given"}"#,
        ),
    ] {
        assert_eq!(error.sent_body().to_string(), sent);
    }
    let scope = ApiError::insufficient_scope("api read_api");
    assert_eq!(
        scope.sent_body()["message"],
        scope.body()["error_description"]
    );
}
