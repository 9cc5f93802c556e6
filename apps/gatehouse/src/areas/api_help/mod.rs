//! API reference: the `OpenAPI` document, and help pages.

mod operation;
mod page;
mod shape;
#[cfg(test)]
mod sound;

use std::sync::{Arc, LazyLock};

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use deprecations::annotate::annotate;
use deprecations::{Edition, NEWEST, published};
use serde_json::{Value, json};
use web_conventions::answer;
use web_conventions::operations::document::{Info, document};
use web_conventions::operations::{Declaration, Operation, Parameter, ParameterKind, get};

use crate::frame::public::Reader;
use crate::state::AppState;

/// Description of the API in the document.
const DESCRIPTION: &str = "The REST API of Gatehouse. Send credentials as `Authorization: Bearer TOKEN` or \
                           `PRIVATE-TOKEN: TOKEN`. Lists are paginated; the `Link` header has the links to other \
                           pages. The body of an error response says what to do.";

/// Header parameter of every API operation: the user on whose behalf an administrator acts.
const SUDO: Parameter = Parameter::header(
    "Sudo",
    ParameterKind::Text { min: 1, max: 255 },
    "ID or username of the user to act as, for administrators whose token has the `sudo` scope. A `sudo` parameter in the \
     query or the body does the same and takes precedence.",
);

/// Header parameter of every API operation: the release whose behaviour the client wants.
const RELEASE: Parameter = Parameter::header(
    "Gatehouse-Release",
    ParameterKind::ANY_TEXT,
    "Release of the API that processes the request, such as `16.0`, or `v5` for the next version of the API. Use it to test a \
     client before features are removed. Releases start with 13.10.",
);

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("openapi", "/api/v4/openapi.json", openapi),
        get("apiHelp", "/help/api", page::show).compressible_page(),
        get("apiHelpOfArea", "/help/api/{area}", page::show_area).compressible_page(),
    ]
}

/// Declarations of all operations of the program.
pub fn declarations() -> Vec<Arc<Declaration>> {
    let operations = super::operations();
    let declared = operations
        .iter()
        .map(|operation| Arc::clone(operation.declaration()));
    declared.collect()
}

/// `OpenAPI` 3.1 document of the API for an edition.
/// `server_url` is the address of the server; empty for a document without a server.
pub fn openapi_document(server_url: &str, at: Edition) -> Value {
    as_edition(whole_document(server_url), at)
}

/// Reduces the whole document, which covers all editions, to one edition.
fn as_edition(mut document: Value, at: Edition) -> Value {
    annotate(&mut document, published(), at);
    // This document covers one edition only; each other edition has its own document.
    if let Some(schema) = document.pointer_mut("/components/parameters/Gatehouse-Release/schema") {
        *schema = json!({"type": "string", "enum": [at.to_string()]});
    }
    document
}

/// Document of all operations, with everything that any release accepts and returns.
fn whole_document(server_url: &str) -> Value {
    let info = Info {
        title: "Gatehouse",
        version: env!("CARGO_PKG_VERSION"),
        description: DESCRIPTION,
        server_url,
        common: &[SUDO, RELEASE],
    };
    document(info, &declarations())
}

/// Document that the server serves, built once.
/// It names no server, because clients know the address they fetched it from.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| openapi_document("", Edition::of(NEWEST)));

async fn openapi(request: HttpRequest, state: Data<AppState>, _: Reader) -> HttpResponse {
    let at = state.releases.of(&request);
    let mut document = if at == Edition::of(NEWEST) {
        DOCUMENT.clone()
    } else {
        openapi_document("", at)
    };
    if let Some(url) = document.pointer_mut("/servers/0/url") {
        *url = Value::from(state.base_url.as_str());
    }
    answer::public(&request, document.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use web_conventions::operations::Access;

    use super::*;

    /// Operations that are neither pages nor documented, with the reason.
    const LEFT_OUT: [(&str, &str); 9] = [
        ("openapi", "it is the document"),
        ("health", "a load balancer reads the status"),
        ("liveness", "a load balancer reads the status"),
        ("readiness", "a load balancer reads the status"),
        ("metrics", "Prometheus knows the format"),
        ("asset", "the files of pages are fetched by browsers"),
        ("avatar", "answers name it, and browsers fetch it"),
        ("deprecationsFeed", "readers of feeds know its form"),
        ("deprecationsCalendar", "calendars know its form"),
    ];

    #[test]
    fn every_non_page_operation_is_documented_or_exempt() {
        let declared = declarations();
        let is_page = |declared: &Declaration| matches!(declared.access, Access::Page(_));
        let missing = declared
            .iter()
            .filter(|declared| declared.tag.is_none() && !is_page(declared));
        let mut missing: Vec<&str> = missing.map(|declared| declared.id).collect();
        let mut known = LEFT_OUT.map(|(id, _)| id);
        missing.sort_unstable();
        known.sort_unstable();
        assert_eq!(missing, known);
    }

    /// RFC 6749, section 5.2: OAuth clients parse no other error format.
    #[test]
    fn refusals_of_the_provider_are_those_of_the_protocol() {
        let document = openapi_document("", Edition::of(NEWEST));
        let at = "/paths/~1oauth~1token/post/responses/401/content/application~1json/schema/$ref";
        let shape = document.pointer(at).and_then(Value::as_str);
        assert_eq!(shape, Some("#/components/schemas/OAuthError"));
    }
}
