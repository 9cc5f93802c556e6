//! `GET /api/v4/version` and `GET /api/v4/metadata`.

use actix_web::HttpResponse;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, ResponseSpec, get};

use crate::frame::api::AsUser;
use crate::frame::scopes::ReadUser;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation| {
        operation
            .documented("system", "Get the version of the server")
            .response(ResponseSpec::json::<VersionJson>(200, "The version."))
    };
    vec![
        described(get("showVersion", "/api/v4/version", version)),
        described(get("showMetadata", "/api/v4/metadata", version)),
    ]
}

/// Version of the server.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Metadata")]
struct VersionJson {
    /// Release of the API that answers the request.
    /// Clients compare its three numbers to find out what they can use.
    version: String,
    /// Version of the program.
    revision: &'static str,
    kas: Agents,
    enterprise: bool,
}

/// Server for agents, which does not exist here.
#[derive(Serialize, JsonSchema)]
struct Agents {
    enabled: bool,
    #[serde(rename = "externalUrl")]
    external_url: Option<&'static str>,
    version: Option<&'static str>,
}

async fn version(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    request.json(&VersionJson {
        version: format!("{}.0", request.edition().release),
        revision: env!("CARGO_PKG_VERSION"),
        kas: Agents {
            enabled: false,
            external_url: None,
            version: None,
        },
        enterprise: false,
    })
}
