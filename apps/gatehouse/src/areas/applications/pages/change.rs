//! Handlers of the application forms.

use std::ops::Deref;

use actix_web::http::StatusCode;
use actix_web::http::header::ACCEPT;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ApplicationId;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::applications::{Registrar, Registration, validate};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationUid, ClientType,
};
use serde_json::json;

use super::area::Area;
use super::form as application_form;
use crate::frame::form::PageForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::secret_once::{self, SecretSubject};
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::flows::applications::{
    ApplicationEditor, delete_application, register_application, renew_application_secret,
    update_application,
};
use gatehouse_core::randomness::OsRandomness;

fn registrar(state: &AppState, member: &LiveSession) -> Registrar {
    let mut registrar = Registrar::new(member.user.is_admin);
    registrar.allow_insecure_redirects = state.settings.oauth.allow_insecure_redirects;
    registrar
}

/// The user as the author of changes to applications of this owner.
fn editor(
    page: &PageRequest<'_>,
    member: &LiveSession,
    owner: ApplicationOwner,
) -> ApplicationEditor {
    ApplicationEditor {
        owner,
        id: Some(member.user.id),
        now: page.visitor.now(),
    }
}

/// Registers an application and redirects to its page, which shows the secret once.
pub(super) async fn create<F: Deref<Target = PageForm>>(
    request: HttpRequest,
    state: Data<AppState>,
    form: F,
) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(&request);
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (member, owner) = area.enter(&request, &form.visitor)?;
    let metadata = application_form::read(&form, area);
    let policy = &state.settings.oauth.policy;
    let application = match validate(&metadata, registrar(&state, member), policy) {
        Ok(application) => application,
        Err(failures) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return application_form::show(&page, status, &metadata, &failures);
        }
    };
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let registration = registration(application, &secret, owner, form.visitor.now());
    let by = editor(&page, member, owner);
    let created = state
        .write(move |tx| register_application(tx, registration.clone(), by))
        .await?;
    let has_secret = created.client_type == ClientType::Confidential;
    let shown_secret = has_secret.then_some(&secret);
    redirect_to_application(&page, &created, shown_secret, Notice::ApplicationRegistered)
}

/// Builds the registration of an application with a new client id.
fn registration(
    application: ApplicationChange,
    secret: &PlainSecret,
    owner: ApplicationOwner,
    now: Timestamp,
) -> Registration {
    Registration::new(
        application,
        ApplicationUid::generate(&OsRandomness),
        secret.digest(),
        owner,
        now,
    )
}

/// Redirects to the page of an application, and passes a new secret along for that page to show.
fn redirect_to_application(
    page: &PageRequest<'_>,
    application: &Application,
    secret: Option<&PlainSecret>,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let (area, id) = (Area::of(page.request), application.id);
    let session = &page.visitor.member(page.request)?.session;
    let mut answer = page.redirect_with_notice(&format!("{}/{id}", area.base()), notice);
    if let Some(secret) = secret {
        let now = page.visitor.now();
        let of = SecretSubject::Application(id);
        secret_once::send(&mut answer, page.state, of, session, secret, now)?;
    }
    Ok(answer)
}

/// Updates or deletes an application.
pub(super) async fn update<F: Deref<Target = PageForm>>(
    request: HttpRequest,
    state: Data<AppState>,
    form: F,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let method = match form.method() {
        named if named.is_empty() => request.method().as_str().to_ascii_lowercase(),
        named => named,
    };
    match method.as_str() {
        "delete" => delete(&page).await,
        "patch" | "put" => change(&page, &form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the application.",
        )),
    }
}

async fn change(page: &PageRequest<'_>, form: &PageForm) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(page.request);
    let (member, owner) = area.enter(page.request, page.visitor)?;
    // An unknown application is reported before the faults of the form.
    let application = super::find_in_path(page.request, page.state, page.visitor).await?;
    let id = application.id;
    let metadata = application_form::read(form, area);
    let policy = &page.state.settings.oauth.policy;
    match validate(&metadata, registrar(page.state, member), policy) {
        Err(failures) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            application_form::show(page, status, &metadata, &failures)
        }
        Ok(application_change) => {
            let by = editor(page, member, owner);
            let changed = page
                .state
                .write(move |tx| update_application(tx, id, &application_change, by));
            changed.await?.ok_or_else(PageFailure::not_found)?;
            let path = format!("{}/{id}", area.base());
            Ok(page.redirect_with_notice(&path, Notice::ApplicationSaved))
        }
    }
}

async fn delete(page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(page.request);
    let (member, owner) = area.enter(page.request, page.visitor)?;
    let id = ApplicationId::new(id_in_path(page.request)?);
    let by = editor(page, member, owner);
    let deleted = page.state.write(move |tx| delete_application(tx, id, by));
    if deleted.await?.is_none() {
        return Err(PageFailure::not_found());
    }
    Ok(page.redirect_with_notice(area.list(), Notice::ApplicationDeleted))
}

/// Renews the secret of an application and redirects to its page, which shows the secret once.
/// A client that requests JSON gets the secret in the response.
pub(super) async fn renew<F: Deref<Target = PageForm>>(
    request: HttpRequest,
    state: Data<AppState>,
    form: F,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (member, owner) = Area::of(&request).enter(&request, &form.visitor)?;
    let id = ApplicationId::new(id_in_path(&request)?);
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let digest = secret.digest();
    let by = editor(&page, member, owner);
    let renewed = state.write(move |tx| renew_application_secret(tx, id, digest, by));
    let renewed = renewed.await?.ok_or_else(PageFailure::not_found)?;
    if asks_for_json(&request) {
        let body = json!({ "secret": secret.reveal() });
        return Ok(HttpResponse::Ok()
            .insert_header(("Cache-Control", "no-store"))
            .content_type("application/json")
            .body(body.to_string()));
    }
    redirect_to_application(&page, &renewed, Some(&secret), Notice::SecretRenewed)
}

fn asks_for_json(request: &HttpRequest) -> bool {
    let accepted = request.headers().get(ACCEPT);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("application/json"))
}
