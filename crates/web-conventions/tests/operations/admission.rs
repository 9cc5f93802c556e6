//! Tests of the check of every call.

use std::future::ready;

use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::{App, HttpRequest};
use web_conventions::operations::{Admission, AdmissionStep, Declaration, get, post};

use crate::support::{open, router, secret};

/// Refuses the calls of limited operations: those of `GET` at once, and others after waiting.
struct RefuseLimited;

impl Admission for RefuseLimited {
    fn admit<'r>(
        &'r self,
        request: &'r HttpRequest,
        declaration: &'r Declaration,
    ) -> AdmissionStep<'r> {
        let decision = match declaration.limit {
            Some(limit) => Err(actix_web::error::ErrorTooManyRequests(limit)),
            None => Ok(()),
        };
        if request.method() == "GET" {
            AdmissionStep::Decided(decision)
        } else {
            AdmissionStep::Pending(Box::pin(ready(decision)))
        }
    }
}

#[actix_web::test]
async fn every_operation_is_admitted_before_its_caller_is_checked() {
    let operations = vec![
        open("open", "/open"),
        get("limited", "/limited", secret).limited("things"),
        post("limitedPost", "/limited", secret).limited("things"),
        post("secret", "/open", secret),
    ];
    let router = router(operations).unwrap().admitting(RefuseLimited);
    let app = init_service(App::new().default_service(router.into_factory())).await;
    let get = |path| TestRequest::get().uri(path);
    let post = |path| TestRequest::post().uri(path);
    for (request, status) in [
        (get("/open"), StatusCode::OK),
        (post("/open"), StatusCode::UNAUTHORIZED),
        (get("/limited"), StatusCode::TOO_MANY_REQUESTS),
        (post("/limited"), StatusCode::TOO_MANY_REQUESTS),
        (get("/other"), StatusCode::NOT_FOUND),
    ] {
        let request = request.to_request();
        let called = format!("{} {}", request.method(), request.path());
        let answer = call_service(&app, request).await;
        assert_eq!(answer.status(), status, "{called}");
    }
}
