//! The floor of the benchmarks: the same HTTP server doing the least that could be called the same work.
//!
//! `POST /parse` reads a body and parses it as an alert, without checks and without storing it; `GET /user` returns the
//! body of `GET /api/v4/user` without authentication; `POST /unpack` decompresses an envelope and parses its items as
//! JSON; `POST /token` parses a token request and returns two random tokens; `GET /token_info` returns the body of a
//! token info response. Prints its listening address.

#![expect(
    clippy::print_stdout,
    reason = "the benchmark reads the address from standard output"
)]

use accounts::wire::CurrentUser;
use accounts::{User, UserActivity, UserKind, UserState, Username};
use actix_web::web::{Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use alert_intake::model::Source;
use alert_intake::payload::{ParseContext, parse};
use api_conventions::ids::{IntegrationId, ProjectId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{Clock as _, Timestamp};
use error_tracking::protocol::encoding::{Encoding, Limits, unpack};
use error_tracking::protocol::envelope::Envelope;
use gatehouse::frame::oauth_failure as oauth;
use gatehouse::frame::oauth_failure::OAuthFailure;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::randomness::OsRandomness;
use oauth_provider::model::{ACCESS_PREFIX, REFRESH_PREFIX};
use oauth_provider::wire::{ClientCredentials, FormParameters, TokenRequest, TokenResponse};
use serde_json::Value;
use web_conventions::answer;
use web_conventions::failure::Failure;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

async fn parse_only(body: Bytes) -> HttpResponse {
    let context = ParseContext::from_parts(
        ProjectId::new(1),
        IntegrationId::new(1),
        SystemClock.now(),
        [0; 16],
    );
    match parse(&body, Source::Generic, &context) {
        Ok(delivery) => {
            let title = delivery.alerts.into_iter().next().map(|alert| alert.title);
            HttpResponse::Ok().json([serde_json::json!({ "iid": 1, "title": title })])
        }
        Err(_) => HttpResponse::BadRequest().finish(),
    }
}

async fn unpack_only(request: HttpRequest, body: Bytes) -> HttpResponse {
    let encoding = request.headers().get("Content-Encoding");
    let encoding = Encoding::parse(encoding.and_then(|value| value.to_str().ok()));
    let limits = Limits {
        bytes: 20 << 20,
        is_over: &|| false,
    };
    let unpacked = encoding.and_then(|encoding| unpack(&body, encoding, limits));
    let envelope = unpacked.as_ref().map(|plain| Envelope::parse(plain));
    let Ok(Ok(envelope)) = envelope else {
        return HttpResponse::BadRequest().finish();
    };
    let payloads = envelope.items.iter().map(|item| item.payload);
    let parsed: Result<Vec<Value>, _> = payloads.map(serde_json::from_slice).collect();
    match parsed {
        Ok(events) if !events.is_empty() => {
            HttpResponse::Ok().json(serde_json::json!({ "id": "0".repeat(32) }))
        }
        _ => HttpResponse::BadRequest().finish(),
    }
}

async fn user(request: HttpRequest, user: Data<User>) -> Result<HttpResponse, Failure> {
    answer::json(
        &request,
        &CurrentUser::new(&user, &UserActivity::default(), "http://127.0.0.1:8080"),
    )
}

async fn token(request: HttpRequest, body: Bytes) -> Result<HttpResponse, OAuthFailure> {
    let mut form = FormParameters::from_body(&body)?;
    let header = request.headers().get("Authorization");
    ClientCredentials::read(header.and_then(|value| value.to_str().ok()), &mut form)?;
    TokenRequest::read(&mut form, &gatehouse_core::scopes::registry())?;
    let now = SystemClock.now();
    let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
        .map(|prefix| PlainSecret::generate_dated(prefix, &OsRandomness, now));
    Ok(oauth::response(&TokenResponse {
        access_token: &access,
        expires_in: 7200,
        refresh_token: Some(&refresh),
        scopes: Some(&ScopeSet::default()),
        created_at: Some(now),
        id_token: None,
    }))
}

async fn response() -> HttpResponse {
    let body = serde_json::json!({
        "resource_owner_id": 2, "scope": ["api", "openid", "email"], "expires_in": 7200,
        "application": { "uid": "0".repeat(64) }, "created_at": 1_714_564_800,
        "scopes": ["api", "openid", "email"], "expires_in_seconds": 7200,
    });
    oauth::response(&body)
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let Ok(username) = Username::parse("dev") else {
        return Ok(());
    };
    let someone = Data::new(User {
        id: UserId::new(2),
        username,
        name: "Dana Developer".to_owned(),
        email: "dev@example.com".to_owned(),
        kind: UserKind::Human,
        is_admin: false,
        two_factor_enabled: false,
        private_profile: false,
        state: UserState::Active,
        created_at: Timestamp::MIN,
    });
    let server = HttpServer::new(move || {
        App::new()
            .app_data(someone.clone())
            .route("/parse", web::post().to(parse_only))
            .route("/unpack", web::post().to(unpack_only))
            .route("/user", web::get().to(user))
            .route("/token", web::post().to(token))
            .route("/token_info", web::get().to(response))
    })
    .bind(("127.0.0.1", 0))?;
    if let Some(address) = server.addrs().first() {
        println!("http://{address}");
    }
    server.run().await
}
