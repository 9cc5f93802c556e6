//! Forms that create, change and delete alert endpoints.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::integrations::{IntegrationError, MAX_GRACE_SECONDS};
use alert_intake::model::{Integration, IntegrationSettings, NewIntegration};
use alert_intake::wire::parse_kind;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::endpoints::{
    create_endpoint, delete_endpoint, rotate_endpoint_key, switch_endpoint, update_endpoint,
};
use gatehouse_core::flows::groups::Actor;
use web_conventions::failure::Failure;

use super::super::integration_input::new_identifier;
use super::super::integrations::new_key;
use super::endpoint::{endpoint_of, identifier, show_refused};
use super::endpoint_form::EndpointForm;
use super::endpoints::{self, EndpointViewers, path_of};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{And, Need, ProjectContext, ProjectForm, RoleOrForbidden};
use crate::frame::scopes::Maintainer;
use crate::frame::secret_once::{self, SecretSubject};

/// Access to the forms: Maintainers, who see the pages as Developers do.
pub(super) type EndpointManagers = And<EndpointViewers, RoleOrForbidden<Maintainer>>;

/// Creates an endpoint, and redirects to its page, which shows its key once.
pub(super) async fn create(
    form: ProjectForm<EndpointManagers>,
) -> Result<HttpResponse, PageFailure> {
    let (key, by) = (new_key(), actor_of(&form)?);
    let source = parse_kind(form.form.text("type"));
    let source =
        source.ok_or_else(|| PageFailure::bad_request("Choose the kind of the endpoint."))?;
    let (name, end) = (form.form.text("name").to_owned(), new_identifier());
    let digest = key.digest();
    let created = form.write(move |tx, found| {
        let new = NewIntegration {
            project_id: found.project.id,
            source,
            name: name.clone(),
            endpoint_identifier: end.clone(),
            active: true,
            key: digest,
            settings: IntegrationSettings::default(),
            created_at: by.now,
        };
        create_endpoint(tx, &new, by)
    });
    match created.await? {
        (Ok(endpoint), found) => show_once(&form, &found, &endpoint, &key, Notice::EndpointCreated),
        (Err(IntegrationError::Store(error)), _) => Err(error.into()),
        (Err(error), _) => {
            let problem = format!("Endpoint not created: {error}.");
            endpoints::respond(&form, StatusCode::UNPROCESSABLE_ENTITY, Some(problem)).await
        }
    }
}

/// Turns the endpoint on or off, renews its key, changes its rules, or deletes it.
pub(super) async fn change(
    form: ProjectForm<EndpointManagers>,
) -> Result<HttpResponse, PageFailure> {
    match form.form.text("event") {
        "enable" => switch(&form, true).await,
        "disable" => switch(&form, false).await,
        "renew" => renew(&form).await,
        "settings" => set(&form).await,
        "delete" => delete(&form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the endpoint.",
        )),
    }
}

async fn switch(
    form: &ProjectForm<EndpointManagers>,
    active: bool,
) -> Result<HttpResponse, PageFailure> {
    let (identifier, by) = (identifier(form)?, actor_of(form)?);
    let switched = form.write(move |tx, found| {
        let switched = switch_endpoint(tx, found.project.id, &identifier, active, by)?;
        switched.ok_or_else(|| Failure::from(ApiError::not_found("Alert endpoint")))
    });
    let (switched, found) = switched.await?;
    let endpoint = switched.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    let notice = if active {
        Notice::EndpointEnabled
    } else {
        Notice::EndpointDisabled
    };
    Ok(form.redirect_with_notice(&path_of(&found, &endpoint), notice))
}

async fn renew(form: &ProjectForm<EndpointManagers>) -> Result<HttpResponse, PageFailure> {
    let (identifier, by) = (identifier(form)?, actor_of(form)?);
    let grace = form
        .form
        .text("grace_seconds")
        .parse()
        .unwrap_or(0)
        .clamp(0, MAX_GRACE_SECONDS);
    let key = new_key();
    let digest = key.digest();
    let renewed = form.write(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        let renewed = rotate_endpoint_key(tx, endpoint.project_id, endpoint.id, digest, grace, by);
        renewed.map_err(refused)
    });
    let (renewed, found) = renewed.await?;
    let endpoint = renewed.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    let notice = if grace > 0 {
        Notice::KeyRotated
    } else {
        Notice::KeyRenewed
    };
    show_once(form, &found, &endpoint, &key, notice)
}

async fn set(form: &ProjectForm<EndpointManagers>) -> Result<HttpResponse, PageFailure> {
    let (identifier, by) = (identifier(form)?, actor_of(form)?);
    let sent = EndpointForm::read(&form.form);
    let typed = sent.clone();
    let changed = form.write(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        let update = match typed.update() {
            Ok(update) => update,
            Err(problem) => return Ok(Err(problem)),
        };
        match update_endpoint(tx, endpoint.project_id, endpoint.id, &update, by) {
            Ok(changed) => Ok(Ok(changed)),
            Err(IntegrationError::Store(error)) => Err(Failure::from(error)),
            Err(error) => Ok(Err(format!("Not saved: {error}."))),
        }
    });
    let (changed, found) = changed.await?;
    match changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))? {
        Ok(endpoint) => {
            Ok(form.redirect_with_notice(&path_of(&found, &endpoint), Notice::EndpointChanged))
        }
        Err(problem) => {
            let problem = Some(problem);
            show_refused(form, EndpointForm { problem, ..sent }).await
        }
    }
}

async fn delete(form: &ProjectForm<EndpointManagers>) -> Result<HttpResponse, PageFailure> {
    let (identifier, by) = (identifier(form)?, actor_of(form)?);
    let deleted = form.write(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        delete_endpoint(tx, endpoint.project_id, endpoint.id, by).map_err(refused)
    });
    let (deleted, found) = deleted.await?;
    deleted.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    let list = format!("{}/-/settings/alert_endpoints", found.path());
    Ok(form.redirect_with_notice(&list, Notice::EndpointDeleted))
}

/// Redirects to the page of an endpoint with a new key, which the page shows once.
fn show_once<N: Need>(
    form: &ProjectForm<N>,
    found: &ProjectContext,
    endpoint: &Integration,
    key: &PlainSecret,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let mut answer = form.redirect_with_notice(&path_of(found, endpoint), notice);
    let session = &form.visitor().member(form.request())?.session;
    let of = SecretSubject::Endpoint(endpoint.id);
    secret_once::send(&mut answer, form.state(), of, session, key, form.now())?;
    Ok(answer)
}

/// Returns the person who sends a form.
pub(super) fn actor_of<N: Need>(form: &ProjectForm<N>) -> Result<Actor, PageFailure> {
    Ok(Actor {
        id: form.actor_id()?,
        viewer: form.viewer(),
        now: form.now(),
    })
}

/// Returns the failure of a refused change.
pub(super) fn refused(error: IntegrationError) -> Failure {
    match error {
        IntegrationError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
