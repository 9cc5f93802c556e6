//! `/api/v4/projects/:id/error_tracking/external_tracker`: the external tracker from which errors are read (`ERR-06`).

use actix_web::HttpResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::ProjectId;
use error_tracking::external::{ApiUrl, ApiUrlError, ExternalProject, TrackerRoot};
use error_tracking::flow::settings::{ExternalChange, OnMissingSettings, SettingsChange};
use error_tracking::model::Settings;
use error_tracking::wire::SettingsJson;
use gatehouse_core::external_tracker::{Connection, Trackers};
use gatehouse_core::flows::error_tracking::change;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, post, put};
use zeroize::Zeroizing;

use super::super::TAG;
use super::super::settings::refused;
use super::{bad_gateway, failed, gateway_timeout};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, WriteApi};

const TRACKER: &str = "/api/v4/projects/{id}/error_tracking/external_tracker";
const PROJECTS: &str = "/api/v4/projects/{id}/error_tracking/external_tracker/projects";

const API_URL: Parameter = Parameter::body(
    "api_url",
    ParameterKind::Text { min: 1, max: 255 },
    "The address of the project in the tracker's API: `https://host/api/0/projects/organization/project`.",
);
const ADDRESS: Parameter = Parameter::body(
    "api_url",
    ParameterKind::Text { min: 1, max: 255 },
    "Address of the tracker, or any address in its API (default: the one in the settings).",
);
const TOKEN: Parameter = Parameter::body(
    "token",
    ParameterKind::Text { min: 1, max: 500 },
    "Tracker token with permission to read projects, and to read and change events (default: the one in the settings).",
);
const NAME: Parameter = Parameter::body(
    "project_name",
    ParameterKind::Text { min: 0, max: 255 },
    "Display name of the project.",
);

/// Message for an address that may not be reached.
const FORBIDDEN: &str = "is blocked: private and local addresses are not allowed";

/// A project of a tracker.
#[derive(Debug, Serialize, JsonSchema)]
struct ExternalProjectJson {
    id: String,
    name: String,
    slug: String,
    organization_name: String,
    organization_slug: String,
    /// Value of `api_url` in the settings to read the errors of this project.
    api_url: String,
}

/// The operations.
pub(in super::super) fn operations() -> Vec<Operation> {
    vec![
        put("connectExternalTracker", TRACKER, connect)
            .documented(TAG, "Update the external tracker of a project")
            .takes([PROJECT, API_URL.required(), TOKEN, NAME])
            .response(ResponseSpec::json::<SettingsJson>(200, "The settings.")),
        post("listExternalProjects", PROJECTS, projects)
            .documented(
                TAG,
                "List the projects of an external tracker that a token can see",
            )
            .takes([PROJECT, ADDRESS, TOKEN])
            .response(ResponseSpec::json::<Vec<ExternalProjectJson>>(
                200,
                "The projects.",
            ))
            .response(bad_gateway())
            .response(gateway_timeout()),
    ]
}

/// External tracker as entered by the caller.
#[derive(Debug, Clone)]
pub(in super::super) struct TrackerInput {
    pub(in super::super) api_url: String,
    pub(in super::super) project_name: Option<String>,
    pub(in super::super) token: Option<Zeroizing<String>>,
}

impl TrackerInput {
    /// Returns the change to the settings of a project.
    ///
    /// # Errors
    /// An address that may not be reached. The settings validate everything else about the address.
    pub(in super::super) fn change(
        &self,
        trackers: &Trackers,
        project: ProjectId,
    ) -> Result<SettingsChange, ValidationFailures> {
        let address = ApiUrl::parse(&self.api_url).ok();
        if address.is_some_and(|address| trackers.forbids(address.url())) {
            let mut failures = ValidationFailures::default();
            failures.add(API_URL.name, FORBIDDEN);
            return Err(failures);
        }
        let token = self.token.as_ref();
        Ok(SettingsChange {
            active: Some(true),
            integrated: Some(false),
            external: Some(ExternalChange {
                api_url: Some(self.api_url.trim().to_owned()),
                project_name: self.project_name.clone(),
                token: token.map(|token| trackers.seal(project, token)),
            }),
            options: None,
        })
    }
}

