//! Form for the external tracker from which errors are read.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use error_tracking::external::{ApiUrl, ExternalProject, TrackerRoot};
use error_tracking::flow::settings::{OnMissingSettings, SettingsRefusal};
use error_tracking::model::Settings;
use gatehouse_core::flows::error_tracking::change;
use web_conventions::failure::Failure;
use zeroize::Zeroizing;

use super::super::external::{TrackerInput, resolve_tracker};
use super::super::settings::refused;
use super::settings::{SubmittedErrorSettings, answer, path_of};
use super::settings_form::{NOTHING_SAVED, SettingsForm};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::ProjectContext;

/// A project of the tracker to choose from.
pub(super) struct Offer {
    /// API address of the project, followed by a space and its name.
    pub(super) value: String,
    pub(super) name: String,
}

/// Fields of the form.
#[derive(Default)]
pub(super) struct TrackerFields {
    pub(super) api_url: String,
    pub(super) name: String,
    pub(super) has_token: bool,
    /// Token that was entered, sealed so that it need not be entered twice.
    pub(super) draft: String,
    pub(super) offers: Vec<Offer>,
    pub(super) wrong_address: Vec<String>,
    pub(super) wrong_token: Vec<String>,
}

impl TrackerFields {
    /// Returns the stored values.
    pub(super) fn of(settings: &Settings) -> Self {
        let external = &settings.external;
        Self {
            api_url: external.api_url.clone().unwrap_or_default(),
            name: external.name().unwrap_or_default(),
            has_token: external.token.is_some(),
            ..Self::default()
        }
    }

    /// Returns the submitted values, with their validation failures.
    fn submitted(
        form: &SettingsForm,
        settings: Option<&Settings>,
        failures: &ValidationFailures,
    ) -> Self {
        let address = [failures.of("api_url"), failures.of("project")].concat();
        Self {
            api_url: form.form.text("api_url").trim().to_owned(),
            has_token: settings.is_some_and(|settings| settings.external.token.is_some()),
            wrong_address: sentences("It", &address),
            wrong_token: sentences("It", failures.of("token")),
            ..Self::default()
        }
    }
}

/// Returns the token that was entered: in the field, or earlier in the same form.
fn token(form: &SettingsForm, found: &ProjectContext, address: &str) -> Option<Zeroizing<String>> {
    let entered = Zeroizing::new(form.form.text("token").trim().to_owned());
    if !entered.is_empty() {
        return Some(entered);
    }
    let root = TrackerRoot::parse(address).ok()?;
    let trackers = &form.state().trackers;
    trackers.open_draft(found.project.id, &root, form.form.text("draft"))
}

/// Requests the projects that the token can see from the tracker, and offers them.
pub(super) async fn list_projects(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let read = form.read(|tx, found| Ok(tx.find_error_settings(found.project.id)?));
    let (settings, found) = read.await?;
    let address = form.form.text("api_url").trim().to_owned();
    let named = (!address.is_empty()).then_some(address.as_str());
    let token = token(form, &found, &address);
    let trackers = &form.state().trackers;
    let (root, token) = match resolve_tracker(trackers, settings.as_ref(), named, token) {
        Ok(tracker) => tracker,
        Err(failures) => {
            let fields = TrackerFields::submitted(form, settings.as_ref(), &failures);
            return refuse(form, fields, NOTHING_SAVED.to_owned()).await;
        }
    };
    let none = ValidationFailures::default();
    let mut fields = TrackerFields::submitted(form, settings.as_ref(), &none);
    fields.draft = trackers.seal_draft(found.project.id, &root, &token);
    let response = trackers.projects(found.project.id, root.clone(), token);
    match response.await {
        Ok(projects) if projects.is_empty() => {
            let problem = "The token cannot see any project in this tracker.";
            refuse(form, fields, problem.to_owned()).await
        }
        Ok(projects) => {
            let named = ApiUrl::parse(&address).ok();
            fields.offers = offers(&root, &projects);
            let problem = named.filter(|named| !is_among(named, &root, &projects));
            let submitted = SubmittedErrorSettings {
                tracker: Some(fields),
                problem: problem.map(|named| format!("{}.", named.missing_project())),
                ..SubmittedErrorSettings::default()
            };
            answer(form, StatusCode::OK, submitted).await
        }
        Err(failure) => refuse(form, fields, format!("{failure}.")).await,
    }
}

/// True if the project at an address is one of these.
fn is_among(named: &ApiUrl, root: &TrackerRoot, projects: &[ExternalProject]) -> bool {
    let mut addresses = projects
        .iter()
        .filter_map(|project| root.project(project).ok());
    addresses.any(|address| {
        address
            .url()
            .as_str()
            .eq_ignore_ascii_case(named.url().as_str())
    })
}

fn offers(root: &TrackerRoot, projects: &[ExternalProject]) -> Vec<Offer> {
    let offer = |project: &ExternalProject| {
        let address = root.project(project).ok()?;
        Some(Offer {
            value: format!("{address} {}", project.name),
            name: format!("{} / {}", project.organization_name, project.name),
        })
    };
    projects.iter().filter_map(offer).collect()
}

/// Connects the tracker: to the selected project, else to the one at the address.
pub(super) async fn save(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let fields = &form.form;
    let (address, name) = match fields.text("chosen").split_once(' ') {
        Some((address, name)) => (address.to_owned(), Some(name.to_owned())),
        None => (fields.text("api_url").trim().to_owned(), None),
    };
    let read = form.read(|tx, found| Ok(tx.find_error_settings(found.project.id)?));
    let (settings, found) = read.await?;
    let input = TrackerInput {
        token: token(form, &found, &address),
        api_url: address,
        project_name: name,
    };
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), form.actor()?);
    let trackers = form.state().trackers.clone();
    let saved = form.write(move |tx, found| {
        let edit = input.change(&trackers, found.project.id);
        let edit = edit.map_err(SettingsRefusal::Invalid)?;
        let create = OnMissingSettings::Create;
        change(tx, found.project.id, &edit, create, random, by)
    });
    match saved.await? {
        (Ok(_), found) => Ok(form.redirect_with_notice(&path_of(&found), Notice::TrackerConnected)),
        (Err(SettingsRefusal::Invalid(failures)), _) => {
            let fields = TrackerFields::submitted(form, settings.as_ref(), &failures);
            refuse(form, fields, NOTHING_SAVED.to_owned()).await
        }
        (Err(refusal), _) => {
            let failure: Failure = refused(refusal);
            Err(form.sign_in_if_hidden(failure.into()))
        }
    }
}

async fn refuse(
    form: &SettingsForm,
    fields: TrackerFields,
    problem: String,
) -> Result<HttpResponse, PageFailure> {
    let submitted = SubmittedErrorSettings {
        tracker: Some(fields),
        problem: Some(problem),
        ..SubmittedErrorSettings::default()
    };
    answer(form, StatusCode::UNPROCESSABLE_ENTITY, submitted).await
}
