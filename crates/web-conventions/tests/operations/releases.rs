//! Tests of operations in several releases.

use std::rc::Rc;

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, Error, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::release::{Edition, Release};
use serde_json::{Value, json};
use web_conventions::answer;
use web_conventions::operations::{
    Declaration, OperationAdapter, Releases, Router, adapt_params, get, other_edition_of, post,
};
use web_conventions::params::read_query_params;

use crate::support::{AnyCaller, PlainFallback, echo};

/// Releases of a host that runs 16.0, where `things` have no colour and `old` does not exist; 15.9 has both, and no
/// `size`.
struct TwoReleases;

const NEW: Release = Release(16, 0);

impl Releases for TwoReleases {
    fn own(&self) -> Edition {
        Edition::of(NEW)
    }

    fn requested_edition(&self, request: &HttpRequest) -> Result<Option<Edition>, Error> {
        let requested = request.headers().get("x-release");
        let requested = requested.and_then(|value| value.to_str().ok());
        let release = requested.map(str::parse::<Release>).transpose();
        let release = release.map_err(actix_web::error::ErrorBadRequest)?;
        Ok(release.map(Edition::of))
    }

    fn other_version(&self, path: &str) -> Option<(String, Edition)> {
        let rest = path.strip_prefix("/next/")?;
        Some((format!("/{rest}"), Edition::preview(NEW)))
    }

    fn adapter(&self, declaration: &Declaration) -> Option<Rc<dyn OperationAdapter>> {
        let named = ["things", "old"].contains(&declaration.id);
        named.then(|| Rc::new(SampleAdapter(declaration.id)) as Rc<dyn OperationAdapter>)
    }
}

#[derive(Debug)]
struct SampleAdapter(&'static str);

impl OperationAdapter for SampleAdapter {
    fn is_available(&self, at: Edition) -> bool {
        self.0 != "old" || at.release < NEW
    }

    fn adapt_request(
        &self,
        _: &HttpRequest,
        at: Edition,
        params: Params,
    ) -> Result<Params, ApiError> {
        let mut params = params.into_map();
        if at.release >= NEW && params.contains_key("colour") {
            return Err(ApiError::bad_request("there are no colours"));
        }
        if at.release < NEW {
            params.remove("size");
        }
        Ok(Params::from_map(params))
    }

    fn changes_responses(&self, at: Edition) -> bool {
        at.release >= NEW
    }

    fn adapt_response(&self, _: Edition, body: &mut Value) {
        if let Some(fields) = body.as_object_mut() {
            fields.remove("colour");
        }
    }

    fn finish(&self, at: Edition, answer: &mut ServiceResponse<BoxBody>) {
        let value = HeaderValue::from_str(&at.to_string()).unwrap();
        let name = HeaderName::from_static("x-answered-as");
        answer.headers_mut().insert(name, value);
    }
}

async fn things(request: HttpRequest, _: AnyCaller) -> Result<HttpResponse, Error> {
    let params = read_query_params(&request).and_then(|params| adapt_params(&request, params));
    let params = match params {
        Ok(params) => params,
        Err(refusal) => return Ok(HttpResponse::BadRequest().json(refusal.body())),
    };
    let names: Vec<&str> = params.names().collect();
    let requested = other_edition_of(&request).map(|edition| edition.to_string());
    let body = json!({"colour": "red", "names": names, "edition": requested});
    Ok(answer::json(&request, &body)?)
}

async fn send(request: TestRequest) -> ServiceResponse {
    let operations = [
        get("things", "/things", things),
        get("old", "/old", echo),
        get("mixed", "/mixed", echo),
        post("same", "/same", echo),
    ];
    let router = Router::new(operations, TwoReleases, PlainFallback).unwrap();
    let app = init_service(App::new().default_service(router.into_factory())).await;
    call_service(&app, request.to_request()).await
}

async fn json_of(request: TestRequest) -> Value {
    serde_json::from_slice(&read_body(send(request).await).await).unwrap()
}

fn at(release: &'static str, path: &str) -> TestRequest {
    TestRequest::get()
        .uri(path)
        .insert_header(("x-release", release))
}

#[actix_web::test]
async fn an_operation_is_there_in_its_releases_alone() {
    let status = |answer: ServiceResponse| answer.status().as_u16();
    assert_eq!(status(send(at("15.9", "/old")).await), 200);
    assert_eq!(status(send(at("16.0", "/old")).await), 404);
    assert_eq!(status(send(TestRequest::get().uri("/old")).await), 404);
    assert_eq!(status(send(TestRequest::post().uri("/old")).await), 404);
    let refused = send(
        TestRequest::post()
            .uri("/old")
            .insert_header(("x-release", "15.9")),
    )
    .await;
    assert_eq!(
        refused.headers().get("allow").unwrap(),
        "OPTIONS, GET, HEAD"
    );
    assert_eq!(status(send(at("soon", "/same")).await), 400);
}

#[actix_web::test]
async fn answers_and_parameters_are_those_of_the_release() {
    let own = json_of(TestRequest::get().uri("/things?size=1")).await;
    assert_eq!(own, json!({"names": ["size"], "edition": null}));
    let old = json_of(at("15.9", "/things?size=1&colour=red")).await;
    let expected = json!({"colour": "red", "names": ["colour"], "edition": "15.9"});
    assert_eq!(old, expected);
    let refused = json_of(TestRequest::get().uri("/things?colour=red")).await;
    assert_eq!(refused["message"], "400 Bad request - there are no colours");
}

#[actix_web::test]
async fn another_version_has_its_own_paths() {
    let next = json_of(TestRequest::get().uri("/next/things")).await;
    assert_eq!(next, json!({"names": [], "edition": "v5"}));
    let answer = send(TestRequest::get().uri("/next/things")).await;
    assert_eq!(answer.headers().get("x-answered-as").unwrap(), "v5");
}

/// A client with the response of one release still gets that of another.
#[actix_web::test]
async fn entity_tags_are_those_of_the_release() {
    let own = send(TestRequest::get().uri("/things")).await;
    let old = send(at("15.9", "/things")).await;
    let tag = own.headers().get(ETAG).unwrap();
    assert_ne!(tag, old.headers().get(ETAG).unwrap());
    let again = TestRequest::get()
        .uri("/things")
        .insert_header((IF_NONE_MATCH, tag.clone()));
    let again = send(again).await;
    assert_eq!(again.status().as_u16(), 304);
    assert_eq!(again.headers().get(ETAG).unwrap(), tag);
    assert_eq!(read_body(again).await.len(), 0);
    let other = at("15.9", "/things").insert_header((IF_NONE_MATCH, tag.clone()));
    assert_eq!(send(other).await.status().as_u16(), 200);
}