async fn connect(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let api_url = read.text(API_URL.name);
    let token = read.text(TOKEN.name).filter(|token| !token.is_empty());
    let project_name = read.text(NAME.name).filter(|name| !name.is_empty());
    read.demand(&[API_URL.name]);
    read.finish()?;
    let input = TrackerInput {
        api_url: api_url.unwrap_or_default(),
        project_name,
        token: token.map(Zeroizing::new),
    };
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), request.actor());
    let trackers = request.trackers().clone();
    let saved = request.write(move |tx, project| {
        let edit = input.change(&trackers, project.id);
        let edit = edit.map_err(|failures| ApiError::validation(&failures))?;
        let create = OnMissingSettings::Create;
        change(tx, project.id, &edit, create, random, by).map_err(refused)
    });
    let (settings, _) = saved.await?;
    let word = &request.settings().naming.tracker;
    request.json(&SettingsJson::new(&settings, word))
}

/// Resolves the tracker whose projects to list, and the token to use: those of the caller, else those in the settings.
/// A stored token is sent only to the tracker that it was given for.
///
/// # Errors
/// Missing or invalid values.
pub(in super::super) fn resolve_tracker(
    trackers: &Trackers,
    settings: Option<&Settings>,
    address: Option<&str>,
    token: Option<Zeroizing<String>>,
) -> Result<(TrackerRoot, Zeroizing<String>), ValidationFailures> {
    let mut failures = ValidationFailures::default();
    let stored = settings.and_then(Connection::stored);
    let stored_root = stored.as_ref().map(|stored| stored.address().tracker());
    let root = match address {
        Some(address) => TrackerRoot::parse(address),
        None => stored_root.clone().ok_or(ApiUrlError::ProjectMissing),
    };
    let root = root.map_err(|fault| failures.add(API_URL.name, fault.to_string()));
    if let Ok(root) = &root
        && trackers.forbids(&root.projects())
    {
        failures.add(API_URL.name, FORBIDDEN);
    }
    let is_stored = |root: &TrackerRoot| stored_root.as_ref() == Some(root);
    let known = stored.filter(|_| root.as_ref().is_ok_and(is_stored));
    let token = token.or_else(|| trackers.open(&known?).ok());
    if token.is_none() {
        failures.add(TOKEN.name, "is a required field");
    }
    match (root, token) {
        (Ok(root), Some(token)) if failures.is_empty() => Ok((root, token)),
        _ => Err(failures),
    }
}

async fn projects(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let address = read.text(ADDRESS.name).filter(|text| !text.is_empty());
    let token = read.text(TOKEN.name).filter(|text| !text.is_empty());
    read.finish()?;
    let token = token.map(Zeroizing::new);
    let found = request.read(|tx, project| Ok(tx.find_error_settings(project.id)?));
    let (settings, project) = found.await?;
    let (trackers, address) = (request.trackers(), address.as_deref());
    let tracker = resolve_tracker(trackers, settings.as_ref(), address, token);
    let (root, token) = tracker.map_err(|failures| ApiError::validation(&failures))?;
    let response = request.trackers().projects(project.id, root.clone(), token);
    let projects = response.await.map_err(failed)?;
    let rows: Vec<ExternalProjectJson> = projects
        .into_iter()
        .filter_map(|project| project_json(&root, project))
        .collect();
    ApiRequest::json(&request, &rows)
}

/// Builds the response for a project of a tracker.
/// Returns `None` if it has no valid address.
fn project_json(root: &TrackerRoot, project: ExternalProject) -> Option<ExternalProjectJson> {
    let api_url = root.project(&project).ok()?.to_string();
    Some(ExternalProjectJson {
        id: project.id,
        name: project.name,
        slug: project.slug,
        organization_name: project.organization_name,
        organization_slug: project.organization,
        api_url,
    })
}
