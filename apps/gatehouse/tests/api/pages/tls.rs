//! Pages of a server that is reached over TLS. There is no TLS proxy in the test, so the service is called without a
//! connection.

use std::sync::Arc;

use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::{App, web};
use gatehouse::config::{Overrides, load};
use gatehouse::state::AppState;
use gatehouse::{areas, server};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database;
use web_conventions::edge::observe;

#[actix_web::test]
async fn behind_tls_the_cookie_never_travels_without() {
    let directory = tempfile::tempdir().unwrap();
    let overrides = Overrides {
        data: Some(directory.path().to_owned()),
        ..Overrides::default()
    };
    let settings = Arc::new(load(&overrides).unwrap());
    let database = database::open(&settings.database).unwrap();
    database.migrate().unwrap();
    let url = "https://gate.example".to_owned();
    let state = AppState::new(settings, Arc::new(database), Arc::new(SystemClock), url).unwrap();
    let releases = state.releases.clone();
    let state = web::Data::new(state);
    let app = App::new()
        .app_data(state)
        .wrap(from_fn(observe::<AppState>))
        .default_service(server::router(areas::operations, releases).into_factory());
    let service = init_service(app).await;
    let request = TestRequest::get().uri("/users/sign_in").to_request();
    let answer = call_service(&service, request).await;
    assert_eq!(answer.status(), 200);
    let header = |name: &str| answer.headers().get(name).unwrap().to_str().unwrap();
    let cookie = header("set-cookie");
    assert!(cookie.starts_with("_service_session=ghse_"), "{cookie}");
    assert!(
        cookie.ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/"),
        "{cookie}"
    );
    assert_eq!(header("strict-transport-security"), "max-age=31536000");
}
