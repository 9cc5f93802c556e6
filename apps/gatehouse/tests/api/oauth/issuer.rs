//! The issuer behind a proxy. There is no proxy in the test, so the service is called without a connection.

use std::sync::Arc;

use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, call_service, init_service, read_body_json};
use actix_web::{App, web};
use gatehouse::config::{Overrides, load};
use gatehouse::state::AppState;
use gatehouse::{areas, provision, server};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database;
use oauth_provider::flow::applications::ClientMetadata;
use oauth_provider::{ApplicationOwner, ClientType};
use serde_json::Value;
use web_conventions::edge::observe;

const ISSUER: &str = "https://gate.example/ops";
const ADDRESS: &str = "https://shop.example/cb";

fn state(data: &std::path::Path) -> (AppState, String) {
    let overrides = Overrides {
        data: Some(data.to_owned()),
        ..Overrides::default()
    };
    let settings = Arc::new(load(&overrides).unwrap());
    let database = Arc::new(database::open(&settings.database).unwrap());
    database.migrate().unwrap();
    let metadata = ClientMetadata::new("Shop", ADDRESS, "api", ClientType::Confidential);
    let owner = ApplicationOwner::Instance;
    let (application, _) =
        provision::application(&database, &settings.oauth, &metadata, owner).unwrap();
    let state = AppState::new(settings, database, Arc::new(SystemClock), ISSUER.to_owned());
    (state.unwrap(), application.uid.to_string())
}

/// D8, D35, D36. The issuer is the URL by which clients reach the server: in the document, at every endpoint, and in
/// responses.
#[actix_web::test]
async fn the_issuer_is_how_clients_reach_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let (state, uid) = state(directory.path());
    let releases = state.releases.clone();
    let state = web::Data::new(state);
    let app = App::new()
        .app_data(state)
        .wrap(from_fn(observe::<AppState>))
        .default_service(server::router(areas::operations, releases).into_factory());
    let service = init_service(app).await;
    let request = TestRequest::get().uri("/.well-known/openid-configuration");
    let metadata: Value = read_body_json(call_service(&service, request.to_request()).await).await;
    assert_eq!(metadata["issuer"], ISSUER);
    // RFC 8414, section 3.1: the path of the issuer follows the well-known path; another issuer's path is not found.
    for name in ["oauth-authorization-server", "openid-configuration"] {
        for (path, status) in [("ops", 200), ("other", 404), ("ops/more", 404)] {
            let request = TestRequest::get().uri(&format!("/.well-known/{name}/{path}"));
            let answer = call_service(&service, request.to_request()).await;
            assert_eq!(answer.status().as_u16(), status, "{name}/{path}");
            if status == 200 {
                assert_eq!(read_body_json::<Value, _>(answer).await, metadata);
            }
        }
    }
    let members = metadata.as_object().unwrap().iter();
    let addresses = members.filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri");
    let mut count = 0;
    for (name, address) in addresses {
        let address = address.as_str().unwrap();
        assert!(
            address.starts_with("https://gate.example/ops/oauth/"),
            "{name}: {address}"
        );
        count += 1;
    }
    assert_eq!(count, 7);
    let query = crate::support::browser::form(&[
        ("client_id", &uid),
        ("redirect_uri", ADDRESS),
        ("response_type", "code"),
        ("prompt", "none"),
    ]);
    let request = TestRequest::get()
        .uri(&format!("/oauth/authorize?{query}"))
        .to_request();
    let answer = call_service(&service, request).await;
    let location = answer.headers().get("location").unwrap().to_str().unwrap();
    let (_, response) = location.split_once('?').unwrap();
    let iss = url::form_urlencoded::parse(response.as_bytes()).find(|(name, _)| name == "iss");
    assert_eq!(iss.unwrap().1, ISSUER);
}
