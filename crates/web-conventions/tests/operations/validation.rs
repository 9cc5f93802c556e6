//! Tests of parameters that an operation does not declare.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::test::{TestRequest, read_body};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use futures_util::future::{Ready, ready};
use serde_json::json;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Access, Caller, Needs, Operation, Parameter, ParameterKind, UnsupportedFilter, get, patch,
    post, put, validate_params,
};
use web_conventions::params::read_query_params;

use crate::support::send;

/// A caller that reads the parameters of the query.
struct ParamsCaller(Vec<String>);

impl FromRequest for ParamsCaller {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let validated =
            read_query_params(request).and_then(|params| validate_params(request, params));
        ready(validated.map_err(Failure::from).and_then(|validated| {
            let named =
                ["name", "about"].map(|name| validated.params.get(name).map(ToString::to_string));
            match validated.refusal {
                Some(refusal) => Err(refusal.into()),
                None => Ok(Self(named.into_iter().flatten().collect())),
            }
        }))
    }
}

impl Caller for ParamsCaller {
    const ACCESS: Access = Access::Api {
        scopes: &[],
        needs: Needs::Nothing,
    };
}

async fn list_params(caller: ParamsCaller) -> HttpResponse {
    HttpResponse::Ok().json(caller.0)
}

fn operations() -> Vec<Operation> {
    let fields = || {
        [
            Parameter::body("name", ParameterKind::ANY_TEXT, "The name."),
            Parameter::body("about", ParameterKind::ANY_TEXT, "The text."),
        ]
    };
    let required = Parameter::body("name", ParameterKind::ANY_TEXT, "The name.").required();
    let filters = [
        UnsupportedFilter::Flag("starred"),
        UnsupportedFilter::Value("language"),
    ];
    vec![
        get("list", "/things", list_params)
            .takes(fields())
            .without_filters(filters),
        post("create", "/things", list_params).takes(fields()),
        put("update", "/things/{id}", list_params).takes(fields()),
        patch("touch", "/things/{id}", list_params).takes([required, fields()[1]]),
    ]
}

#[actix_web::test]
async fn undeclared_parameters_of_changes_and_unbuilt_filters_are_refused() {
    let other = |name: &str| format!("{name} is not a parameter of this request: leave it out");
    let unbuilt =
        |name: &str| format!("{name} is a filter that this server does not support: leave it out");
    let nothing = || "name, about are missing, at least one parameter must be provided".to_owned();
    for (request, refusal) in [
        (
            TestRequest::get().uri("/things?other=1&starred=false&language="),
            None,
        ),
        (
            TestRequest::get().uri("/things?starred=true"),
            Some(unbuilt("starred")),
        ),
        (
            TestRequest::get().uri("/things?language=a"),
            Some(unbuilt("language")),
        ),
        (
            TestRequest::get().uri("/things?starred=x"),
            Some("starred is invalid".to_owned()),
        ),
        (TestRequest::post().uri("/things"), None),
        (TestRequest::post().uri("/things?name=a&sudo=1"), None),
        (
            TestRequest::post().uri("/things?name=a&other[x]=1"),
            Some(other("other")),
        ),
        (TestRequest::put().uri("/things/7?about="), None),
        (TestRequest::put().uri("/things/7"), Some(nothing())),
        (TestRequest::put().uri("/things/7?id=7"), Some(nothing())),
        (TestRequest::put().uri("/things/7?name=a&thing_id=7"), None),
        (
            TestRequest::put().uri("/things/7?name=a&thing_id=8"),
            Some(other("thing_id")),
        ),
        (TestRequest::patch().uri("/things/7"), None),
        (
            TestRequest::patch().uri("/things/7?starred=1"),
            Some(other("starred")),
        ),
    ] {
        let answer = send(operations(), request).await;
        let expected = match refusal {
            None => StatusCode::OK,
            Some(_) => StatusCode::BAD_REQUEST,
        };
        assert_eq!(answer.status(), expected, "{refusal:?}");
        let body = read_body(answer).await;
        if let Some(text) = refusal {
            let expected = json!({ "error": text, "message": text });
            assert_eq!(body, expected.to_string().as_bytes());
        }
    }
}

#[actix_web::test]
async fn validation_errors_limit_the_number_and_length_of_names() {
    let many: Vec<String> = (0..50)
        .map(|number| format!("{}{number}=1", "x".repeat(200)))
        .collect();
    let uri = format!("/things?{}", many.join("&"));
    let answer = send(operations(), TestRequest::post().uri(&uri)).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    // The text appears in the body twice.
    assert!(read_body(answer).await.len() < 2 * 2000);
}
