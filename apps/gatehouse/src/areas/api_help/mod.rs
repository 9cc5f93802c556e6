//! The description of the API: as a document for programs, and as pages for people.

mod page;
mod shape;

use std::sync::{Arc, LazyLock};

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use web_conventions::answer;
use web_conventions::operations::document::{Info, document};
use web_conventions::operations::{Declaration, Operation, Release, get};

use crate::frame::public::Reader;
use crate::state::AppState;

/// What the document says of the API.
const DESCRIPTION: &str = "The REST API of Gatehouse. Credentials are sent as `Authorization: Bearer TOKEN` or \
                           `PRIVATE-TOKEN: TOKEN`. Lists are paged; the links to other pages are in the header `Link`. \
                           A refusal says in its body what to do.";

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("openapi", "/api/v4/openapi.json", openapi),
        get("apiHelp", "/help/api", page::show),
    ]
}

/// What all operations of the program say about themselves.
pub fn declarations() -> Vec<Arc<Declaration>> {
    let operations = super::operations();
    let declared = operations
        .iter()
        .map(|operation| Arc::clone(operation.declaration()));
    declared.collect()
}

/// The document of the API (`OpenAPI` 3.1) of a server that is reached at `server_url`; empty for a document that is of no
/// server.
pub fn openapi_document(server_url: &str) -> Value {
    let info = Info {
        title: "Gatehouse",
        version: env!("CARGO_PKG_VERSION"),
        description: DESCRIPTION,
        server_url,
    };
    document(info, &declarations(), Release::LATEST)
}

/// The document that the server serves, made once. It names no server, because clients know where they got it from.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| openapi_document(""));

async fn openapi(request: HttpRequest, state: Data<AppState>, _: Reader) -> HttpResponse {
    let mut document = DOCUMENT.clone();
    if let Some(url) = document.pointer_mut("/servers/0/url") {
        *url = Value::from(state.base_url.as_str());
    }
    answer::public(&request, document.to_string().into_bytes())
}
