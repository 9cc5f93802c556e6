//! `/api/v4/applications`: the applications of the instance, for administrators. Those of users are managed on their
//! own pages.

use accounts::User;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::ids::ApplicationId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use api_conventions::scope::Scope;
use api_conventions::secret::PlainSecret;
use oauth_provider::flow::applications::{
    self, ClientMetadata, Registrar, Registration, register, validate,
};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::wire::{ApplicationResponse, NewApplicationResponse};
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationUid, ClientType,
};
use storage::{Store as _, StoreError};

use crate::extract::caller::{Caller, READ, WRITE};
use crate::extract::params::list_address;
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;
use gatehouse_core::randomness::OsRandomness;

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/applications").get(list).post(create).build());
    service.service(at("/api/v4/applications/{id}").delete(delete).build());
    service.service(
        at("/api/v4/applications/{id}/renew-secret")
            .post(renew)
            .build(),
    );
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    administrator(&caller, READ)?;
    let asked = Paging::offset(caller.params())?;
    let found = state.database.read(caller.lane(), move |tx| {
        tx.list_applications(ApplicationOwner::Instance, asked)
    });
    let found: Result<Page<Application>, StoreError> = found.await;
    let found = found?;
    let headers = list_address(&request, &state).offset_headers(asked, &found);
    let shown = found.map(|application| ApplicationResponse::from(&application));
    answer::page(&request, &shown.items, headers)
}

async fn create(state: Data<AppState>, caller: Caller) -> Result<HttpResponse, Failure> {
    administrator(&caller, WRITE)?;
    let application = validated(&state, caller.params())?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let registration = Registration {
        application,
        uid: ApplicationUid::generate(&OsRandomness),
        secret: secret.digest(),
        owner: ApplicationOwner::Instance,
        now: caller.now(),
    };
    let made: Result<Application, StoreError> = state
        .database
        .write(move |tx| register(tx, registration.clone()))
        .await;
    Ok(with_secret(StatusCode::CREATED, &made?, &secret))
}

/// The application of the request, as an administrator may register it.
fn validated(state: &AppState, params: &Params) -> Result<ApplicationChange, ApiError> {
    let registrar = Registrar {
        is_admin: true,
        allow_insecure_redirects: state.settings.oauth.allow_insecure_redirects,
    };
    let metadata = read_metadata(params)?;
    validate(&metadata, registrar).map_err(|failures| ApiError::validation(&failures))
}

async fn delete(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    administrator(&caller, WRITE)?;
    let id = application_id(&request)?;
    let deleted = state
        .database
        .write(move |tx| applications::delete(tx, ApplicationOwner::Instance, id));
    let deleted: Result<bool, StoreError> = deleted.await;
    if !deleted? {
        return Err(unknown().into());
    }
    Ok(HttpResponse::NoContent().finish())
}

async fn renew(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    administrator(&caller, WRITE)?;
    let id = application_id(&request)?;
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let digest = secret.digest();
    let renewed = state
        .database
        .write(move |tx| applications::renew_secret(tx, ApplicationOwner::Instance, id, digest));
    let renewed: Result<Option<Application>, StoreError> = renewed.await;
    let renewed = renewed?.ok_or_else(unknown)?;
    Ok(with_secret(StatusCode::OK, &renewed, &secret))
}

/// The caller, if it administers the instance.
fn administrator<'c>(caller: &'c Caller, accepted: &[Scope]) -> Result<&'c User, ApiError> {
    let user = &caller.signed_in(accepted)?.user;
    user.is_admin
        .then_some(user)
        .ok_or_else(ApiError::forbidden)
}

fn unknown() -> ApiError {
    ApiError::not_found("Application")
}

/// The number in the path. Anything else there is the number of no application.
fn application_id(request: &HttpRequest) -> Result<ApplicationId, ApiError> {
    let number = request.match_info().query("id").parse();
    number.map(ApplicationId::new).map_err(|_| unknown())
}

fn read_metadata(params: &Params) -> Result<ClientMetadata, ApiError> {
    let mut read = params.reader();
    let name = read.text("name");
    let name = read.required("name", name);
    let redirect_uris = read.text("redirect_uri");
    let redirect_uris = read.required("redirect_uri", redirect_uris);
    let after_sign_out = read.texts("post_logout_redirect_uris");
    let scopes = read.text("scopes");
    let scopes = read.required("scopes", scopes);
    let is_public = read.boolean("confidential") == Some(false);
    let trusted = read.boolean("trusted").unwrap_or_default();
    read.finish()?;
    Ok(ClientMetadata {
        name: name.value()?,
        redirect_uris: redirect_uris.value()?,
        post_logout_redirect_uris: after_sign_out.join("\n"),
        scopes: scopes.value()?,
        client_type: if is_public {
            ClientType::Public
        } else {
            ClientType::Confidential
        },
        trusted,
    })
}

/// The one answer that has the secret, so nothing on the way may keep it.
fn with_secret(
    status: StatusCode,
    application: &Application,
    secret: &PlainSecret,
) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(NewApplicationResponse {
            application: application.into(),
            secret: secret.reveal(),
        })
}
