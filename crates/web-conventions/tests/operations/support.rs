//! Sample operations of a small host.

use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, Error, FromRequest, HttpRequest, HttpResponse};
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use futures_util::future::LocalBoxFuture;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Access, Caller, Deletion, Fallback, Needs, OneRelease, Operation, Precondition,
    ProtocolCredentials, Router, RoutingError, Scheme, get,
};

/// Caller without any check.
pub(crate) struct AnyCaller;

impl FromRequest for AnyCaller {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

impl Caller for AnyCaller {
    const ACCESS: Access = Access::Public("it is an example");
}

/// Caller with the only valid token.
pub(crate) struct TokenCaller;

impl FromRequest for TokenCaller {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let sent = request.headers().get(AUTHORIZATION);
        let is_good = sent.is_some_and(|sent| sent == "Bearer right");
        let refusal = actix_web::error::ErrorUnauthorized("no token");
        ready(if is_good { Ok(Self) } else { Err(refusal) })
    }
}

impl Caller for TokenCaller {
    const ACCESS: Access = Access::Api {
        scopes: &[Scope::API],
        needs: Needs::User,
    };
}

/// Caller with a key.
pub(crate) struct KeyHolder;

impl FromRequest for KeyHolder {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(_: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self))
    }
}

impl Caller for KeyHolder {
    const ACCESS: Access = Access::Protocol(&ProtocolCredentials {
        name: "thingKey",
        about: "the key",
        schemes: &[Scheme::Bearer, Scheme::Basic("The key is the password.")],
        is_header_optional: false,
    });
}

/// Returns the path parameters that were matched.
pub(crate) async fn echo(request: HttpRequest, _: AnyCaller) -> String {
    let parameters = request.match_info().iter();
    let parameters: Vec<String> = parameters
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    parameters.join("&")
}

pub(crate) async fn own(_: KeyHolder) -> &'static str {
    "for holders of the key"
}

pub(crate) async fn secret(_: TokenCaller) -> &'static str {
    "for members"
}

/// Deletes a resource that changed at the beginning of 2024.
pub(crate) async fn delete_resource(
    request: HttpRequest,
    _: AnyCaller,
) -> Result<Deletion, Failure> {
    let modified_at = Timestamp::parse_rfc3339("2024-01-01T00:00:00Z").unwrap();
    let proof = Precondition::of(request.headers()).check(modified_at)?;
    Ok(Deletion::no_content(proof))
}

/// Creates a public operation.
pub(crate) fn open(id: &'static str, path: &'static str) -> Operation {
    get(id, path, echo)
}

pub(crate) struct PlainFallback;

impl Fallback for PlainFallback {
    fn no_path(&self, _: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, Error>> {
        Box::pin(ready(Ok(HttpResponse::NotFound().body("no such path"))))
    }

    fn no_method(&self, _: &HttpRequest, allowed: &str) -> Error {
        let answer = HttpResponse::MethodNotAllowed()
            .insert_header(("Allow", allowed))
            .finish();
        actix_web::error::InternalError::from_response("method", answer).into()
    }
}

/// Creates a router for operations that are the same in all releases.
pub(crate) fn router(operations: Vec<Operation>) -> Result<Router, RoutingError> {
    Router::new(operations, OneRelease, PlainFallback)
}

/// Returns the response to a request, from a host with these operations.
pub(crate) async fn send(operations: Vec<Operation>, request: TestRequest) -> ServiceResponse {
    let router = router(operations).unwrap();
    let app = init_service(App::new().default_service(router.into_factory())).await;
    call_service(&app, request.to_request()).await
}

/// Returns the body of the response to a GET, or its status if it failed.
pub(crate) async fn text(operations: Vec<Operation>, path: &str) -> String {
    let answer = send(operations, TestRequest::get().uri(path)).await;
    if !answer.status().is_success() {
        return answer.status().as_u16().to_string();
    }
    String::from_utf8(read_body(answer).await.to_vec()).unwrap()
}
